"""Opening hours are saved, changed and deleted by supervisors; what is wrong is refused at its
place."""

import pytest

from tests.dashboard.web.admin.hours.calls import (
    API,
    OFFICE,
    calendar,
    saved_calendar,
    saved_policy,
)
from tests.dashboard.web.answers import is_problem

URL = f"{API}/calendars"
CHRISTMAS = {"date": "2026-12-25", "intervals": []}


def listed(client):
    return client.get(URL).json["calendars"]


def test_opening_hours_are_saved_changed_and_deleted(dashboard, sue):
    written = calendar(
        name="Office",
        timezone="Asia/Ho_Chi_Minh",
        week=OFFICE,
        exceptions=[CHRISTMAS, {"date": "2026-12-24", "intervals": [["09:00", "24:00"]]}],
    )
    made = saved_calendar(sue, **written)
    in_order = {"exceptions": written["exceptions"][::-1]}
    known = {"id": made["id"], "policies": [], "changed_at": dashboard.clock()}
    assert made == written | in_order | known
    assert listed(sue) == [made]
    changed = sue.put(f"{URL}/{made['id']}", json=written | {"week": {}}).json["calendar"]
    assert changed == made | {"week": {}, "changed_at": made["changed_at"] + 1}
    stale = written | {"changed_at": made["changed_at"]}
    answer = sue.put(f"{URL}/{made['id']}", json=stale)
    assert is_problem(answer, 409, "changed_meanwhile")
    assert answer.json["calendar"] == changed
    saved_calendar(sue, name="A first one")
    assert [each["name"] for each in listed(sue)] == ["A first one", "Office"]
    assert sue.delete(f"{URL}/{made['id']}").status_code == 204
    for gone in (sue.delete(f"{URL}/{made['id']}"), sue.put(f"{URL}/9", json=written)):
        assert is_problem(gone, 404, "not_found")


def test_names_are_given_once_and_used_hours_stay(sue):
    always, office = saved_calendar(sue), saved_calendar(sue, name="Office")
    assert is_problem(sue.post(URL, json=calendar()), 409, "name_taken")
    renamed = calendar(name="Always")
    assert is_problem(sue.put(f"{URL}/{office['id']}", json=renamed), 409, "name_taken")
    saved_policy(sue, always["id"], name="VIPs")
    saved_policy(sue, always["id"])
    answer = sue.delete(f"{URL}/{always['id']}")
    assert is_problem(answer, 409, "in_use")
    assert answer.json["policies"] == ["VIPs", "Everybody"]
    assert listed(sue)[0]["policies"] == ["VIPs", "Everybody"]


def test_only_supervisors_see_and_save_opening_hours(mai):
    for answer in (
        mai.get(URL),
        mai.post(URL, json=calendar()),
        mai.put(f"{URL}/1", json=calendar()),
        mai.delete(f"{URL}/1"),
    ):
        assert is_problem(answer, 403, "forbidden")


#: Mistakes in a calendar: the change, the place and the code.
WRONG = [
    ({"name": ""}, "/name", "empty_text"),
    ({"name": "n" * 81}, "/name", "too_long"),
    ({"name": "a\nb"}, "/name", "forbidden_character"),
    ({"name": None}, "/name", "missing_field"),
    ({"timezone": "Asia/Nowhere"}, "/timezone", "unknown_value"),
    ({"timezone": "../UTC"}, "/timezone", "unknown_value"),
    ({"timezone": 7}, "/timezone", "wrong_type"),
    ({"week": []}, "/week", "wrong_type"),
    ({"week": {"monday": []}}, "/week/monday", "unknown_field"),
    ({"week": {"mon": None}}, "/week/mon", "missing_field"),
    ({"week": {"mon": "09:00"}}, "/week/mon", "wrong_type"),
    ({"week": {"mon": ["09:00"]}}, "/week/mon/0", "wrong_type"),
    ({"week": {"mon": [{"0": "09:00", "1": "10:00"}]}}, "/week/mon/0", "wrong_type"),
    ({"week": {"mon": [["09:00"]]}}, "/week/mon/0/1", "missing_field"),
    ({"week": {"mon": [["09:00", "10:00", "11:00"]]}}, "/week/mon/0", "too_long"),
    ({"week": {"mon": [["09:00", "9:00"]]}}, "/week/mon/0/1", "unknown_value"),
    ({"week": {"mon": [["09:00", "24:01"]]}}, "/week/mon/0/1", "unknown_value"),
    ({"week": {"mon": [["24:00", "10:00"]]}}, "/week/mon/0/0", "unknown_value"),
    ({"week": {"sun": [["09:00", "10:00"], [9, "10:00"]]}}, "/week/sun/1/0", "wrong_type"),
    ({"week": {"mon": [["09:00", "10:00"]] * 51}}, "/week/mon", "too_long"),
    ({"exceptions": None}, "/exceptions", "missing_field"),
    ({"exceptions": [CHRISTMAS | {"date": "2026-02-29"}]}, "/exceptions/0/date", "unknown_value"),
    ({"exceptions": [{"date": "2026-12-25"}]}, "/exceptions/0/intervals", "missing_field"),
    ({"exceptions": [CHRISTMAS, CHRISTMAS]}, "/exceptions", "duplicate_date"),
    ({"exceptions": [CHRISTMAS] * 1_001}, "/exceptions", "too_long"),
    (
        {"exceptions": [CHRISTMAS | {"intervals": [["x", "10:00"]]}]},
        "/exceptions/0/intervals/0/0",
        "unknown_value",
    ),
    ({"colour": "red"}, "/colour", "unknown_field"),
]


def test_what_is_wrong_is_refused_at_its_place(sue):
    for given, pointer, code in WRONG:
        answer = sue.post(URL, json=calendar(**given))
        assert is_problem(answer, 422, code), (given, answer.json)
        assert answer.json["errors"][0]["pointer"] == pointer, given
    assert listed(sue) == []


@pytest.mark.parametrize("week", [{}, {"mon": []}, OFFICE])
def test_a_week_is_given_back_as_it_was_written(sue, week):
    assert saved_calendar(sue, week=week)["week"] == week


def test_there_are_at_most_fifty_calendars(sue):
    for number in range(50):
        saved_calendar(sue, name=f"{number}")
    answer = sue.post(URL, json=calendar())
    assert is_problem(answer, 422, "too_many_calendars")
    assert answer.json["errors"][0]["pointer"] == "/name"
