"""Signing in and out."""

import pytest

from dashboard.db.accounts.sessions import SESSION_IDLE_MS, connection_prefix, token_hash
from presence.people import Connection
from presence.settings import Settings
from tests.drivers.application import ORIGIN, PASSWORD

MAI = {"email": "mai@example.com", "password": PASSWORD}


@pytest.fixture
def client(dashboard):
    dashboard.create_admin("Mai")
    return dashboard.client()


def cookie(response):
    return response.headers.get("Set-Cookie", "")


def test_json_signs_in_with_a_cookie_that_scripts_cannot_read(client):
    answer = client.post("/login", json=MAI)
    assert answer.status_code == 204 and cookie(answer).startswith("lineup_session_")
    for attribute in ("HttpOnly", "SameSite=Lax", "Path=/"):
        assert attribute in cookie(answer)
    assert "Secure" not in cookie(answer)
    assert client.get("/admin/api/me").json["name"] == "Mai"


def test_the_form_leads_to_where_one_wanted_to_go(client):
    answer = client.post("/login", data=MAI | {"next": "/?x=1"})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/?x=1")
    assert cookie(answer)


@pytest.mark.parametrize(
    "goal",
    ["//evil.example", "https://evil.example", "/\\evil.example", "\\\\evil", "javascript:x", "x"],
)
def test_nobody_is_led_elsewhere(client, goal):
    answer = client.post("/login", data=MAI | {"next": goal})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/")


@pytest.mark.parametrize("goal", ["/\r\nSet-Cookie: a=b", "/\x00", "/\t/evil.example"])
def test_no_control_character_gets_into_a_header(client, goal):
    assert client.get("/login", query_string={"next": goal}).status_code == 400
    assert client.post("/login", data=MAI | {"next": goal}).status_code == 400


def test_a_wrong_password_is_an_error_on_the_page_and_a_problem(client):
    page = client.post("/login", data=MAI | {"password": "x"})
    assert page.status_code == 401
    assert b"<form" in page.data and b"mai@example.com" in page.data
    problem = client.post("/login", json=MAI | {"password": "x"})
    assert (problem.status_code, problem.json["code"]) == (401, "unauthorized")
    assert "WWW-Authenticate" in problem.headers
    assert not cookie(problem)


@pytest.mark.parametrize(
    ("asked", "locale", "title", "refusal", "later"),
    [
        ("en-GB", "en", "Sign in", "The email address or the password is wrong.", "try again in"),
        ("vi,en;q=0.5", "vi", "Đăng nhập", "Email hoặc mật khẩu không đúng.", "hãy thử lại sau"),
        ("ja", "ja", "サインイン", "メールアドレスかパスワードが違います。", "失敗が多すぎます"),
        ("fr", "en", "Sign in", "The email address or the password is wrong.", "try again in"),
    ],
)
def test_the_page_speaks_the_browsers_language(client, asked, locale, title, refusal, later):
    headers = {"Accept-Language": asked}
    page = client.get("/login", headers=headers).text
    assert f'<html lang="{locale}"' in page and f"<h1>{title}</h1>" in page
    wrong = MAI | {"password": "x"}
    assert refusal in client.post("/login", data=wrong, headers=headers).text
    for _ in range(4):
        client.post("/login", data=wrong, headers=headers)
    refused = client.post("/login", data=wrong, headers=headers)
    assert later in refused.text and refused.headers["Retry-After"] in refused.text
    assert "{seconds}" not in refused.text


def test_an_unknown_address_gets_the_same_answer_as_a_wrong_password(client):
    wrong = client.post("/login", json=MAI | {"password": "x"})
    unknown = client.post("/login", json=MAI | {"email": "bob@example.com"})
    assert wrong.json == unknown.json


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({}, "missing_field"),
        ({"email": "mai@example.com"}, "missing_field"),
        (MAI | {"email": 5}, "wrong_type"),
        (MAI | {"admin": True}, "unknown_field"),
        ([], "wrong_type"),
    ],
)
def test_a_body_that_is_not_right_is_refused(client, given, code):
    answer = client.post("/login", json=given)
    assert (answer.status_code, answer.json["code"]) == (422, code)


