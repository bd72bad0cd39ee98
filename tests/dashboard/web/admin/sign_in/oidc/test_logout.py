"""Back-channel logout: signing out at the provider signs out here."""

import logging
from concurrent.futures import ThreadPoolExecutor

import pytest

from dashboard.db.accounts.oidc_accounts import Signed, is_over
from dashboard.oidc import LOGOUT_SECONDS
from tests.dashboard.web.admin.sign_in.oidc.fake_provider import EVENT, ISSUER, new_key
from tests.drivers.audit import entries
from tests.servers.postgres import waits_for_a_lock
from tests.support import wait_until


def send(driver, token: str | None, **headers: str):
    """Posts as the provider does: with no cookie and no Origin."""
    client = driver.application.app.test_client()
    data = {} if token is None else {"logout_token": token}
    return client.post(
        "/login/oidc/logout", data=data, headers=headers, base_url="http://localhost:5000"
    )


def is_in(client) -> bool:
    return client.get("/admin/api/me").status_code == 200


def test_a_session_of_the_provider_ends_here_and_others_go_on(stored):
    first, _ = stored.sign_in("mai", ["support"], sid="one")
    second, _ = stored.sign_in("mai", ["support"], sid="two")
    other, _ = stored.sign_in("linh", ["support"], sid="three")
    answer = send(stored, stored.provider.logout_token(sub="mai", sid="one"))
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store")
    assert (is_in(first), is_in(second), is_in(other)) == (False, True, True)
    last = entries(stored.application.database)[-1]
    assert (last["action"], last["via"], last["target_name"], last["data"]) == (
        *("sessions.ended", "provider", "mai@example.com"),
        {"count": 1},
    )


def test_all_sessions_of_a_person_end_where_no_session_is_named(stored):
    browsers = [stored.sign_in("mai", ["support"], sid=sid)[0] for sid in ("one", "two", None)]
    assert send(stored, stored.provider.logout_token(sub="mai")).status_code == 200
    assert not any(map(is_in, browsers))
    assert send(stored, stored.provider.logout_token(sub="mai")).status_code == 200


def test_a_session_that_began_with_a_password_goes_on(driver):
    client = driver.application.sign_in("Mai")
    driver.sign_in("mai", ["support"])
    send(driver, driver.provider.logout_token(sub="mai"))
    assert is_in(client)


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://other.example"},
        {"iss": None},
        {"aud": "another"},
        {"aud": None},
        {"iat": None},
        {"jti": None},
        {"jti": ""},
        {"jti": 7},
        {"events": None},
        {"events": {}},
        {"events": [EVENT]},
        {"events": {EVENT: None}},
        {"nonce": "n"},
        {"sub": None, "sid": None},
        {"sub": 7},
        {"sid": ["one"]},
        {"sid": "x" * 256},
    ],
)
def test_a_token_that_is_no_logout_token_ends_nothing(driver, claims, caplog):
    caplog.set_level(logging.INFO, "dashboard.refused")
    client, _ = driver.sign_in("mai", ["support"], sid="one")
    answer = send(driver, driver.provider.logout_token(**{"sub": "mai", "sid": "one"} | claims))
    assert (answer.status_code, answer.json["code"]) == (400, "invalid_logout_token")
    assert answer.headers["Cache-Control"] == "no-store"
    assert is_in(client)
    assert "POST /login/oidc/logout refused to nobody at 127.0.0.1" in caplog.text


def test_old_and_coming_tokens_are_refused(driver):
    client, _ = driver.sign_in("mai", ["support"], sid="one")
    now = driver.provider.now
    for times in (
        {"exp": now - 120},
        {"iat": now + 120},
        {"iat": now - LOGOUT_SECONDS - 61},
    ):
        token = driver.provider.logout_token(sub="mai", **times)
        assert send(driver, token).status_code == 400, times
    assert is_in(client)


def test_forged_tokens_are_refused(driver):
    client, _ = driver.sign_in("mai", ["support"], sid="one")
    right = driver.provider.logout_token(sub="mai")
    head, body, signature = right.split(".")
    driver.provider.key = new_key("first")
    forged = [
        driver.provider.logout_token(sub="mai"),
        f"{head}.{body}.",
        f"{head}.{body}.{signature[:-4]}AAAA",
        "x",
        "",
        "é.é.é",
        "x" * 18_000,
    ]
    for token in forged:
        assert send(driver, token).status_code == 400, token[:20]
    assert send(driver, None).status_code in (400, 415)
    assert is_in(client)
    assert send(driver, right).status_code == 200
    assert not is_in(client)


def test_an_id_token_is_no_logout_token(driver):
    client, _ = driver.sign_in("mai", ["support"])
    now = driver.provider.now
    claims = {"sub": "mai", "iat": now, "exp": now + 60, "jti": "j"}
    base = {"iss": "https://id.example", "aud": "lineup"}
    assert send(driver, driver.provider.signed(base | claims)).status_code == 400
    logout = base | claims | {"events": {EVENT: {}}}
    assert send(driver, driver.provider.signed(logout, "at+jwt")).status_code == 400
    assert is_in(client)


def test_a_token_is_taken_once(stored):
    token = stored.provider.logout_token(sub="mai")
    assert send(stored, token).status_code == 200
    stored.application.clock.advance(2_000)
    client, _ = stored.sign_in("mai", ["support"])
    assert send(stored, token).status_code == 400
    assert is_in(client)


def test_a_sign_in_that_is_overtaken_by_the_logout_begins_no_session(stored):
    """The provider signs a person out while their code is on its way."""
    stored.sign_in("mai", ["support"])
    client = stored.application.client()
    url = stored.begin(client)
    send(stored, stored.provider.logout_token(sub="mai", sid="one"))
    stored.provider.claims |= {"sid": "one"}
    answer = stored.come_back(client, url)
    assert answer.status_code == 403 and b"signed out meanwhile" in answer.data
    assert not is_in(client)
    stored.application.clock.advance(1_000)
    client, _ = stored.sign_in("mai", ["support"], sid="one")
    assert is_in(client)


@pytest.mark.postgres
def test_a_logout_waits_for_a_sign_in_that_is_being_stored(make_driver, postgres_database):
    """It ends the session that it could not see yet."""
    driver = make_driver(postgres_database)
    client, _ = driver.sign_in("mai", ["support"])
    signed = Signed(ISSUER, "mai", None, driver.application.clock())
    with ThreadPoolExecutor() as pool, postgres_database.engine.begin() as connection:
        assert not is_over(connection, signed)
        sent = pool.submit(send, driver, driver.provider.logout_token(sub="mai"))
        wait_until(lambda: waits_for_a_lock(postgres_database), what="the logout")
        connection.commit()
        assert sent.result().status_code == 200
    assert not is_in(client)


def test_nothing_but_the_token_lets_a_call_through(driver):
    """The provider needs no Origin; the other calls of sign-in do."""
    client, _ = driver.sign_in("mai", ["support"])
    for path in ("/logout", "/login"):
        bare = driver.application.app.test_client()
        answer = bare.post(path, json={}, base_url="http://localhost:5000")
        assert (answer.status_code, answer.json["code"]) == (403, "csrf_failed")
    token = driver.provider.logout_token(sub="mai")
    bare = driver.application.app.test_client()
    url = {"base_url": "http://localhost:5000"}
    assert bare.post("/login/oidc/logout", json={"logout_token": token}, **url).status_code == 415
    assert bare.get("/login/oidc/logout", **url).status_code == 405
    assert send(driver, token, Host="evil.example").status_code == 400
    assert is_in(client)
