"""Threads begin at the desk of their source, and hand-offs of chatbots move them."""

import pytest
from sqlalchemy import select

from dashboard.db.accounts import admin_desks, sources
from dashboard.db.models.webhooks import outgoing_events
from dashboard.db.threads import conversations
from dashboard.errors import Invalid, Problem
from dashboard.ingest.assigning import Assigning, HandOver
from dashboard.ingest.outgoing import Admin
from dashboard.ingest.schema import parse
from dashboard.ingest.undo import Undo
from tests.dashboard.ingest.shop import START_MS, thread_event
from tests.dashboard.ingest.shop import new_admin as added
from tests.support import SettableClock


@pytest.fixture
def shop(shop):
    for name in ("sales", "billing"):
        shop.database.write(
            lambda connection, name=name: admin_desks.add(connection, name, START_MS)
        )
    return shop


def belongs_to(shop, admin: Admin, *names: str) -> None:
    shop.database.write(lambda connection: admin_desks.save(connection, admin.id, names))


def said(shop, thread: int) -> list[tuple[int, str]]:
    """When the desk was changed, and to which one."""
    with shop.database.read() as connection:
        found = [act.to_json() for act in conversations.acts_after(connection, thread, 0)]
    return [(act["at"] - START_MS, act["desk"]) for act in found if "desk" in act]


def test_threads_begin_at_the_desk_that_their_source_has_then(shop):
    shop.says(0)
    shop.database.write(lambda connection: sources.set_desk(connection, shop.source_id, "sales"))
    shop.says(1, thread="u")
    shop.says(2)
    assert (shop.row("t")["desk"], shop.row("u")["desk"]) == ("main", "sales")


def test_the_last_hand_off_that_names_a_desk_counts_in_whatever_order_they_come(shop):
    thread = shop.does("thread.handoff", 0, desk="sales").thread_id
    assert (shop.row()["desk"], said(shop, thread)) == ("sales", [])
    shop.does("thread.handoff", 30, desk="billing")
    shop.does("thread.handoff", 20, desk="main")
    shop.does("thread.handoff", 40)
    assert shop.row()["desk"] == "billing"
    assert said(shop, thread) == [(30, "billing")]


def test_a_hand_off_to_an_unknown_desk_is_refused_alone(shop):
    found = shop.send(
        thread_event("thread.handoff", 0, desk="nowhere"),
        thread_event("thread.handoff", 1, desk="sales", thread="u"),
    )
    [refused, stored] = found.outcomes
    assert (refused.status, stored.status) == ("rejected", "created")
    [error] = refused.problem.errors
    assert (error.pointer, error.code) == ("/desk", "unknown_value")
    assert [shop.row("u")["desk"]] == ["sales"]


@pytest.mark.parametrize("desk", ["", "Sales", "x" * 33, "ä", 1])
def test_what_is_no_name_of_a_desk_is_refused(desk):
    event = {"id": "e-1", "type": "thread.handoff", "thread": "t", "desk": desk}
    with pytest.raises(Invalid) as refused:
        parse(event | {"occurred_at": "2026-11-20T10:00:00Z"})
    assert [error.pointer for error in refused.value.errors] == ["/desk"]


def test_what_an_admin_decided_stays_when_an_older_hand_off_comes_late(shop):
    thread = shop.says(0).thread_id
    mai = Admin(added(shop.database, "Mai"), "Mai")
    clock = SettableClock(START_MS + 1_000)
    Assigning(shop.database, clock).hand_over(mai, thread, HandOver(None, desk="sales"))
    shop.does("thread.handoff", 900, desk="billing")
    assert shop.row()["desk"] == "sales"
    shop.does("thread.handoff", 1_100, desk="billing")
    assert shop.row()["desk"] == "billing"


def test_undoing_a_move_is_refused_where_the_thread_was_moved_again_since(shop):
    thread = shop.says(0).thread_id
    mai, bob = (Admin(added(shop.database, name), name) for name in ("Mai", "Bob"))
    belongs_to(shop, bob, "main", "sales", "billing")
    clock = SettableClock(START_MS + 1_000)
    assigning, undo = Assigning(shop.database, clock), Undo(shop.database, clock)
    act, _ = assigning.hand_over(mai, thread, HandOver(bob.id, desk="sales"))
    assert (shop.row()["desk"], shop.row()["assignee"]["name"]) == ("sales", "Bob")
    again, _ = assigning.hand_over(bob, thread, HandOver(None, desk="billing"))
    with pytest.raises(Exception, match="Bob has changed this since"):
        undo.undo(mai, act)
    undo.undo(bob, again)
    undo.undo(bob, again)
    assert (shop.row()["desk"], shop.row()["assignee"]["name"]) == ("sales", "Bob")


def test_undoing_gives_a_thread_to_nobody_who_does_not_see_its_desk_any_more(shop):
    """Nobody is given a thread that they do not see."""
    thread = shop.says(0).thread_id
    mai, bob = (Admin(added(shop.database, name), name) for name in ("Mai", "Bob"))
    clock = SettableClock(START_MS + 1_000)
    assigning, undo = Assigning(shop.database, clock), Undo(shop.database, clock)
    assigning.hand_over(mai, thread, HandOver(bob.id))
    released, _ = assigning.hand_over(bob, thread, HandOver(None))
    belongs_to(shop, bob, "main", "sales")
    undo.undo(bob, released)
    released, _ = assigning.hand_over(bob, thread, HandOver(mai.id))
    belongs_to(shop, bob, "sales")
    supervisor = bob._replace(role="supervisor")
    with pytest.raises(Problem, match="Bob can no longer have this thread"):
        undo.undo(supervisor, released)
    assert shop.row()["assignee"]["name"] == "Mai"


def test_a_release_names_the_desk_where_the_thread_waits_unless_it_was_given_back(shop):
    """So a chatbot knows whether it may go on."""
    thread = shop.says(0).thread_id
    mai = Admin(added(shop.database, "Mai"), "Mai")
    clock = SettableClock(START_MS + 1_000)
    assigning, undo = Assigning(shop.database, clock), Undo(shop.database, clock)
    taken, _ = assigning.hand_over(mai, thread, HandOver(mai.id))
    undo.undo(mai, taken)
    for desk in (None, "sales"):
        assigning.hand_over(mai, thread, HandOver(mai.id))
        assigning.hand_over(mai, thread, HandOver(None, desk=desk))
    with shop.database.read() as connection:
        query = select(outgoing_events.c.data).order_by(outgoing_events.c.id)
        rows = connection.scalars(query.where(outgoing_events.c.type == "thread.released")).all()
    assert [data.get("desk") for data in rows] == ["main", None, "sales"]
