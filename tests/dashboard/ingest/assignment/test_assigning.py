"""Threads are handed over: neither their place nor their wait changes."""

import threading

import pytest

from dashboard.db.accounts import admins
from dashboard.db.models.threads import events
from dashboard.errors import Invalid, NotFound, Problem
from dashboard.ingest.assigning import Assigning, HandOver
from dashboard.ingest.outgoing import Admin
from dashboard.ingest.undo import Undo
from tests.dashboard.ingest.shop import Shop, new_admin
from tests.dashboard.ingest.test_outbox import Reader
from tests.drivers.ranking import entered, left


@pytest.fixture
def assigning(any_database, clock) -> Assigning:
    return Assigning(any_database, clock)


@pytest.fixture
def ken(any_database) -> Admin:
    return Admin(new_admin(any_database, "Ken"), "Ken")


@pytest.fixture
def boss(any_database) -> Admin:
    return Admin(new_admin(any_database, "Boss", "supervisor"), "Boss", "supervisor")


@pytest.fixture
def thread(shop) -> int:
    return shop.says(0, fields={"member_status": 3}).thread_id


def test_a_thread_that_nobody_has_goes_to_a_colleague(shop, assigning, linh, ken, thread, clock):
    """Case E17."""
    shop.says(1, thread="other")
    before = shop.listed("not_respond", "longest_wait"), shop.row()["waiting_since"]
    act, placements = assigning.hand_over(linh, thread, HandOver(ken.id))
    assert act is not None
    assert shop.row()["assignee"] == {"id": ken.id, "name": "Ken"}
    assert entered(placements[0]) == {"arrival", "not_respond"} and not left(placements[0])
    assert placements[0].assignee_id == ken.id
    assert (shop.listed("not_respond", "longest_wait"), shop.row()["waiting_since"]) == before
    [event] = Reader(shop).read()
    assert event.type == "thread.assigned"
    assert event.data["by"] == {"id": linh.id, "name": "Linh"}
    assert event.data["assignee"] == {"id": ken.id, "name": "Ken"}


def test_a_note_is_stored_with_the_act_and_goes_to_no_chatbot(shop, assigning, linh, ken, thread):
    given = HandOver(ken.id, "She has called twice.")
    assigning.hand_over(linh, thread, given)
    note = shop.conversation()[-1]
    assert (note["body"], note["private"]) == ("She has called twice.", True)
    assert note["author"] == {"id": linh.id, "name": "Linh"}
    row = shop.row()
    assert row["assignee"]["name"] == "Ken" and row["waiting_since"] is not None
    assert Reader(shop).types() == ["thread.assigned"]
    assert assigning.hand_over(ken, thread, given) == (None, []), "Ken has it already"
    assert len(shop.conversation()) == 2, "a repeated request writes no second note"


def test_what_a_colleague_has_is_handed_over_by_them_and_by_supervisors(
    shop, assigning, linh, ken, boss, thread
):
    assigning.hand_over(linh, thread, HandOver(linh.id))
    with pytest.raises(Problem) as refused:
        assigning.hand_over(ken, thread, HandOver(ken.id, "Mine!"))
    assert (refused.value.status, refused.value.code) == (409, "already_claimed")
    assert refused.value.extra["assignee"] == {"id": linh.id, "name": "Linh"}
    assert len(shop.conversation()) == 1, "and nothing was written"
    assigning.hand_over(linh, thread, HandOver(ken.id))
    assigning.hand_over(boss, thread, HandOver(boss.id))
    assert shop.row()["assignee"]["name"] == "Boss"
    assigning.hand_over(boss, thread, HandOver(None))
    assert shop.row()["assignee"] is None


def test_it_goes_to_nobody_who_takes_no_threads(shop, assigning, linh, ken, thread, clock):
    shop.database.write(lambda connection: admins.disable(connection, ken.id, clock.now_ms))
    for admin_id in (ken.id, 999):
        with pytest.raises(Invalid) as refused:
            assigning.hand_over(linh, thread, HandOver(admin_id, "Please"))
        [error] = refused.value.errors
        assert (error.pointer, error.code) == ("/admin_id", "unknown_value")
    assert shop.row()["assignee"] is None
    assert shop.count(events) == 1


def test_an_unknown_thread_is_not_found(assigning, linh, ken):
    with pytest.raises(NotFound):
        assigning.hand_over(linh, 999, HandOver(ken.id))


def test_it_is_undone_by_whoever_did_it(shop, assigning, linh, ken, thread, clock):
    assigning.hand_over(linh, thread, HandOver(linh.id))
    since = clock.now_ms
    clock.advance(5)
    act, _ = assigning.hand_over(linh, thread, HandOver(ken.id))
    clock.advance(5)
    Undo(shop.database, clock).undo(linh, act)
    assert shop.row()["assignee"] == {"id": linh.id, "name": "Linh"}
    with pytest.raises(Problem) as refused:
        assigning.hand_over(ken, thread, HandOver(ken.id))
    assert refused.value.extra["assigned_at"] == since, "as if it had not been"


def test_nobody_is_disabled_while_they_get_a_thread(postgres_database, clock):
    """A disabled admin gives back all threads, one that comes at that moment included. (E17)"""
    shop = Shop(postgres_database, clock)
    linh = Admin(new_admin(postgres_database, "Linh"), "Linh")
    ken_id = new_admin(postgres_database, "Ken")
    thread = shop.says(0).thread_id
    is_disabled = threading.Event()

    def disable() -> None:
        postgres_database.write(lambda connection: admins.disable(connection, ken_id, 1))
        is_disabled.set()

    with postgres_database.engine.begin() as connection:
        assert admins.lock(connection, ken_id) is not None
        disabling = threading.Thread(target=disable)
        disabling.start()
        assert not is_disabled.wait(0.3), "it waits for the end of the transaction"
    disabling.join(10)
    assert is_disabled.is_set()
    with pytest.raises(Invalid):
        Assigning(postgres_database, clock).hand_over(linh, thread, HandOver(ken_id))
