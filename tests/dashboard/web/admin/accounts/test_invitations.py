"""Supervisors invite by a link, with which somebody makes an account of their own."""

import pytest
from sqlalchemy import select

from dashboard.db.accounts.invitations import KEPT_MS, VALID_MS
from dashboard.db.models.accounts import invitations
from dashboard.errors import StorageUnavailable
from tests.dashboard.web.admin.accounts.calls import API, account, token_of
from tests.dashboard.web.admin.profile.test_own_sessions import FIREFOX
from tests.drivers.application import ORIGIN, PASSWORD

EMAIL = "lan@example.com"


@pytest.fixture
def chief(dashboard):
    return dashboard.sign_in("Chief", "supervisor")


def invite(client, email: str = EMAIL, **more):
    return client.post(f"{API}/invitations", json={"email": email, "role": "admin"} | more)


@pytest.fixture
def token(chief) -> str:
    return token_of(invite(chief).json["link"])


def use(client, token: str, name: str = "Lan", password: str = PASSWORD):
    form = {"token": token, "name": name, "password": password}
    return client.post("/invitation", data=form)


def look(client, token: str, **headers: str):
    return client.post("/invitation", data={"token": token}, headers=headers)


def test_a_link_is_answered_once_and_only_a_hash_is_stored(dashboard, chief):
    answer = invite(chief, " Lan@Example.com", name="Lan", desks=["main"])
    assert answer.status_code == 201
    made = answer.json["invitation"]
    assert (made["email"], made["name"], made["desks"]) == (EMAIL, "Lan", ["main"])
    assert made["expires_at"] - made["created_at"] == VALID_MS == 7 * 86_400_000
    link = answer.json["link"]
    assert link.startswith(f"{ORIGIN}/invitation#") and len(token_of(link)) == 43
    listed = chief.get(f"{API}/accounts")
    assert listed.json["invitations"] == [made] and token_of(link) not in listed.text
    with dashboard.database.read() as connection:
        row = connection.execute(select(invitations)).one()
    assert not any(token_of(link) in str(value) for value in row)


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"email": "lan"}, "/email"),
        ({"email": "lan@"}, "/email"),
        ({"email": f"{'x' * 250}@example.com"}, "/email"),
        ({"role": "boss"}, "/role"),
        ({"role": None}, "/role"),
        ({"desks": ["none"]}, "/desks"),
        ({"desks": []}, "/desks"),
        ({"name": "a\nb"}, "/name"),
    ],
)
def test_what_is_wrong_is_named(chief, change, pointer):
    answer = invite(chief, **{"email": EMAIL} | change)
    assert (answer.status_code, answer.json["errors"][0]["pointer"]) == (422, pointer)
    assert chief.get(f"{API}/accounts").json["invitations"] == []


def test_an_address_that_an_account_has_is_refused(chief, mai):
    answer = invite(chief, "MAI@example.com")
    assert (answer.status_code, answer.json["code"]) == (409, "email_taken")


def test_the_page_shows_for_whom_it_is_and_makes_the_account(dashboard, chief):
    token = token_of(invite(chief, name="Lan Anh", role="supervisor").json["link"])
    browser = dashboard.client()
    first = browser.get("/invitation")
    assert first.status_code == 200 and first.headers["Cache-Control"] == "no-store"
    assert "js/invitation" in first.text and 'id="token"' in first.text
    shown = look(browser, token)
    assert shown.status_code == 200 and EMAIL in shown.text and 'value="Lan Anh"' in shown.text
    answer = use(browser, token, "Lan")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/")
    assert browser.get(f"{API}/me").json["email"] == EMAIL
    made = account(chief, "Lan")
    assert (made["role"], made["desks"]) == ("supervisor", ["main"])
    given = {"email": EMAIL, "password": PASSWORD}
    assert dashboard.client().post("/login", json=given).status_code == 204


def test_the_first_session_of_an_account_is_known_by_its_browser(dashboard, token):
    browser = dashboard.client()
    browser.environ_base["HTTP_USER_AGENT"] = FIREFOX
    use(browser, token)
    [session] = browser.get(f"{API}/profile/sessions").json["sessions"]
    assert (session["address"], session["browser"]) == ("127.0.0.1", "Firefox")


def test_a_new_account_ends_the_session_that_the_browser_had(dashboard, token):
    browser = dashboard.sign_in("Mai")
    old = browser.get_cookie("lineup_session").value
    use(browser, token)
    assert browser.get(f"{API}/me").json["email"] == EMAIL
    browser.set_cookie("lineup_session", old)
    assert browser.get(f"{API}/me").status_code == 401


def test_an_account_without_a_session_is_not_made(dashboard, chief, token, monkeypatch):
    """The link may be used again."""

    def fail(*_):
        raise StorageUnavailable()

    monkeypatch.setattr("dashboard.db.accounts.sessions.begin", fail)
    assert use(dashboard.client(), token).status_code == 503
    monkeypatch.undo()
    assert use(dashboard.client(), token).status_code == 303


def test_a_link_is_for_one_use(dashboard, chief, token):
    assert use(dashboard.client(), token).status_code == 303
    again = use(dashboard.client(), token, "Eve")
    assert again.status_code == 410 and "used already" in again.text
    assert EMAIL not in again.text
    assert len(chief.get(f"{API}/accounts").json["accounts"]) == 2
    assert chief.get(f"{API}/accounts").json["invitations"] == []


