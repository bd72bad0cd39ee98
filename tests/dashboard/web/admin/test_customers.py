"""Supervisors delete all that is kept of a customer."""

import pytest

from dashboard.errors import StorageUnavailable
from dashboard.presence import erasing
from dashboard.web.admin.customers import TRACES_SECONDS

URL = "/admin/api/customers/delete"
MAI = {"source": "shop", "customer": "mai"}


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(erasing, "REPORTED_SECONDS", 0)


@pytest.fixture
def boss(dashboard):
    return dashboard.sign_in("Boss", "supervisor")


def test_all_threads_of_a_customer_are_deleted_and_nobody_elses(dashboard, boss):
    for thread, customer in (("t-1", "mai"), ("t-2", "mai"), ("t-3", "ken")):
        dashboard.say(thread, "hello", customer=customer)
    answer = boss.post(URL, json=MAI)
    assert (answer.status_code, answer.json) == (200, {"threads": 2, "events": 2})
    left = boss.get("/admin/api/threads?ids=1,2,3").json
    assert [row["thread"] for row in left["rows"]] == ["t-3"] and left["missing"] == [1, 2]
    again = boss.post(URL, json=MAI)
    assert (again.status_code, again.json["code"]) == (404, "not_found")


def test_admins_who_are_no_supervisors_are_refused(dashboard, mai):
    dashboard.say("t-1", "hello", customer="mai")
    refused = mai.post(URL, json=MAI)
    assert (refused.status_code, refused.json["code"]) == (403, "forbidden")
    assert mai.get("/admin/api/threads?ids=1").json["missing"] == []


@pytest.mark.parametrize(
    "change", [{"source": "other"}, {"customer": "nobody"}, {"source": "Shop"}, {"customer": "MAI"}]
)
def test_a_customer_who_is_not_known_is_said_to_be(dashboard, boss, change):
    dashboard.say("t-1", "hello", customer="mai")
    assert boss.post(URL, json=MAI | change).status_code == 404
    assert boss.get("/admin/api/threads?ids=1").json["missing"] == []


def test_a_customer_is_deleted_while_redis_is_away(dashboard, boss):
    dashboard.say("t-1", "hello", customer="mai")
    dashboard.server.connected = False
    assert boss.post(URL, json=MAI).json == {"threads": 1, "events": 1}


def test_traces_that_are_left_are_removed_by_a_second_call(dashboard, boss, monkeypatch):
    dashboard.say("t-1", "hello", customer="mai")
    removed = []

    def remove(database, seconds) -> None:
        removed.append(seconds)
        if len(removed) == 1:
            raise StorageUnavailable("The log of the database is in use; it was not emptied.")

    monkeypatch.setattr(erasing.erasures, "remove", remove)
    assert boss.post(URL, json=MAI).status_code == 503
    assert boss.post(URL, json=MAI).status_code == 404
    assert removed == [TRACES_SECONDS] * 2 and TRACES_SECONDS < 15, "pages wait 15 s for all of it"
