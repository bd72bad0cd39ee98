"""Signing in with a password and a code."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import func, select

from dashboard.db.accounts import admins
from dashboard.db.models.accounts import sessions
from dashboard.web.admin.sign_in import checks
from dashboard.web.admin.sign_in.checks import TOKEN_MS
from tests.dashboard.web.admin.profile.app import (
    App,
    credentials,
    is_signed_in,
    send_code,
    token_of,
)


def count_of_sessions(database) -> int:
    with database.read() as connection:
        return connection.scalar(select(func.count()).select_from(sessions))


def test_the_password_alone_begins_no_session(dashboard, client):
    before = count_of_sessions(dashboard.database)
    answer = client.post("/login", json=credentials())
    assert (answer.status_code, answer.json["code"]) == (401, "second_factor_required")
    assert "Set-Cookie" not in answer.headers and "WWW-Authenticate" in answer.headers
    assert not is_signed_in(client)
    assert count_of_sessions(dashboard.database) == before
    client.set_cookie("lineup_session", answer.json["token"])
    assert not is_signed_in(client), "the token of a sign-in is no session"


def test_the_code_begins_it(client, app):
    answer = send_code(client, token_of(client), app.code())
    assert answer.status_code == 204
    cookies = "\n".join(answer.headers.getlist("Set-Cookie"))
    assert "lineup_session_" in cookies and "HttpOnly" in cookies and "lineup_device_" in cookies
    assert client.get("/admin/api/me").json["name"] == "Mai"


def test_a_code_begins_one_session(dashboard, client, app):
    code = app.code()
    assert send_code(client, token_of(client), code).status_code == 204
    other = dashboard.client()
    again = send_code(other, token_of(other), code)
    assert (again.status_code, again.json["code"]) == (401, "unauthorized")
    assert not is_signed_in(other)


def test_a_recovery_code_begins_one_session(dashboard, client, app):
    code = app.recovery_codes[3]
    assert send_code(client, token_of(client), code).status_code == 204
    other = dashboard.client()
    assert send_code(other, token_of(other), code).status_code == 401


def test_codes_of_other_times_are_wrong(client, app):
    token = token_of(client)
    for steps in (-2, 2):
        assert send_code(client, token, app.code(steps)).status_code == 401
    assert send_code(client, token, app.code(1)).status_code == 204


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"token": "x"},
        {"code": "123456"},
        {"token": 5, "code": "123456"},
        {"token": "x", "code": None},
        {"token": "x", "code": "1", "email": "mai@example.com"},
        [],
    ],
)
def test_a_body_that_is_not_right_is_refused(client, body):
    assert client.post("/login/code", json=body).status_code == 422


def test_a_sign_in_takes_one_way_only(client, app):
    """Neither a code beside the password nor an old cookie replaces the second step."""
    answer = client.post("/login", json=credentials() | {"code": app.code()})
    assert (answer.status_code, answer.json["code"]) == (422, "unknown_field")
    for token in ("", "x", "x" * 5_000, "é", token_of(client)[:-2]):
        answer = send_code(client, token, app.code())
        assert (answer.status_code, answer.json["code"]) == (401, "sign_in_expired"), token[:9]


def test_a_token_of_another_account_takes_no_code_of_this_one(dashboard, client, app):
    App(dashboard, dashboard.sign_in("Ken"))
    kens = client.post("/login", json=credentials("ken")).json["token"]
    assert send_code(client, kens, app.code()).status_code == 401


def test_a_token_holds_for_five_minutes(client, app, clock):
    token = token_of(client)
    clock.advance(TOKEN_MS - 1)
    assert send_code(client, token, "000000").json["code"] == "unauthorized"
    clock.advance(1)
    assert send_code(client, token, app.code()).json["code"] == "sign_in_expired"


@pytest.mark.parametrize("change", ["password", "disabled", "removed"])
def test_a_change_of_the_account_ends_the_token(dashboard, client, app, change):
    token = token_of(client)
    with dashboard.database.read() as connection:
        mai = admins.by_email(connection, "mai@example.com").id
    if change == "password":
        dashboard.database.write(lambda c: admins.set_password(c, mai, "another hash"))
    elif change == "disabled":
        dashboard.database.write(lambda c: admins.disable(c, mai, 1))
    else:
        chief = dashboard.sign_in("Chief", "supervisor")
        reset = chief.post(f"/admin/api/team/{mai}/reset-second-factor", json={})
        assert reset.status_code == 204
    answer = send_code(client, token, app.code())
    assert (answer.status_code, answer.json["code"]) == (401, "sign_in_expired")
    assert not is_signed_in(client)


def test_sessions_from_before_the_second_factor_are_over(dashboard):
    first = dashboard.sign_in("Mai")
    second = dashboard.client()
    assert second.post("/login", json=credentials()).status_code == 204
    App(dashboard, second)
    assert is_signed_in(second) and not is_signed_in(first)


def test_wrong_codes_are_limited_and_a_right_password_resets_nothing(dashboard, client, app):
    for _ in range(5):
        assert send_code(client, token_of(client), "000000").status_code == 401
    refused = send_code(client, token_of(client), app.code())
    assert (refused.status_code, refused.json["code"]) == (429, "rate_limited")
    assert 0 < int(refused.headers["Retry-After"]) <= 60
    dashboard.clock.advance(60_000)
    dashboard.redis.flushall()
    assert send_code(client, token_of(client), app.code()).status_code == 204


def test_guessing_from_many_addresses_ends_for_all_but_known_devices(dashboard, client, app):
    def wrong(address: str) -> int:
        other = dashboard.client()
        other.environ_base["REMOTE_ADDR"] = address
        return send_code(other, token, "000000").status_code

    assert send_code(client, token_of(client), app.code()).status_code == 204
    client.delete_cookie("lineup_session")
    token = token_of(client)
    codes = [wrong(f"10.0.{number}.1") for number in range(21)]
    assert codes == [401] * 20 + [429]
    assert send_code(client, token, app.next_code()).status_code == 204


def test_a_known_device_has_few_codes_too(client, app):
    assert send_code(client, token_of(client), app.code()).status_code == 204
    client.delete_cookie("lineup_session")
    token = token_of(client)
    codes = [send_code(client, token, "000000").status_code for _ in range(11)]
    assert codes == [401] * 10 + [429]


def test_while_redis_is_away_wrong_codes_are_limited_here(dashboard, client):
    dashboard.server.connected = False
    token = token_of(client)
    codes = [send_code(client, token, "000000").status_code for _ in range(6)]
    assert codes == [401] * 5 + [429]


def test_who_does_not_know_the_password_learns_nothing_of_the_second_factor(dashboard, client):
    dashboard.create_admin("Ken")
    wrong = {"password": "wrong password"}
    with_factor = client.post("/login", json=credentials() | wrong)
    without = client.post("/login", json=credentials("ken") | wrong)
    unknown = client.post("/login", json=credentials("nobody") | wrong)
    assert with_factor.json == without.json == unknown.json
    assert [*with_factor.headers.keys()] == [*unknown.headers.keys()]


def test_a_password_is_hashed_once_whether_or_not_there_is_a_second_factor(
    client, app, monkeypatch
):
    """The step that takes time is the same for all: one hash."""
    hashed: list[str | None] = []

    def matches(password, password_hash):
        hashed.append(password_hash)
        return False

    monkeypatch.setattr(checks, "matches", matches)
    for name in ("mai", "nobody"):
        client.post("/login", json=credentials(name))
    assert [each is None for each in hashed] == [False, True]


def test_of_several_sign_ins_with_one_code_at_the_same_time_one_gets_a_session(
    dashboard, client, app
):
    token, code = token_of(client), app.code()
    before = count_of_sessions(dashboard.database)
    together = threading.Barrier(4)

    def sign_in(_: int) -> int:
        own = dashboard.client()
        together.wait()
        return send_code(own, token, code).status_code

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(sign_in, range(4))) == [204, 401, 401, 401]
    assert count_of_sessions(dashboard.database) == before + 1


def test_other_pages_cannot_send_a_code(client, app):
    token = token_of(client)
    del client.environ_base["HTTP_ORIGIN"]
    answer = client.post(
        "/login/code",
        json={"token": token, "code": app.code()},
        headers={"Origin": "http://evil.example"},
    )
    assert (answer.status_code, answer.json["code"]) == (403, "csrf_failed")


def test_a_large_body_is_not_read(client):
    answer = client.post("/login/code", json={"token": "x" * 20_000, "code": "1"})
    assert answer.status_code == 413


def test_signing_in_ends_the_session_that_the_browser_had(dashboard):
    client = dashboard.sign_in("Mai")
    old = client.get_cookie("lineup_session").value
    assert client.post("/login", json=credentials()).status_code == 204
    assert is_signed_in(client) and client.get_cookie("lineup_session").value != old
    client.set_cookie("lineup_session", old)
    assert not is_signed_in(client)
