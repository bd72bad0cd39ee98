"""Setting up a second factor, new recovery codes, removing and resetting it."""

import base64
import re

import pytest

from tests.dashboard.web.admin.profile.app import (
    SECOND_FACTOR,
    App,
    credentials,
    is_signed_in,
    send_code,
    token_of,
)
from tests.drivers.application import PASSWORD


@pytest.fixture
def app(dashboard, mai):
    return App(dashboard, mai)


def proven(client, path: str, code: str, password: str = PASSWORD):
    return client.post(f"{SECOND_FACTOR}/{path}", json={"password": password, "code": code})


def state(client):
    return client.get("/admin/api/profile").json["second_factor"]


def errors(answer):
    return [(each["pointer"], each["code"]) for each in answer.json["errors"]]


def test_the_set_up_shows_a_secret_once_also_as_a_picture(mai):
    answer = mai.post(SECOND_FACTOR, json={"password": PASSWORD})
    assert answer.status_code == 201 and answer.headers["Cache-Control"] == "no-store"
    assert re.fullmatch("[A-Z2-7]{32}", answer.json["secret"])
    assert answer.json["secret"] in answer.json["uri"]
    assert answer.json["qr_code"].startswith("data:image/svg+xml")
    assert "<script" not in answer.json["qr_code"] and "style=" not in answer.json["qr_code"]
    assert state(mai)["enabled"] is False


def test_the_set_up_needs_the_password(mai):
    answer = mai.post(SECOND_FACTOR, json={"password": "wrong password"})
    assert answer.status_code == 422 and errors(answer) == [("/password", "wrong_password")]


def test_the_first_code_confirms_it_and_gives_recovery_codes(dashboard, mai, app):
    assert state(mai) == {"enabled": True, "since": dashboard.clock(), "recovery_codes": 10}
    assert len(set(app.recovery_codes)) == 10
    shape = "([0-9A-HJKMNP-TV-Z]{4}-){5}[0-9A-HJKMNP-TV-Z]{4}"
    assert all(re.fullmatch(shape, code) for code in app.recovery_codes)


def test_a_wrong_first_code_confirms_nothing(dashboard, mai):
    mai.post(SECOND_FACTOR, json={"password": PASSWORD})
    answer = mai.post(f"{SECOND_FACTOR}/confirm", json={"code": "000000"})
    assert answer.status_code == 422 and errors(answer) == [("/code", "wrong_code")]
    assert state(mai)["enabled"] is False
    assert dashboard.client().post("/login", json=credentials()).status_code == 204


def test_without_a_set_up_no_code_is_right(mai):
    assert mai.post(f"{SECOND_FACTOR}/confirm", json={"code": "123456"}).status_code == 422


def test_one_that_counts_is_not_replaced(mai, app):
    again = mai.post(SECOND_FACTOR, json={"password": PASSWORD})
    assert (again.status_code, again.json["code"]) == (409, "second_factor_on")
    again = mai.post(f"{SECOND_FACTOR}/confirm", json={"code": app.code()})
    assert (again.status_code, again.json["code"]) == (409, "second_factor_on")


@pytest.mark.parametrize("path", ["remove", "recovery-codes"])
def test_what_weakens_it_needs_password_and_code(mai, app, path):
    answer = proven(mai, path, app.code(), "wrong password")
    assert answer.status_code == 422 and errors(answer) == [("/password", "wrong_password")]
    answer = proven(mai, path, "000000")
    assert answer.status_code == 422 and errors(answer) == [("/code", "wrong_code")]
    assert state(mai) | {"since": 0} == {"enabled": True, "since": 0, "recovery_codes": 10}


@pytest.mark.parametrize("path", ["remove", "recovery-codes"])
def test_where_there_is_none_there_is_nothing_to_change(mai, path):
    answer = proven(mai, path, "123456")
    assert (answer.status_code, answer.json["code"]) == (409, "second_factor_off")


def test_new_recovery_codes_end_those_before(dashboard, mai, app):
    made = proven(mai, "recovery-codes", app.code()).json["recovery_codes"]
    assert len(made) == 10 and not set(made) & set(app.recovery_codes)
    client = dashboard.client()
    assert send_code(client, token_of(client), app.recovery_codes[0]).status_code == 401
    assert send_code(client, token_of(client), made[0]).status_code == 204
    assert state(mai)["recovery_codes"] == 9


@pytest.mark.parametrize("by", ["app", "recovery code"])
def test_once_it_is_removed_the_password_is_enough(dashboard, mai, app, by):
    client = dashboard.client()
    assert send_code(client, token_of(client), app.recovery_codes[0]).status_code == 204
    code = app.code() if by == "app" else app.recovery_codes[1]
    assert proven(mai, "remove", code).status_code == 204
    assert state(mai) == {"enabled": False, "since": None, "recovery_codes": 0}
    assert is_signed_in(mai) and not is_signed_in(client), "all other sessions are over"
    assert dashboard.client().post("/login", json=credentials()).status_code == 204


def test_wrong_codes_there_are_limited_too(mai, app):
    codes = [proven(mai, "remove", "000000").status_code for _ in range(11)]
    assert codes == [422] * 10 + [429]


def test_the_secret_is_for_the_app_alone(mai, app, caplog):
    """It is in no answer but the first, and in no line of the log."""
    shown = mai.get("/admin/api/profile").text + mai.get("/").text + caplog.text
    assert app.secret not in shown
    assert base64.b32encode(app.secret.encode()).decode() not in shown


# Supervisors


@pytest.fixture
def chief(dashboard, app):
    return dashboard.sign_in("Chief", "supervisor")


def reset(client, admin_id: int):
    return client.post(f"/admin/api/team/{admin_id}/reset-second-factor", json={})


def with_factor(client) -> set[str]:
    found = client.get("/admin/api/accounts").json["accounts"]
    return {each["name"] for each in found if each["second_factor"]}


def test_a_supervisor_resets_it_for_who_has_lost_it(dashboard, mai, app, chief):
    assert with_factor(chief) == {"Mai"}
    assert reset(chief, 1).status_code == 204
    assert with_factor(chief) == set()
    assert not is_signed_in(mai)
    client = dashboard.client()
    assert client.post("/login", json=credentials()).status_code == 204
    assert state(client)["enabled"] is False


def test_admins_reset_nobodys_and_supervisors_not_their_own(mai, app, chief):
    for client, id in ((mai, 1), (mai, 2), (chief, 2)):
        answer = reset(client, id)
        assert (answer.status_code, answer.json["code"]) == (403, "forbidden")
    assert reset(chief, 99).status_code == 404
    assert state(mai)["enabled"]
