"""The archived threads that follow a live list, as far as the admin sees them."""

import pytest

from dashboard.db import archive
from dashboard.db.accounts import admin_desks
from dashboard.ingest.due import Archiver
from scoring.views import DAY_MS

ARCHIVE = "/admin/api/archive"
HISTORY = {"view": "history", "sort": "arrival"}


@pytest.fixture
def archived(dashboard):
    """Ids of five threads that were closed long ago, the newest first; and one that is live."""
    desks_of = {4: "sales"}
    dashboard.database.write(lambda connection: admin_desks.add(connection, "sales", 0))
    ids = []
    for number in range(5):
        ids.append(dashboard.say(f"t-{number}"))
        desk = {"desk": desks_of[number]} if number in desks_of else {}
        dashboard.happens("thread.handoff", f"t-{number}", **desk)
        dashboard.happens("thread.close", f"t-{number}")
    dashboard.clock.advance(90 * DAY_MS)
    services = dashboard.services
    Archiver(services.database, services.placer, services.clock, sleep=lambda _: None).turn()
    dashboard.say("live")
    dashboard.happens("thread.close", "live")
    return ids[::-1]


def read(client, **query):
    return client.get(ARCHIVE, query_string=query)


def test_parts_follow_each_other_with_rows_to_the_end(dashboard, archived):
    mai = dashboard.sign_in("Mai", "supervisor")
    found, after = [], {}
    for _ in range(3):
        part = read(mai, limit=2, **HISTORY, **after).json
        assert [row["id"] for row in part["rows"]] == part["ids"]
        assert part["days"] == 90
        found += zip(part["scores"], part["ids"], strict=True)
        after = {"after": ",".join(map(str, part["next"] or ()))}
    assert part["next"] is None
    assert [id for _, id in found] == archived
    assert found == sorted(found)
    assert not part["rows"][0]["open"]


def test_each_list_has_its_own(dashboard, archived):
    mai = dashboard.sign_in("Mai", "supervisor")
    dashboard.happens("thread.tags", "t-2", add=["vip"])
    view = {"name": "VIPs", "query": "tag:vip", "sort": "priority", "owner": "me"}
    vips = mai.post("/admin/api/views", json=view).json["id"]
    assert read(mai, view=vips, sort="priority").json["ids"] == [archived[2]]
    assert read(mai, query="-tag:vip", sort="longest_wait", limit=100).json["ids"] == [
        id for id in archived if id != archived[2]
    ]
    for view in ("arrival", "not_respond", "snoozed", "mentions"):
        assert read(mai, view=view, sort="arrival").json["ids"] == []
    assert read(mai, filter="mine", **HISTORY).json["ids"] == []
    assert read(mai, filter="unassigned", **HISTORY).json["ids"] == archived


def test_of_equal_scores_each_thread_is_given_once(dashboard, archived):
    """The lower id comes first, also where the range of one statement ends between them."""
    mai = dashboard.sign_in("Mai", "supervisor")
    dashboard.happens("thread.tags", "t-4", add=["vip"])
    dashboard.database.write(
        lambda c: c.exec_driver_sql("UPDATE threads SET score_arrival = 7 WHERE archived")
    )
    part = read(mai, query="tag:vip", sort="arrival", limit=1).json
    assert (part["ids"], part["next"]) == ([archived[0]], None)
    assert read(mai, **HISTORY).json["ids"] == sorted(archived)


def test_of_a_query_of_open_threads_none_is_looked_for(dashboard, archived, monkeypatch):
    mai = dashboard.sign_in("Mai", "supervisor")
    monkeypatch.setattr(archive, "last_of_chunk", None)
    for query in ({"view": "arrival"}, {"query": "is:waiting"}, {"query": "mentions:me"}):
        part = read(mai, sort="arrival", **query).json
        assert (part["ids"], part["next"]) == ([], None)


def test_those_of_these_ids_are_said_that_are_archived_and_on_the_list(dashboard, archived):
    mai = dashboard.sign_in("Mai", "supervisor")
    live = archived[0] + 1
    ids = ",".join(map(str, [live, archived[3], archived[1], 999]))
    found = read(mai, ids=ids, **HISTORY).json
    assert (found["ids"], found["next"]) == ([archived[1], archived[3]], None)
    mai.post(f"/admin/api/threads/{archived[1]}/reopen", json={})
    assert read(mai, ids=ids, **HISTORY).json["ids"] == [archived[3]]


def test_an_archived_thread_is_used_as_any_other(dashboard, archived):
    mai = dashboard.sign_in("Mai", "supervisor")
    [row] = mai.get(f"/admin/api/threads?ids={archived[1]}").json["rows"]
    assert not row["open"]
    assert mai.get(f"/admin/api/threads/{archived[1]}/messages").json["messages"]
    found = mai.get("/admin/api/search?q=hello is:closed").json
    assert {each["row"]["id"] for each in found["results"]} >= set(archived)
    explained = mai.get(f"/admin/api/threads/{archived[1]}/explain", query_string=HISTORY).json
    assert (explained["rank"], explained["total"]) == (None, 1)
    body = {"ids": archived[:2], "action": "reopen"}
    acts = [each["act"] for each in mai.post("/admin/api/threads/bulk", json=body).json["results"]]
    assert read(mai, **HISTORY).json["ids"] == archived[2:]
    assert mai.post("/admin/api/threads/undo", json={"acts": acts}).status_code == 200
    assert read(mai, **HISTORY).json["ids"] == archived


def test_an_admin_reads_the_threads_of_their_desks(dashboard, archived):
    lan = dashboard.sign_in("Lan")
    id = dashboard.create_admin("Ken")
    dashboard.database.write(lambda connection: admin_desks.save(connection, id, ["sales"]))
    assert read(lan, **HISTORY).json["ids"] == archived[1:]
    part = read(lan, limit=1, **HISTORY).json
    assert (part["ids"], part["next"]) == ([archived[1]], [part["scores"][0], archived[1]])
    assert read(lan, ids=archived[0], **HISTORY).json["ids"] == []


@pytest.mark.parametrize(
    ("query", "code", "pointer"),
    [
        ({"sort": "arrival"}, "missing_field", "/view"),
        ({"view": "v99", "sort": "arrival"}, "not_found", None),
        ({"view": "history", "sort": "none"}, "unknown_value", "/sort"),
        ({"query": "is:", "sort": "arrival"}, "invalid_query", None),
        ({"after": "1"}, "wrong_type", "/after"),
        ({"after": "1,-2"}, "wrong_type", "/after"),
        ({"after": "1,99999999999999999999"}, "number_out_of_range", "/after"),
        ({"limit": 101}, "number_out_of_range", "/limit"),
        ({"ids": "0"}, "number_out_of_range", "/ids"),
        ({"ids": "1", "after": "1,1"}, "unknown_field", "/after"),
    ],
)
def test_what_makes_no_sense_is_refused(dashboard, query, code, pointer):
    mai = dashboard.sign_in("Mai", "supervisor")
    asked = query if "sort" in query else HISTORY | query
    answer = read(mai, **asked)
    assert answer.status_code in (404, 422)
    if pointer is None:
        assert answer.json["code"] == code
    else:
        assert [(each["code"], each["pointer"]) for each in answer.json["errors"]] == [
            (code, pointer)
        ]
