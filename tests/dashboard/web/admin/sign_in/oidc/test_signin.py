"""Signing in by the provider: the checks, and the page that follows."""

import json
from secrets import token_urlsafe

import pytest
from joserfc.jwk import OctKey

from dashboard.oidc import LEEWAY_SECONDS
from dashboard.web.admin.sign_in.oidc_calls import PENDING_MS
from tests.dashboard.web.admin.sign_in.oidc.fake_provider import ISSUER, new_key, person
from tests.drivers.application import PASSWORD
from tests.drivers.audit import acts
from tests.servers.oidc_provider import CLIENT_ID, parameters


def is_signed_in(client) -> bool:
    return client.get("/admin/api/me").status_code == 200


def refused(driver, spoil=lambda claims: None, **come_back):
    """Spoils a sign-in, checks that no session begins, and returns the answer."""
    driver.provider.claims = person("mai", ["support"])
    driver.provider.spoil = spoil
    client = driver.application.client()
    answer = driver.come_back(client, driver.begin(client), **come_back)
    assert not is_signed_in(client)
    assert "lineup_session" not in answer.headers.get("Set-Cookie", "")
    return answer


def test_a_sign_in_leads_to_the_provider_and_back_to_where_one_wanted_to_go(driver):
    driver.provider.claims = person("mai", ["support"])
    client = driver.application.client()
    url = driver.begin(client, next="/?x=1")
    asked = parameters(url)
    assert url.startswith(f"{ISSUER}/auth?")
    assert asked["response_type"] == "code" and asked["client_id"] == CLIENT_ID
    assert asked["code_challenge_method"] == "S256" and len(asked["code_challenge"]) == 43
    assert asked["redirect_uri"] == "http://localhost:5000/login/oidc/callback"
    answer = driver.come_back(client, url)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/?x=1")
    me = client.get("/admin/api/me").json
    assert (me["email"], me["name"], me["role"]) == ("mai@example.com", "Mai", "admin")


def test_signing_in_ends_the_session_that_the_browser_had(driver):
    """Another tab has signed in while this one was at the provider."""
    driver.provider.claims = person("mai", ["support"])
    client = driver.application.client()
    urls = [driver.begin(client) for _ in range(2)]
    driver.come_back(client, urls[0])
    old = client.get_cookie("lineup_session").value
    driver.come_back(client, urls[1])
    assert is_signed_in(client) and client.get_cookie("lineup_session").value != old
    client.set_cookie("lineup_session", old)
    assert not is_signed_in(client)


@pytest.mark.parametrize("goal", ["//evil.example", "https://evil.example", "/\\evil.example"])
def test_nobody_is_led_elsewhere(driver, goal):
    driver.provider.claims = person("mai", ["support"])
    client = driver.application.client()
    answer = driver.come_back(client, driver.begin(client, next=goal))
    assert (answer.status_code, answer.headers["Location"]) == (303, "/")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda claims: claims.update(iss="https://other.example"),
        lambda claims: claims.update(aud="another"),
        lambda claims: claims.update(aud=[CLIENT_ID, "another"]),
        lambda claims: claims.update(azp="another"),
        lambda claims: claims.update(nonce="another"),
        lambda claims: claims.pop("nonce"),
        lambda claims: claims.update(exp=claims["iat"] - LEEWAY_SECONDS),
        lambda claims: claims.update(iat=claims["iat"] + LEEWAY_SECONDS + 1),
        lambda claims: claims.pop("exp"),
        lambda claims: claims.pop("sub"),
        lambda claims: claims.update(sub=""),
        lambda claims: claims.update(sub=7),
        lambda claims: claims.update(at_hash="another"),
    ],
)
def test_claims_that_are_not_of_this_sign_in_are_refused(driver, spoil):
    answer = refused(driver, spoil)
    assert answer.status_code == 403 and b"could not be confirmed" in answer.data


@pytest.mark.parametrize(("subject", "status"), [("mai", 303), ("linh", 403)])
def test_user_info_completes_the_claims_of_its_own_subject_alone(driver, subject, status):
    driver.provider.claims = {"sub": "mai"}
    driver.provider.user_info = person("mai", ["support"]) | {"sub": subject}
    client = driver.application.client()
    answer = driver.come_back(client, driver.begin(client))
    assert (answer.status_code, is_signed_in(client)) == (status, status == 303)


def test_what_is_not_signed_with_the_providers_key_is_refused(driver):
    driver.provider.key = new_key("first")
    assert refused(driver).status_code == 403


@pytest.mark.parametrize("algorithm", ["none", "HS256"])
def test_no_other_algorithm_is_taken(driver, algorithm, monkeypatch):
    """`none`, and a signature that takes the public key for a shared secret."""
    public = json.dumps(driver.provider.key.as_dict(private=False)).encode()
    driver.provider.algorithm = algorithm
    key = OctKey.import_key(public)
    signed = driver.provider.signed
    monkeypatch.setattr(driver.provider, "signed", lambda claims: signed(claims, key=key))
    assert refused(driver).status_code == 403


