"""Desks that supervisors list and create, and the tags of threads with their counts."""

import pytest

API = "/admin/api"


@pytest.fixture
def chief(dashboard):
    return dashboard.sign_in("Chief", "supervisor")


def test_desks_are_for_supervisors(mai):
    assert mai.get(f"{API}/desks").status_code == 403
    answer = mai.post(f"{API}/desks", json={"name": "billing"})
    assert (answer.status_code, answer.json["code"]) == (403, "forbidden")


def test_a_desk_is_created_and_listed_with_its_sources_and_accounts(dashboard, mai, chief):
    dashboard.say("t")
    made = chief.post(f"{API}/desks", json={"name": "billing"})
    assert (made.status_code, made.json) == (
        201,
        {"name": "billing", "sources": [], "accounts": 0},
    )
    assert chief.get(f"{API}/desks").json == {
        "desks": [
            {"name": "main", "sources": ["shop"], "accounts": 2},
            {"name": "billing", "sources": [], "accounts": 0},
        ]
    }
    taken = chief.post(f"{API}/desks", json={"name": "billing"})
    assert (taken.status_code, taken.json["code"]) == (409, "name_taken")


def test_the_threads_of_a_new_desk_are_hidden_from_those_who_do_not_belong_to_it(
    dashboard, mai, chief
):
    """An admin of all desks sees every thread; with one desk more that is no longer so."""
    id = dashboard.say("t")
    chief.post(f"{API}/desks", json={"name": "billing"})
    assert mai.get(f"{API}/threads/{id}/messages").status_code == 200
    chief.post(f"{API}/threads/{id}/assign", json={"admin_id": None, "desk": "billing"})
    assert mai.get(f"{API}/threads/{id}/messages").status_code == 404


@pytest.mark.parametrize("name", ["Billing", "", "a b", "x" * 33, 5])
def test_a_wrong_name_is_refused(chief, name):
    answer = chief.post(f"{API}/desks", json={"name": name})
    assert (answer.status_code, answer.json["errors"][0]["pointer"]) == (422, "/name")
    assert [desk["name"] for desk in chief.get(f"{API}/desks").json["desks"]] == ["main"]


def test_tags_are_counted_in_the_threads_that_the_admin_sees(dashboard, mai, chief):
    chief.post(f"{API}/desks", json={"name": "billing"})
    ids = [dashboard.say(f"t-{number}") for number in range(3)]
    for id, tags in zip(ids, (["vip"], ["vip", "refund"], ["refund", "vip"]), strict=True):
        chief.put(f"{API}/threads/{id}/tags", json={"add": tags, "remove": []})
    chief.post(f"{API}/threads/{ids[2]}/assign", json={"admin_id": None, "desk": "billing"})
    rows = [{"tag": "vip", "threads": 3}, {"tag": "refund", "threads": 2}]
    assert chief.get(f"{API}/tags").json == {"tags": rows, "counted": 3}
    rows = [{"tag": "vip", "threads": 2}, {"tag": "refund", "threads": 1}]
    assert mai.get(f"{API}/tags").json == {"tags": rows, "counted": 2}
