"""Admins tag threads and undo it: the tags are as if the undone acts had never been."""

from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from dashboard.db.models.threads import events, threads
from dashboard.db.threads import conversations
from dashboard.errors import Invalid, NotFound, Problem
from dashboard.ingest.actions import Admin
from dashboard.ingest.tagging import Tagging, TagNames
from dashboard.ingest.undo import UNDO_MS, Undo
from scoring.conditions.tags import TAGS_MAX
from tests.dashboard.ingest.shop import START_MS, Shop, new_admin
from tests.dashboard.ingest.test_outbox import Reader
from tests.support import SettableClock, examples

_numbers = count(1)


class TaggedThread:
    """A thread, and two admins who tag it."""

    def __init__(self, database, clock: SettableClock, name: str = "shop"):
        self.database, self.clock = database, clock
        self.shop = Shop(database, clock, name)
        self.tagging, self.undoing = Tagging(database, clock), Undo(database, clock)
        self.number = next(_numbers)
        self.linh, self.ken = (
            Admin(new_admin(database, f"{name}{self.number}"), name) for name in ("Linh", "Ken")
        )
        self.thread = self.shop.says(0).thread_id
        assert self.thread is not None

    @property
    def tags(self) -> list[str]:
        return self.shop.row()["tags"]

    def tag(self, add=(), remove=(), by: Admin | None = None, after_ms: int = 1) -> int | None:
        self.clock.advance(after_ms)
        names = TagNames([*add], [*remove])
        return self.tagging.change(by or self.linh, self.thread, names)[0]

    def undo(self, act: int | None, by: Admin | None = None) -> None:
        assert act is not None, "nothing was done"
        self.clock.advance(1)
        assert self.undoing.undo(by or self.linh, act)[0] == self.thread

    def bot(self, add=(), remove=(), back_ms: int = 0, after_ms: int = 1, **given: Any) -> str:
        self.clock.advance(after_ms)
        at = self.clock() - back_ms - START_MS
        return self.shop.does("thread.tags", at, add=[*add], remove=[*remove], **given).status

    def said(self) -> list[dict]:
        """The acts: by whom, and which tags the thread got and lost."""
        with self.database.read() as connection:
            found = [act.to_json() for act in conversations.acts_after(connection, self.thread, 0)]
        assert {act["type"] for act in found} <= {"thread.tags_changed"}
        return [
            {"by": act["by"] and act["by"]["id"]}
            | {name: act[name] for name in ("added", "removed") if name in act}
            for act in found
        ]

    def refused(self, act: int | None, by: Admin | None = None) -> Problem:
        with pytest.raises(Problem) as caught:
            self.undo(act, by)
        return caught.value


@pytest.fixture
def at(any_database, clock) -> TaggedThread:
    return TaggedThread(any_database, clock)


def test_an_admin_changes_tags_and_the_chatbot_is_told_what_changed(at):
    act = at.tag(["vip", "refund"], ["never-there"])
    assert at.tags == ["refund", "vip"]
    assert at.tag(["refund"], ["vip"]) not in (None, act)
    assert at.tags == ["refund"]
    linh = at.linh.id
    assert at.said() == [
        {"by": linh, "added": ["refund", "vip"]},
        {"by": linh, "removed": ["vip"]},
    ]
    told = Reader(at.shop).read()
    assert [event.type for event in told] == ["thread.tags_changed"] * 2
    data = {"thread_id": at.thread, "by": {"id": linh, "name": "Linh"}}
    assert [event.data for event in told] == [
        data | {"added": ["refund", "vip"]},
        data | {"removed": ["vip"]},
    ]


def test_tags_in_another_width_or_composition_are_the_same_tag(at):
    at.tag(["ｖip", "ｶﾞ"])
    assert at.tags == ["vip", "ガ"]
    at.bot(add=["vi\uff50", "カ\u3099"])
    assert at.tags == ["vip", "ガ"]
    assert at.tag(["vip"]) is None
    at.bot(remove=["\uff56ip"])
    at.undo(at.tag([], ["ｶ\u3099"]))
    assert at.tags == ["ガ"]