def test_a_logout_token_is_no_id_token(driver, monkeypatch):
    signed = driver.provider.signed
    monkeypatch.setattr(driver.provider, "signed", lambda claims: signed(claims, "logout+jwt"))
    assert refused(driver).status_code == 403


def test_keys_are_fetched_once_more_where_one_is_not_known(driver):
    driver.sign_in("mai", ["support"])
    driver.provider.key, driver.provider.kid = new_key("second"), "second"
    driver.provider.published = [driver.provider.key]
    _, answer = driver.sign_in("linh", ["support"])
    assert answer.status_code == 303
    assert driver.provider.asked.count("/jwks") == 2


def test_made_up_keys_make_nobody_fetch_keys_without_end(driver):
    driver.provider.kid = "made-up"
    for _ in range(8):
        refused(driver)
    assert driver.provider.asked.count("/jwks") <= 4


@pytest.mark.parametrize("more", [{"state": "another"}, {"state": ""}])
def test_an_answer_to_another_sign_in_is_refused(driver, more):
    answer = refused(driver, **more)
    assert answer.status_code == 400 and b"begun in another browser" in answer.data
    assert "/token" not in driver.provider.asked


def test_an_answer_in_another_browser_is_refused(driver):
    url = driver.begin(driver.application.client())
    other = driver.application.client()
    assert driver.come_back(other, url).status_code == 400
    driver.begin(other)
    assert driver.come_back(other, url).status_code == 400
    assert not is_signed_in(other)


def test_an_answer_of_another_provider_is_refused(driver):
    """RFC 9207."""
    assert refused(driver, iss="https://other.example").status_code == 403
    assert "/token" not in driver.provider.asked


@pytest.mark.parametrize(
    "wrong",
    [
        {"issuer": "https://other.example"},
        {"issuer": f"{ISSUER}/"},
        {"issuer": None},
        {"token_endpoint": "http://id.example/token"},
        {"jwks_uri": "http://id.example/jwks"},
    ],
)
def test_metadata_of_another_issuer_or_without_tls_are_not_used(driver, monkeypatch, wrong):
    right = driver.provider._metadata()
    monkeypatch.setattr(driver.provider, "_metadata", lambda: right | wrong)
    client = driver.application.client()
    assert client.get("/login/oidc").status_code == 503
    assert client.get_cookie("lineup_oidc") is None


def test_no_token_of_the_provider_reaches_the_browser(driver, monkeypatch):
    made = []
    tokens = driver.provider._tokens

    def noted(given):
        made.append(tokens(given) | {"access_token": "access-token-of-mai"})
        return made[-1]

    monkeypatch.setattr(driver.provider, "_tokens", noted)
    client, answer = driver.sign_in("mai", ["support"])
    page = client.get("/")
    [found] = made
    sent = f"{answer.headers}{answer.data!r}{page.headers}{page.data!r}"
    assert "lineup_session" in sent and page.status_code == 200
    assert found["access_token"] not in sent and found["id_token"] not in sent


def test_an_answer_that_comes_twice_is_refused(driver):
    driver.provider.claims = person("mai", ["support"])
    client = driver.application.client()
    url = driver.begin(client)
    state = parameters(url)["state"]
    given = {"code": driver.provider.code_for(url), "state": state}
    cookie = client.get_cookie("lineup_oidc")
    assert client.get("/login/oidc/callback", query_string=given).status_code == 303
    thief = driver.application.client()
    again = thief.get("/login/oidc/callback", query_string=given)
    assert (again.status_code, again.json["code"]) == (400, "signin_not_begun")
    # Even with the cookie of the first: the provider takes no code twice.
    thief.set_cookie("lineup_oidc", cookie.value)
    again = thief.get("/login/oidc/callback", query_string=given)
    assert (again.status_code, again.json["code"]) == (403, "provider_refused")
    assert not is_signed_in(thief)


def test_two_tabs_that_begin_at_once_both_go_on(driver):
    """Whichever comes back first, and again when a page with the provider's answer is reloaded."""
    driver.provider.claims = person("mai", ["support"])
    client = driver.application.client()
    first = driver.begin(client, next="/?first=1")
    second = driver.begin(client, next="/?second=1")
    answer = driver.come_back(client, second)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/?second=1")
    answer = driver.come_back(client, first)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/?first=1")
    for url in (first, second):
        answer = driver.come_back(client, url)
        assert (answer.status_code, answer.headers["Location"]) == (303, "/")
    assert is_signed_in(client) and client.get_cookie("lineup_oidc") is None
    assert driver.provider.asked.count("/token") == 2, "nothing is asked for a third time"


