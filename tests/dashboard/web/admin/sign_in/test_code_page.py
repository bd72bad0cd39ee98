"""The second step of a sign-in by forms, which work without scripts."""

import pytest

from dashboard.web.admin.sign_in.checks import TOKEN_MS
from tests.dashboard.web.admin.profile.app import credentials, is_signed_in


def test_the_form_leads_to_a_page_for_the_code_and_from_there_on(client, app):
    asked = client.post("/login", data=credentials() | {"next": "/?x=1"})
    assert (asked.status_code, asked.headers["Location"]) == (303, "/login/code?next=/%3Fx%3D1")
    cookie = asked.headers["Set-Cookie"]
    for part in (
        "lineup_signin_",
        "HttpOnly",
        "SameSite=Strict",
        "Path=/login/code",
        "Max-Age=300",
    ):
        assert part in cookie
    page = client.get(asked.headers["Location"])
    assert page.status_code == 200 and 'autocomplete="one-time-code"' in page.text
    assert 'name="next" value="/?x=1"' in page.text

    wrong = client.post("/login/code", data={"code": "000000", "next": "/?x=1"})
    assert wrong.status_code == 401 and "The code is wrong" in wrong.text
    done = client.post("/login/code", data={"code": app.code(), "next": "/?x=1"})
    assert (done.status_code, done.headers["Location"]) == (303, "/?x=1")
    assert client.get_cookie("lineup_signin", path="/login/code") is None
    assert is_signed_in(client)


def test_the_form_takes_a_recovery_code(client, app):
    client.post("/login", data=credentials())
    page = client.get("/login/code?by=recovery")
    assert "Recovery code" in page.text and "one-time-code" not in page.text
    wrong = client.post("/login/code", data={"code": "no", "by": "recovery"})
    assert "Recovery code" in wrong.text
    assert client.post("/login/code", data={"code": app.recovery_codes[0]}).status_code == 303
    assert is_signed_in(client)


def test_without_a_sign_in_under_way_the_page_leads_to_its_beginning(client):
    answer = client.get("/login/code?next=/x")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/login?next=/x")


def test_a_form_that_comes_too_late_leads_to_the_beginning(client, app, clock):
    client.post("/login", data=credentials())
    clock.advance(TOKEN_MS)
    late = client.post("/login/code", data={"code": app.code()})
    assert late.status_code == 401 and "begin again" in late.text and 'name="password"' in late.text
    assert client.get_cookie("lineup_signin", path="/login/code") is None


def test_a_tab_whose_sign_in_another_one_completed_goes_on(client, app):
    client.post("/login", data=credentials() | {"next": "/?x=1"})
    assert client.post("/login/code", data={"code": app.code()}).status_code == 303
    again = client.post("/login/code", data={"code": app.code(), "next": "/?x=1"})
    assert (again.status_code, again.headers["Location"]) == (303, "/?x=1")
    assert client.get("/login/code?next=/x").headers["Location"] == "/login?next=/x"
    assert client.get("/login?next=/x").headers["Location"] == "/x"


@pytest.mark.parametrize(
    ("locale", "title", "refusal"),
    [
        ("en", "Confirm that it is you", "The code is wrong"),
        ("vi", "Xác nhận đó là bạn", "Mã sai"),
        ("ja", "本人確認", "コードが違うか"),
    ],
)
def test_the_page_speaks_the_browsers_language(client, locale, title, refusal):
    headers = {"Accept-Language": locale}
    client.post("/login", data=credentials(), headers=headers)
    page = client.get("/login/code", headers=headers).text
    assert f'<html lang="{locale}"' in page and f"<h1>{title}</h1>" in page
    wrong = client.post("/login/code", data={"code": "1"}, headers=headers)
    assert refusal in wrong.text
    for _ in range(4):
        client.post("/login/code", data={"code": "1"}, headers=headers)
    refused = client.post("/login/code", data={"code": "1"}, headers=headers)
    assert refused.status_code == 429 and refused.headers["Retry-After"] in refused.text


@pytest.mark.parametrize("goal", ["//evil.example", "https://evil.example", "/\\evil.example"])
def test_nobody_is_led_elsewhere(client, app, goal):
    asked = client.post("/login", data=credentials() | {"next": goal})
    assert asked.headers["Location"] == "/login/code?next=/"
    done = client.post("/login/code", data={"code": app.code(), "next": goal})
    assert done.headers["Location"] == "/"