def test_what_is_no_json_is_refused(client):
    headers = {"Content-Type": "application/json"}
    answer = client.post("/login", data="{'a'", headers=headers)
    assert (answer.status_code, answer.json["code"]) == (400, "malformed_json")
    assert (
        client.post("/login", data="x", headers={"Content-Type": "text/plain"}).status_code == 415
    )


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/login", "application/json"),
        ("/login", "application/x-www-form-urlencoded"),
        ("/login/code", "application/json"),
        ("/login/code", "application/x-www-form-urlencoded"),
        ("/invitation", "application/x-www-form-urlencoded"),
    ],
)
def test_a_large_body_of_who_is_not_signed_in_is_not_read(client, path, kind):
    """Bad input 13: it is cheap to refuse."""
    answer = client.post(path, data=b" " * (16 * 1024 + 1), content_type=kind)
    assert (answer.status_code, answer.json["code"]) == (413, "payload_too_large")


@pytest.mark.parametrize("origin", [None, "null", "http://evil.example", "http://localhost:5001"])
@pytest.mark.parametrize("path", ["/login", "/logout"])
def test_other_pages_neither_sign_in_nor_out(client, origin, path):
    del client.environ_base["HTTP_ORIGIN"]
    headers = {"Origin": origin} if origin else {}
    answer = client.post(path, json=MAI, headers=headers)
    assert (answer.status_code, answer.json["code"]) == (403, "csrf_failed")


def test_a_cross_site_request_is_refused_whatever_its_origin(client):
    answer = client.post("/login", data=MAI, headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 403


def test_signing_out_ends_the_session_itself(client):
    client.post("/login", json=MAI)
    stolen = client.get_cookie("lineup_session").value
    assert client.post("/logout", json={}).status_code == 204
    client.set_cookie("lineup_session", stolen)
    assert client.get("/admin/api/me").status_code == 401


def test_a_session_holds_with_our_signature_alone(client):
    client.post("/login", json=MAI)
    signed = client.get_cookie("lineup_session").value
    token, _, signature = signed.rpartition(".")
    for forged in (token, f"{token}.", f"{token}.{signature[::-1]}", f".{signature}"):
        client.set_cookie("lineup_session", forged)
        assert client.get("/admin/api/me").status_code == 401, forged
    client.set_cookie("lineup_session", signed)
    assert client.get("/admin/api/me").status_code == 200


def test_a_session_that_is_not_used_ends(client, clock):
    client.post("/login", json=MAI)
    clock.advance(SESSION_IDLE_MS - 1)
    assert client.get("/admin/api/me").status_code == 200
    clock.advance(SESSION_IDLE_MS - 1)
    assert client.get("/admin/api/me").status_code == 200, "its use has moved its end on"
    clock.advance(SESSION_IDLE_MS)
    assert client.get("/admin/api/me").status_code == 401


def test_the_page_shows_no_input_as_markup(client):
    page = client.post("/login", data={"email": "<script>alert(1)</script>", "password": "x"})
    assert b"<script>alert" not in page.data


def test_who_is_signed_in_need_not_sign_in(client):
    assert client.get("/login").status_code == 200
    client.post("/login", json=MAI)
    answer = client.get("/login?next=/x")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/x")
    assert client.get("/login", headers={"Host": "evil.example"}).status_code == 400
    assert ORIGIN not in answer.headers["Location"]


def test_signing_out_ends_the_presence_of_this_session_at_once(dashboard, client):
    """R14: of all its windows, and of no other session's."""
    client.post("/login", json=MAI)
    person = str(client.get("/admin/api/me").json["id"])
    token = client.get_cookie("lineup_session").value.rpartition(".")[0]
    own = [connection_prefix(token_hash(token)) + window for window in ("one", "two")]
    people = dashboard.presence_service.admins
    for name in (*own, "another.window"):
        people.open(Connection(person, name), Settings())
    assert client.post("/logout", json={}).status_code == 204
    assert [one.id for one in people.connections_of(person)] == ["another.window"]
