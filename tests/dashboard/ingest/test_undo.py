"""Undoing: the thread is as if the act had not been, and nothing that was done since is lost."""

from typing import Any

import pytest
from sqlalchemy import select

from dashboard.db.accounts import admins
from dashboard.db.models.threads import threads
from dashboard.db.threads import conversations
from dashboard.errors import NotFound, Problem
from dashboard.ingest.actions import Admin, Reply
from dashboard.ingest.tagging import Tagging, TagNames
from dashboard.ingest.undo import UNDO_MS, Undo
from tests.dashboard.ingest.shop import Shop, new_admin
from tests.drivers.ranking import entered

#: Columns that grow with each write, or only say who wrote last.
_BOOKKEEPING = ("revision", "placed_revision", "stamps", "listed_at")


@pytest.fixture
def ken(any_database) -> Admin:
    return Admin(new_admin(any_database, "Ken"), "Ken", "supervisor")


@pytest.fixture
def undo(any_database, clock) -> Undo:
    return Undo(any_database, clock)


def stored(shop: Shop, thread: int) -> dict[str, Any]:
    """All columns of a thread: facts, scores, assignee, preview."""
    with shop.database.read() as connection:
        row = connection.execute(select(threads).where(threads.c.id == thread)).mappings().one()
    return {name: value for name, value in row.items() if name not in _BOOKKEEPING}


def done(shop: Shop, thread: int) -> list[str]:
    with shop.database.read() as connection:
        return [
            each.type.removeprefix("thread.")
            for each in conversations.acts_after(connection, thread, 0)
        ]


def refused(undo: Undo, admin: Admin, act: int) -> Problem:
    with pytest.raises(Problem) as caught:
        undo.undo(admin, act)
    return caught.value


def test_an_undone_close_leaves_every_fact_as_if_it_had_not_been(shop, actions, undo, linh, clock):
    """A chatbot's close before it stays in effect: a plain reopen would undo that one, too."""
    thread = shop.says(0).thread_id
    shop.does("thread.close", 10)
    shop.says(20)
    shop.says(30)
    before = stored(shop, thread)
    assert before["unanswered"] == 2, "the first message was settled by the chatbot's close"
    act, placements = actions.close(linh, thread)
    assert "history" in entered(placements[0])
    clock.advance(5)
    undone, placements = undo.undo(linh, act)
    assert (undone, stored(shop, thread)) == (thread, before)
    assert "not_respond" in entered(placements[0])
    assert undo.undo(linh, act) == (thread, []), "a repeated request"
    assert done(shop, thread)[-2:] == ["closed", "reopened"]
    assert [place for slice in shop.recorder.refold(shop.source_id) for place in slice] == []


def test_what_came_in_since_the_close_is_kept(shop, actions, undo, linh, clock):
    """The customer wrote and so reopened the thread: both waits count again."""
    thread = shop.says(0).thread_id
    act, _ = actions.close(linh, thread)
    clock.advance(1_000)
    shop.says(clock.now_ms + 60_000)
    assert shop.row()["unanswered"] == 1
    undo.undo(linh, act)
    row = shop.row()
    assert (row["open"], row["unanswered"], row["answered"]) == (True, 2, False)
    assert undo.undo(linh, act)[1] == []


def test_an_undone_reopen_priority_and_release_are_restored(shop, actions, undo, linh, ken, clock):
    thread = shop.says(0, fields={"member_status": 3}).thread_id
    actions.claim(linh, thread)
    actions.set_priority(linh, thread, "high")
    clock.advance(5)
    for change in (
        lambda: actions.set_priority(ken, thread, "low"),
        lambda: actions.release(ken, thread),
        lambda: actions.close(ken, thread),
    ):
        before = stored(shop, thread)
        act, _ = change()
        clock.advance(5)
        assert stored(shop, thread) != before
        undo.undo(ken, act)
        assert stored(shop, thread) == before
        assert undo.undo(ken, act) == (thread, [])
    actions.close(ken, thread)
    before = stored(shop, thread)
    clock.advance(5)
    act, _ = actions.reopen(ken, thread)
    undo.undo(ken, act)
    assert stored(shop, thread) == before
    other = shop.says(0, thread="other").thread_id
    act, _ = actions.claim(linh, other)
    undo.undo(linh, act)
    assert shop.row("other")["assignee"] is None