def test_who_is_signed_in_by_then_goes_on_where_the_other_tab_gives_up(driver):
    driver.provider.claims = person("mai", ["support"])
    client = driver.application.client()
    first, second = (driver.begin(client, next=f"/?tab={tab}") for tab in (1, 2))
    assert driver.come_back(client, second).status_code == 303
    answer = driver.come_back(client, first, error="access_denied")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/?tab=1")
    assert is_signed_in(client)


def test_many_attempts_of_a_browser_stay_within_what_a_header_may_hold(driver):
    driver.provider.claims = person("mai", ["support"])
    client = driver.application.client()
    urls = []
    for number in range(12):
        urls.append(driver.begin(client, next=f"/?q={number}x{token_urlsafe(1_000)}"))
        driver.application.clock.advance(1_000)
    kept = [cookie for cookie in client._cookies.values() if "lineup_oidc" in cookie.key]
    assert sum(len(cookie.value) for cookie in kept) <= 5_000 and len(kept) >= 2
    assert driver.come_back(client, urls[0]).status_code == 400, "the oldest gave way"
    assert driver.come_back(client, urls[-1]).headers["Location"].startswith("/?q=11x")


def test_a_sign_in_may_take_a_quarter_of_an_hour(driver):
    driver.provider.claims = person("mai", ["support"])
    client = driver.application.client()
    url = driver.begin(client)
    driver.application.clock.advance(PENDING_MS + 1)
    assert driver.come_back(client, url).status_code == 400


def test_who_gave_up_at_the_provider_is_told_so(driver):
    answer = refused(driver, error="access_denied")
    assert answer.status_code == 403 and b"was cancelled" in answer.data


def test_a_provider_that_is_away_is_a_page_and_holds_nobody_up(driver, caplog):
    driver.provider.is_away = True
    client = driver.application.client()
    answer = client.get("/login/oidc", headers={"Accept": "text/html"})
    assert answer.status_code == 503 and answer.headers["Retry-After"] == "5"
    assert b"cannot be reached" in answer.data and b'id="provider"' in answer.data
    assert "the sign-in with the provider failed: away" in caplog.text
    asked = len(driver.provider.asked)
    client.get("/login/oidc")
    assert len(driver.provider.asked) == asked, "it is asked again a moment later"
    assert client.get("/login").status_code == 200


def test_who_is_in_no_named_group_has_no_account(driver):
    client, answer = driver.sign_in("eve", ["others"])
    assert answer.status_code == 403 and b"none of your groups" in answer.data
    assert not is_signed_in(client)
    said = {"reason": "no_access", "attempts": 1, "since": driver.application.clock()}
    assert acts(driver.application.database, beside="-") == [("signin.failed", None, "", said)]


def test_passwords_go_on_beside_the_provider(driver):
    driver.application.sign_in("Ken")
    page = driver.application.client().get("/login").text
    assert "Sign in with Example" in page and 'name="password"' in page


def test_without_passwords_no_door_takes_one(make_driver, database):
    driver = make_driver(database, LINEUP_SIGNIN="oidc")
    driver.application.create_admin("Ken")
    client = driver.application.client()
    page = client.get("/login?next=/settings/webhooks").text
    assert 'name="password"' not in page and "/login/oidc?next=%2Fsettings%2Fwebhooks" in page
    given = {"email": "ken@example.com", "password": PASSWORD}
    invitation = {"token": "x", "name": "Ken", "password": PASSWORD}
    chief, _ = driver.sign_in("chief", ["leads"])
    invited = {"email": "linh@example.com", "role": "admin", "desks": ["main"]}
    for answer in (
        client.post("/login", json=given),
        client.post("/login", data=given),
        client.post("/invitation", data=invitation),
        client.post("/login/code", json={"token": "x", "code": "123456"}),
        chief.post("/admin/api/invitations", json=invited),
        chief.post("/admin/api/profile/password", json={"current": "x", "password": PASSWORD}),
        chief.post("/admin/api/profile/email", json={"password": "x", "email": "x@example.com"}),
    ):
        assert (answer.status_code, answer.json["code"]) == (403, "password_signin_off")
    assert not is_signed_in(client)


def test_signing_out_leads_to_the_provider_for_who_came_from_there(driver):
    client, _ = driver.sign_in("mai", ["support"])
    assert '"signed_out":"/login/oidc/leave"' in client.get("/").text.replace(": ", ":")
    client.post("/logout", json={})
    gone = client.get("/login/oidc/leave").headers["Location"]
    assert gone.startswith(f"{ISSUER}/end?")
    assert parameters(gone)["post_logout_redirect_uri"] == "http://localhost:5000/login"
    ken = driver.application.sign_in("Ken")
    assert '"signed_out":"/login"' in ken.get("/").text.replace(": ", ":")


def test_without_a_provider_there_is_nothing(dashboard):
    assert dashboard.client().get("/login/oidc").status_code == 404
    assert dashboard.client().post("/login/oidc/logout", data={}).status_code == 404
    assert 'id="provider"' not in dashboard.client().get("/login").text