def test_what_changes_nothing_is_no_act(at):
    at.tag(["vip"])
    rev = at.shop.row()["rev"]
    assert at.tag(["vip"], ["refund"]) is None
    assert (at.shop.row()["rev"], len(at.said())) == (rev, 1)


def test_what_changes_nothing_is_written_all_the_same(at):
    """A chatbot's event that comes late loses to it."""
    at.bot(["vip"])
    at.clock.advance(1_000)
    assert at.tag(["vip"]) is None
    at.bot(remove=["vip"], back_ms=500)
    assert at.tags == ["vip"]


def test_tags_change_no_time_and_no_place(at):
    def known() -> dict[str, Any]:
        with at.database.read() as connection:
            row = connection.execute(select(threads)).mappings().one()
        changed = ("tags", "revision", "listed_at")
        return {name: row[name] for name in row if name not in changed}

    before = known()
    at.tag(["vip"])
    assert known() == before


def test_an_admin_is_refused_a_twenty_first_tag_and_nothing_is_stored(at):
    names = [f"t{number:02}" for number in range(TAGS_MAX)]
    at.tag(names)
    stored = at.shop.count(events)
    for add, remove in ((["new"], []), (["new", "other"], ["t00"])):
        with pytest.raises(Invalid) as caught:
            at.tag(add, remove)
        assert (caught.value.status, caught.value.code) == (422, "too_many_tags")
        assert caught.value.errors[0].pointer == "/add"
    assert (at.tags, at.shop.count(events)) == (names, stored)
    at.tag(["new"], ["t00"])
    assert at.tags == ["new", *names[1:]]


def test_of_equal_times_the_later_act_of_an_admin_wins(at):
    for _ in range(5):
        at.tag(["vip"], after_ms=0)
        assert at.tags == ["vip"]
        at.bot(remove=["vip"], after_ms=0)
        assert at.tags == ["vip"], "the chatbot did not know better"
        at.tag(remove=["vip"], by=at.ken, after_ms=0)
        assert at.tags == []


def test_an_unknown_thread_is_refused(at):
    at.thread = 999
    with pytest.raises(NotFound):
        at.tag(["vip"])


def test_an_undone_change_is_as_if_it_had_not_been(at):
    at.tag(["vip", "old"], by=at.ken)
    act = at.tag(["new", "vip"], ["old"])
    at.undo(act)
    assert at.tags == ["old", "vip"]
    revision = at.shop.row()["rev"]
    at.undo(act)
    assert at.shop.row()["rev"] == revision, "a repeated request"
    assert at.said()[-1] == {"by": at.linh.id, "added": ["old"], "removed": ["new"]}
    assert Reader(at.shop).read()[-1].data["removed"] == ["new"]
    assert [place for slice in at.shop.recorder.refold(at.shop.source_id) for place in slice] == []


def test_what_an_undone_change_had_overruled_counts_again_also_what_comes_late(at):
    """The chatbot wrote the tag before it, and the event arrives after the undoing."""
    at.clock.advance(1_000)
    act = at.tag(remove=["vip"], add=["other"])
    at.bot(["vip"], back_ms=500)
    assert at.tags == ["other"]
    at.undo(act)
    assert at.tags == ["vip"]
    at.bot(["late"], ["vip"], back_ms=600)
    assert at.tags == ["late", "vip"]
    assert at.said()[-2:] == [
        {"by": at.linh.id, "added": ["vip"], "removed": ["other"]},
        {"by": None, "added": ["late"]},
    ]


def test_what_the_chatbot_confirmed_since_stays(at):
    """Its event had no effect, so it is no act; without the admin's it would have had one."""
    act = at.tag(["vip"])
    at.bot(["vip"])
    revision = at.shop.row()["rev"]
    at.undo(act)
    assert at.tags == ["vip"]
    assert at.said() == [{"by": at.linh.id, "added": ["vip"]}, {"by": at.linh.id}]
    assert at.shop.row()["rev"] > revision, "dashboards read the new act"
    assert len(Reader(at.shop).read()) == 1, "the chatbot has nothing to change"