def test_what_a_colleague_or_the_chatbot_did_meanwhile_stays(shop, actions, undo, linh, ken, clock):
    thread = shop.says(0).thread_id
    act, _ = actions.close(linh, thread)
    clock.advance(1)
    actions.reopen(ken, thread)
    clock.advance(1)
    actions.close(ken, thread)
    problem = refused(undo, linh, act)
    assert (problem.status, problem.code) == (409, "done_meanwhile")
    assert problem.extra["by"] == {"id": ken.id, "name": "Ken"}
    assert not shop.row()["open"]

    act, _ = actions.set_priority(linh, thread, "high")
    clock.advance(10)
    shop.does("thread.priority", clock.now_ms + 10_000, priority="urgent")
    assert refused(undo, linh, act).extra["by"] is None
    assert shop.row()["priority"] == "urgent"

    actions.claim(linh, thread)
    act, _ = actions.release(linh, thread)
    actions.claim(ken, thread)
    assert refused(undo, linh, act).code == "done_meanwhile"
    assert shop.row()["assignee"]["name"] == "Ken"


def test_a_thread_is_not_given_back_to_who_was_disabled(shop, actions, undo, linh, ken, clock):
    thread = shop.says(0).thread_id
    actions.claim(linh, thread)
    act, _ = actions.release(ken, thread)
    shop.database.write(lambda c: admins.disable(c, linh.id, clock.now_ms))
    assert refused(undo, ken, act).code == "done_meanwhile"
    assert shop.row()["assignee"] is None


def test_only_ones_own_acts_are_undone_and_only_for_a_time(shop, actions, undo, linh, ken, clock):
    thread = shop.says(0).thread_id
    act, _ = actions.close(linh, thread)
    for admin, id in ((ken, act), (linh, act + 1_000)):
        with pytest.raises(NotFound):
            undo.undo(admin, id)
    clock.advance(UNDO_MS + 1)
    assert refused(undo, linh, act).code == "too_late"
    assert not shop.row()["open"]
    assert actions.close(linh, thread)[0] is None, "nothing was done: nothing to undo"


def test_an_undone_close_settles_nothing_later_either(shop, actions, undo, linh, clock):
    """Later answers, closes and reopens count as they do without the undone one."""
    thread = shop.says(0).thread_id
    twin = shop.says(0, thread="twin").thread_id
    act, _ = actions.close(linh, thread)
    clock.advance(1)
    undo.undo(linh, act)
    at = clock.now_ms
    for name in ("t", "twin"):
        shop.says(at + 1, thread=name)
        shop.does("thread.close", at + 2, thread=name)
        shop.does("thread.reopen", at + 3, thread=name)
        shop.says(at + 4, thread=name, role="admin")
        shop.says(at + 5, thread=name)
    names = ("closed_at", "reopened_at", "waiting_since", "unanswered", "closed", "score_priority")
    rows = [stored(shop, id) for id in (thread, twin)]
    assert [rows[0][name] for name in names] == [rows[1][name] for name in names]
    actions.reply(linh, thread, Reply("Hello", "tok"))
    assert shop.row()["waiting_since"] is None


def test_several_acts_are_undone_the_last_one_first(shop, actions, undo, linh, ken, clock):
    thread = shop.says(0).thread_id
    before, acts = [], []
    for change in (
        lambda: actions.set_priority(linh, thread, "high"),
        lambda: actions.close(linh, thread),
        lambda: actions.claim(linh, thread),
        lambda: actions.reopen(linh, thread),
        lambda: actions.set_priority(linh, thread, "low"),
        lambda: actions.release(linh, thread),
        lambda: actions.close(linh, thread),
    ):
        before.append(stored(shop, thread))
        acts.append(change()[0])
        clock.advance(5)
    with pytest.raises(Problem):
        undo.undo(linh, acts[0])
    for act, wanted in zip(reversed(acts), reversed(before), strict=True):
        undo.undo(linh, act)
        clock.advance(5)
        assert stored(shop, thread) == wanted
    act, _ = actions.set_priority(linh, thread, "high")
    kens, _ = actions.set_priority(ken, thread, "low")
    assert refused(undo, linh, act).extra["by"]["name"] == "Ken"
    undo.undo(ken, kens)
    undo.undo(linh, act)
    assert shop.row()["priority"] == "normal"


def test_tags_are_undone_several_steps_back(shop, undo, linh, any_database, clock):
    tagging = Tagging(any_database, clock)
    thread = shop.says(0).thread_id
    first, _ = tagging.change(linh, thread, TagNames(["vip", "late"], []))
    clock.advance(5)
    second, _ = tagging.change(linh, thread, TagNames([], ["vip"]))
    clock.advance(5)
    undo.undo(linh, second)
    assert shop.row()["tags"] == ["late", "vip"]
    undo.undo(linh, first)
    assert shop.row()["tags"] == []
