"""An admin's own account: name, language, time zone and password."""

import pytest

from dashboard.db.accounts import oidc_accounts
from tests.dashboard.web.admin.profile.app import credentials, is_signed_in
from tests.drivers.application import PASSWORD

PROFILE = "/admin/api/profile"
MAI = {"name": "Mai", "locale": "en", "timezone": None}
NEW = "staple of a new horse"


def refused(answer, pointer: str, code: str) -> bool:
    assert answer.status_code == 422, answer.json
    return [(each["pointer"], each["code"]) for each in answer.json["errors"]] == [(pointer, code)]


def change_password(client, current: str = PASSWORD, password: str = NEW):
    return client.post(f"{PROFILE}/password", json={"current": current, "password": password})


def test_the_profile_says_what_is_set(mai):
    found = mai.get(PROFILE).json
    assert found == {
        "id": 1,
        "name": "Mai",
        "email": "mai@example.com",
        "role": "admin",
        "locale": "en",
        "timezone": None,
        "second_factor": {"enabled": False, "since": None, "recovery_codes": 0},
    }


def test_name_language_and_time_zone_are_changed_together(mai):
    chosen = {"name": "  Mai Trần ", "locale": "vi", "timezone": "Asia/Ho_Chi_Minh"}
    answer = mai.put(PROFILE, json=chosen)
    assert answer.json | {"name": "Mai Trần"} == mai.get(PROFILE).json == answer.json
    me = mai.get("/admin/api/me").json
    assert (me["name"], me["preferences"]["locale"]) == ("Mai Trần", "vi")
    assert me["preferences"]["timezone"] == "Asia/Ho_Chi_Minh"
    assert '<html lang="vi"' in mai.get("/").text
    mai.put(PROFILE, json=MAI)
    assert mai.get(PROFILE).json["timezone"] is None


@pytest.mark.parametrize(
    ("change", "pointer", "code"),
    [
        ({"name": " "}, "/name", "empty_text"),
        ({"name": "x" * 129}, "/name", "too_long"),
        ({"name": "Mai\nKen"}, "/name", "forbidden_character"),
        ({"name": "Mai\u202e"}, "/name", "forbidden_character"),
        ({"name": "\u200b"}, "/name", "empty_text"),
        ({"name": None}, "/name", "missing_field"),
        ({"locale": "fr"}, "/locale", "unknown_value"),
        ({"locale": None}, "/locale", "wrong_type"),
        ({"timezone": "Mars/Base"}, "/timezone", "unknown_value"),
        ({"timezone": "../etc/passwd"}, "/timezone", "unknown_value"),
        ({"role": "supervisor"}, "/role", "unknown_field"),
        ({"email": "chief@example.com"}, "/email", "unknown_field"),
    ],
)
def test_what_is_wrong_is_refused_where_it_stands(mai, change, pointer, code):
    assert refused(mai.put(PROFILE, json=MAI | change), pointer, code)
    assert mai.get(PROFILE).json["name"] == "Mai"


def test_a_new_name_stands_on_the_rows_of_ones_threads_in_a_new_revision(dashboard, mai):
    thread = dashboard.say("t-1")
    dashboard.say("t-2")
    mai.post(f"/admin/api/threads/{thread}/claim", json={})

    def rows():
        found = mai.get("/admin/api/threads?ids=1,2").json["rows"]
        return [(row["assignee"] and row["assignee"]["name"], row["rev"]) for row in found]

    (_, mine), others = rows()
    mai.put(PROFILE, json=MAI | {"name": "Mai Trần"})
    assert rows() == [("Mai Trần", mine + 1), others]
    assert dashboard.ranking.states(["arrival"])["arrival"].total == 2
    mai.put(PROFILE, json=MAI | {"name": "Mai Trần", "locale": "vi"})
    assert rows() == [("Mai Trần", mine + 1), others], "without another name nothing is sent"