def test_a_link_that_expired_was_withdrawn_or_is_unknown_says_so(dashboard, chief, token, clock):
    browser = dashboard.client()
    unknown = look(browser, token[:-1] + "~")
    assert unknown.status_code == 404 and "not valid" in unknown.text
    made = chief.get(f"{API}/accounts").json["invitations"][0]
    path = f"{API}/invitations/{made['id']}"
    assert chief.delete(path).status_code == 204
    assert chief.delete(path).status_code == 404
    assert chief.get(f"{API}/accounts").json["invitations"] == []
    withdrawn = use(browser, token)
    assert withdrawn.status_code == 410 and "withdrawn" in withdrawn.text
    late = token_of(invite(chief, "late@example.com").json["link"])
    clock.advance(VALID_MS - 1)
    assert look(browser, late).status_code == 200
    clock.advance(1)
    expired = use(browser, late)
    assert expired.status_code == 410 and "expired" in expired.text


def test_a_new_invitation_of_an_address_replaces_the_older(dashboard, chief, token):
    newer = invite(chief, role="supervisor").json
    assert [each["role"] for each in chief.get(f"{API}/accounts").json["invitations"]] == [
        "supervisor"
    ]
    assert look(dashboard.client(), token).status_code == 404
    assert look(dashboard.client(), token_of(newer["link"])).status_code == 200


def test_an_address_that_became_no_account_is_forgotten(dashboard, chief, token, clock):
    clock.advance(VALID_MS + KEPT_MS)
    chief = dashboard.sign_in("Later", "supervisor")
    invite(chief, "other@example.com")
    with dashboard.database.read() as connection:
        kept = list(connection.scalars(select(invitations.c.email)))
    assert kept == ["other@example.com"]


@pytest.mark.parametrize(
    ("password", "said"),
    [
        ("short", "8 to 1,024"),
        ("lan@example.com", "own address"),
        ("password2026", "easy to guess"),
    ],
)
def test_a_weak_password_is_refused_with_its_reason_and_the_form_stays(
    dashboard, token, password, said
):
    answer = use(dashboard.client(), token, "Lan <b>", password)
    assert answer.status_code == 422 and said in answer.text
    assert 'value="Lan &lt;b&gt;"' in answer.text and f'value="{token}"' in answer.text
    assert password not in answer.text.replace(EMAIL, "")
    assert use(dashboard.client(), token).status_code == 303


@pytest.mark.parametrize("name", ["", " ", "x" * 129, "a\u202eb"])
def test_a_name_that_cannot_be_shown_is_refused(dashboard, token, name):
    answer = use(dashboard.client(), token, name)
    assert answer.status_code == 422 and "visible characters" in answer.text


def test_the_page_is_in_the_language_of_the_browser(dashboard, token):
    vi = {"Accept-Language": "vi"}
    assert "Tạo tài khoản" in look(dashboard.client(), token, **vi).text
    ja = look(dashboard.client(), "x", **{"Accept-Language": "ja"})
    assert "無効です" in ja.text and '<html lang="ja"' in ja.text


def test_forms_of_other_sites_and_other_bodies_are_refused(dashboard, token):
    evil = look(dashboard.client(), token, Origin="https://evil.example")
    assert (evil.status_code, evil.json["code"]) == (403, "csrf_failed")
    json = dashboard.client().post("/invitation", json={"token": token})
    assert json.status_code == 415
    large = dashboard.client().post("/invitation", data={"token": "x" * 20_000})
    assert large.status_code == 413


def test_the_61st_wrong_link_in_a_minute_from_an_address_is_refused(dashboard, token, clock):
    browser = dashboard.client()
    # Links that let somebody in do not count as attempts.
    assert [look(browser, token).status_code for _ in range(70)] == [200] * 70
    assert [look(browser, "wrong").status_code for _ in range(61)] == [404] * 60 + [429]
    refused = use(browser, token)
    assert refused.status_code == 429 and 0 < int(refused.headers["Retry-After"]) <= 60
    other = dashboard.client()
    other.environ_base["REMOTE_ADDR"] = "192.0.2.1"
    assert use(other, token).status_code == 303


def test_an_account_that_a_command_made_meanwhile_is_not_replaced(dashboard, chief, token):
    dashboard.create_admin("Lan")
    assert use(dashboard.client(), token, "Eve").status_code == 410
    assert account(chief, "Lan")["email"] == EMAIL


@pytest.mark.parametrize("end", ["disable", "role"])
def test_invitations_end_with_the_account_or_the_role_of_who_made_them(
    dashboard, chief, token, end
):
    """Otherwise a supervisor could keep a way to come back in."""
    other, id = dashboard.sign_in("Other", "supervisor"), account(chief, "Chief")["id"]
    kept = token_of(invite(other, "kept@example.com").json["link"])
    if end == "disable":
        assert other.post(f"{API}/accounts/{id}/disable", json={}).status_code == 200
    else:
        assert other.put(f"{API}/accounts/{id}", json={"role": "admin"}).status_code == 200
    assert look(dashboard.client(), token).status_code == 410
    assert look(dashboard.client(), kept).status_code == 200
