"""A thread that moves to another desk leaves the screens of admins who do not see that desk."""

import pytest

from dashboard.db.accounts import admin_desks
from dashboard.errors import NotFound
from dashboard.ingest.assigning import HandOver
from tests.dashboard.desks.world import BOSS, KEN, LAN, OTHER, OWN, World
from tests.drivers.audit import OPERATOR

LIST = {"view": "arrival", "sort": "arrival", "filter": "all"}


@pytest.fixture
def world(worlds) -> World:
    return worlds[0]


def moves(world: World, thread: int, desk: str) -> None:
    world._does(world.services.assigning.hand_over, BOSS, thread, HandOver(None, desk=desk))


def events(world: World, caller) -> dict[str, list]:
    world.settle()
    found: dict[str, list] = {}
    for event, data in world.take(caller):
        found.setdefault(event, []).append(data)
    return found


def test_its_row_its_conversation_and_its_readers_go_and_come_back(world):
    lan, ken = world.connect(LAN), world.colleagues[0]
    opened = world.call(lan, "list:open", LIST | {"limit": 50})
    assert '"total":5' in opened
    world.call(lan, "thread:open", {"id": 1})
    world.call(ken, "thread:open", {"id": 1})
    events(world, lan)
    moves(world, 1, OTHER)
    world.own_happens(1)
    came = events(world, lan)
    [frame] = came["list:order"]
    assert (frame["del"], frame["total"], frame["rows"]) == ([1], 4, {})
    assert came["thread:gone"] == [{"thread_id": 1}]
    assert {"filter": "all", "arrival": 4, "not_respond": 4, "history": 0} in came["pages:totals"]
    assert not came.keys() & {"thread:message", "thread:act"}
    world.own_happens(1)
    world.call(ken, "thread:mode", {"id": 1, "mode": "typing"})
    assert events(world, lan).keys() <= {"presence:update"}
    with pytest.raises(NotFound):
        world.call(lan, "thread:open", {"id": 1})
    moves(world, 1, OWN)
    came = events(world, lan)
    assert [entry[0] for frame in came["list:order"] for entry in frame["set"]] == [1]
    assert "hello" in world.call(lan, "thread:open", {"id": 1})["row"]["preview"]["body"]


def test_who_sees_both_desks_keeps_it(world):
    ken = world.colleagues[0]
    world.call(ken, "list:open", LIST | {"limit": 50})
    world.call(ken, "thread:open", {"id": 1})
    events(world, ken)
    moves(world, 1, OTHER)
    came = events(world, ken)
    assert "thread:gone" not in came
    assert [act["type"] for act in came["thread:act"]] == ["thread.desk_changed"]
    assert came["list:order"][0]["rows"]["1"]["desk"] == OTHER


def test_who_belongs_to_no_desk_sees_nothing(world):
    world.database.write(lambda connection: admin_desks.save(connection, LAN, ()))
    lan = world.connect(LAN)
    assert '"total":0' in world.call(lan, "list:open", LIST | {"limit": 50})
    assert world.lan.get("/admin/api/threads?ids=1,2").json["rows"] == []
    assert world.lan.get("/admin/api/search?q=hello").json["total"] == 0


def test_who_sees_all_desks_has_the_lists_that_there_always_are(world):
    def kept():
        with world.database.read() as connection:
            found = "SELECT count(*) FROM query_lists WHERE desks IS NOT NULL"
            return connection.exec_driver_sql(found).scalar()

    world.call(world.colleagues[0], "list:open", LIST | {"limit": 50})
    assert kept() == 0
    world.call(world.connect(LAN), "list:open", LIST | {"limit": 50})
    assert kept() == 1


def test_an_answer_after_the_move_of_who_has_it_open_is_refused(world):
    lan = world.connect(LAN)
    world.call(lan, "thread:open", {"id": 2})
    moves(world, 2, OTHER)
    given = {"body": "Hello", "token": "t"}
    answer = world.lan.post("/admin/api/threads/2/replies", json=given)
    assert (answer.status_code, answer.json["detail"]) == (404, "There is no such thread.")


def test_a_hand_off_of_the_chatbot_releases_it_from_who_does_not_see_the_desk(world):
    world._act("claim", KEN, 5)
    for name in ("t-2", "t-5"):
        world.site.happens("thread.handoff", name, desk=OTHER)
    with world.database.read() as connection:
        held = "SELECT id, assignee_id FROM threads WHERE id IN (2, 5) ORDER BY id"
        assert [*map(tuple, connection.exec_driver_sql(held))] == [(2, None), (5, KEN)]


def test_a_deleted_customers_thread_goes_from_whoever_has_it_open(world):
    lan, boss = world.connect(LAN), world.colleagues[1]
    for caller in (lan, boss):
        world.call(caller, "list:open", LIST | {"limit": 50})
        world.call(caller, "thread:open", {"id": 1})
        world.call(caller, "thread:open", {"id": 2})
        events(world, caller)
    customer = world.call(lan, "thread:open", {"id": 1})["row"]["customer"]["id"]
    assert world.services.erasing.erase(OPERATOR, *customer.split("/")) is not None
    world.settle()
    gone = [(sid, data) for sid, event, data in world.sockets.sent if event == "thread:gone"]
    left = [sid for sid, event, data in world.sockets.sent if event == "list:order" and data["del"]]
    assert sorted(gone) == sorted((caller.sid, {"thread_id": 1}) for caller in (lan, boss))
    assert {lan.sid, boss.sid} <= {*left}
    events(world, boss)
    world.own_happens(2)
    assert "thread:gone" not in events(world, boss)