def test_a_new_name_stands_on_the_rows_of_threads_that_one_answered(dashboard, mai, monkeypatch):
    monkeypatch.setattr("dashboard.ingest.releases.LOOKED_AT_AT_ONCE", 1)
    answered, other = dashboard.say("t-1"), dashboard.say("t-2")
    mai.post(f"/admin/api/threads/{answered}/replies", json={"body": "Hi", "token": "r-1"})
    mai.post(f"/admin/api/threads/{answered}/release", json={})

    def row(id):
        [found] = mai.get(f"/admin/api/threads?ids={id}").json["rows"]
        return (found["last"]["by"] or {}).get("name"), found["rev"]

    (name, rev), unchanged = row(answered), row(other)
    assert name == "Mai"
    mai.put(PROFILE, json=MAI | {"name": "Mai Trần"})
    assert row(answered) == ("Mai Trần", rev + 1)
    assert row(other) == unchanged


def test_a_new_password_ends_all_other_sessions(dashboard, mai):
    other = dashboard.client()
    assert other.post("/login", json=credentials()).status_code == 204
    answer = change_password(mai)
    assert (answer.status_code, answer.json) == (200, {"ended": 1})
    assert is_signed_in(mai) and not is_signed_in(other)
    assert other.post("/login", json=credentials()).status_code == 401
    assert other.post("/login", json=credentials() | {"password": NEW}).status_code == 204


def change_email(client, email: str = "mai.tran@example.com", password: str = PASSWORD):
    return client.post(f"{PROFILE}/email", json={"password": password, "email": email})


def test_with_a_new_address_one_signs_in_and_all_other_sessions_end(dashboard, mai):
    other = dashboard.client()
    assert other.post("/login", json=credentials()).status_code == 204
    answer = change_email(mai, " Mai.Tran@Example.com ")
    assert (answer.status_code, answer.json) == (200, {"ended": 1})
    assert mai.get(PROFILE).json["email"] == "mai.tran@example.com"
    assert is_signed_in(mai) and not is_signed_in(other)
    assert other.post("/login", json=credentials()).status_code == 401
    assert other.post("/login", json=credentials("mai.tran")).status_code == 204
    assert change_password(mai).status_code == 200, "the password belongs to the new address"


def test_the_same_address_again_changes_nothing(dashboard, mai):
    other = dashboard.client()
    other.post("/login", json=credentials())
    assert change_email(mai, "MAI@example.com").json["code"] == "email_taken"
    assert is_signed_in(other)


def test_a_new_address_needs_the_password_and_is_of_no_other_account(dashboard, mai):
    dashboard.create_admin("Ken")
    assert refused(change_email(mai, password="wrong password"), "/password", "wrong_password")
    assert refused(change_email(mai, email="mai"), "/email", "unknown_value")
    taken = change_email(mai, email="KEN@example.com")
    assert (taken.status_code, taken.json["code"]) == (409, "email_taken")
    assert mai.get(PROFILE).json["email"] == "mai@example.com" and is_signed_in(mai)
    codes = [change_email(mai, password="wrong password").status_code for _ in range(5)]
    assert 429 in codes


def test_an_address_that_a_provider_gives_is_changed_there(dashboard, mai):
    dashboard.database.write(lambda c: oidc_accounts.bind(c, "https://id.example", "s-1", 1, 0))
    answer = change_email(mai)
    assert (answer.status_code, answer.json["code"]) == (409, "provider_account")
    assert dashboard.client().post("/login", json=credentials()).status_code == 204


def test_a_new_password_needs_the_one_that_there_is(dashboard, mai):
    assert refused(change_password(mai, current="wrong password"), "/current", "wrong_password")
    assert is_signed_in(mai)
    assert dashboard.client().post("/login", json=credentials()).status_code == 204


def test_wrong_passwords_there_count_as_those_of_a_sign_in(mai):
    codes = [change_password(mai, current="wrong password").status_code for _ in range(6)]
    assert codes == [422] * 5 + [429]


@pytest.mark.parametrize("weak", ["short", "password1", "mai@example.com", "x" * 1_025])
def test_a_weak_password_is_refused(mai, weak):
    answer = change_password(mai, password=weak)
    assert refused(answer, "/password", "weak_password") and weak not in answer.text


def test_who_is_signed_out_has_no_profile(dashboard):
    assert dashboard.client().get(PROFILE).status_code == 401