def test_a_tag_that_was_changed_since_is_left_as_it_is(at):
    act = at.tag(["vip", "refund"])
    at.tag(["other"], by=at.ken)
    other = at.tag(["mine"])
    at.undo(act)
    assert at.tags == ["mine", "other"], "other tags were changed since"
    at.tag(remove=["mine"], by=at.ken)
    problem = at.refused(other)
    assert (problem.status, problem.code) == (409, "done_meanwhile")
    assert problem.extra["by"] == {"id": at.ken.id, "name": f"Ken{at.number}"}
    act = at.tag(["a", "b"])
    at.bot(remove=["b"])
    assert at.refused(act).extra["by"] is None
    assert at.tags == ["a", "other"]


def test_only_ones_own_acts_are_undone_and_only_for_a_time(at):
    act = at.tag(["vip"])
    with pytest.raises(NotFound):
        at.undo(act, by=at.ken)
    at.clock.advance(UNDO_MS + 1)
    assert at.refused(act).code == "too_late"
    assert at.tags == ["vip"]


def test_tags_do_not_come_back_where_there_is_no_room_any_more(at):
    names = [f"t{number:02}" for number in range(TAGS_MAX)]
    at.tag(names)
    act = at.tag(remove=names[:2])
    at.bot(["new"])
    assert at.refused(act).code == "too_many_tags"
    assert at.tags == ["new", *names[2:]]
    at.bot(remove=["new"])
    at.undo(act)
    assert at.tags == names


def test_a_clock_that_was_set_back_undoes_all_the_same(at):
    """The undoing act is never before the undone one."""
    act = at.tag(["vip"])
    at.bot(["old"], back_ms=50)
    at.clock.advance(-100)
    at.undo(act)
    assert at.tags == ["old"]
    with at.database.read() as connection:
        first, *_, last = conversations.acts_after(connection, at.thread, 0)
    assert (first.id, last.data["undoes"]) == (act, act) and last.at >= first.at
    at.clock.advance(200)
    at.bot(["new"], back_ms=150)
    assert at.tags == ["new", "old"]


def test_undoing_a_change_of_tags_leaves_a_close_alone(at, actions):
    act = at.tag(["vip"])
    actions.close(at.ken, at.thread)
    with at.database.read() as connection:
        before = connection.execute(select(threads)).mappings().one()
    at.undo(act)
    with at.database.read() as connection:
        after = connection.execute(select(threads)).mappings().one()
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {"tags", "revision", "listed_at"}


TAGS = st.sets(st.sampled_from("abc"), max_size=2)
STEPS = st.lists(
    st.tuples(st.sampled_from(["tag", "bot", "late", "undo", "undo"]), TAGS, TAGS),
    min_size=1,
    max_size=14,
)


@given(STEPS)
@settings(max_examples=examples(80))
def test_the_tags_are_those_of_all_events_that_were_not_undone(database, steps):
    """The oracle keeps every change that was accepted, and forgets those that were undone."""
    at = TaggedThread(database, SettableClock(), f"shop{next(_numbers)}")
    kept: dict[Any, tuple[int, str, set, set]] = {}
    own: list[int] = []
    for what, add, remove in steps:
        add, number = add - remove, next(_numbers)
        if what == "undo" and own:
            act = own.pop(number % len(own))
            try:
                at.undo(act)
            except Problem as problem:
                assert problem.code == "done_meanwhile"
            else:
                del kept[act]
        elif what != "undo" and add | remove:
            if what == "tag":
                act = at.tag(add, remove, after_ms=number % 2)
                kept[act or f"nothing{number}"] = (at.clock(), f"~{number:09}", add, remove)
                own += [] if act is None else [act]
            else:
                back_ms, id = (number % 5 if what == "late" else 0), f"b{number:09}"
                at.bot(add, remove, back_ms, number % 2, id=id)
                kept[id] = (at.clock() - back_ms, id, add, remove)
        tags: set[str] = set()
        for _, _, added, removed in sorted(kept.values(), key=lambda each: each[:2]):
            tags = (tags - removed) | added
        assert at.tags == sorted(tags)
