"""Acts on the dashboard settle what their author had seen, among any events of chatbots (H28)."""

import uuid
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select

from dashboard.db.accounts import sources
from dashboard.db.models.threads import events as events_table
from dashboard.ingest.actions import Actions, Admin, Reply
from tests.dashboard.ingest.recorder.oracle import expected
from tests.dashboard.ingest.recorder.test_any_order import (
    _check_fold,
    _check_refold_changes_nothing,
)
from tests.dashboard.ingest.shop import START_MS, Shop, message, new_admin, thread_event
from tests.support import SettableClock, examples

_names = count(1)
#: What a chatbot sends in the thread, and how many milliseconds before it arrives.
API = st.tuples(
    st.sampled_from(["client", "client", "admin", "bot", "handoff", "close", "reopen"]),
    st.integers(0, 6),
)
#: What an admin does, and which of the last messages was seen; None leaves it out.
ACT = st.tuples(
    st.sampled_from(["reply", "reply", "note", "do close", "do close", "do reopen"]),
    st.none() | st.integers(0, 3),
)
STEPS = st.lists(st.tuples(st.integers(0, 2), API | ACT), min_size=1, max_size=14)


class Conversation:
    """A chatbot and an admin in the thread `t`, and a list of what they did, for the oracle."""

    def __init__(self, database):
        self.clock = SettableClock(START_MS + 100)
        name = f"seen-{next(_names)}"
        self.shop = Shop(database, self.clock, name)
        self.actions = Actions(database, self.clock)
        self.admin = Admin(new_admin(database, name), "Linh")
        self.thread_id = self._send("client", 0)
        self.done: list[dict[str, Any]] = []
        self._note(type="message", role="client", at=self.clock())

    def take(self, waits: int, kind: str, number: int | None) -> None:
        self.clock.advance(waits)
        if kind in ("reply", "note") or kind.startswith("do "):
            self._act(kind, number)
        else:
            self._send(kind, number or 0)
            is_turn = kind in ("handoff", "close", "reopen")
            content = {"type": f"thread.{kind}"} if is_turn else {"type": "message", "role": kind}
            self._note(**content, at=self.clock() - (number or 0))

    def _send(self, kind: str, late: int) -> int:
        at = self.clock() - START_MS - late
        if kind in ("handoff", "close", "reopen"):
            event = thread_event(f"thread.{kind}", at)
        else:
            event = message(at, role=kind)
        outcome = self.shop.send(event).outcomes[0]
        assert outcome.thread_id is not None
        return outcome.thread_id

    def _act(self, kind: str, back: int | None) -> None:
        ids = [event["stored"] for event in self.done if event["type"] == "message"]
        seen = None if back is None else (sorted(ids)[-1 - back] if back < len(ids) else 0)
        before = self._last_id()
        # Later than all that is stored, within the same millisecond, too.
        others = [event["at"] for event in self.done if not event.get("private")]
        at = {"at": max(self.clock(), *(at + 1 for at in others))}
        horizon = {"seen": self._horizon(max(ids) if seen is None else seen)}
        if kind in ("reply", "note"):
            given = Reply("hi", uuid.uuid4().hex, kind == "note", seen, confirm=True)
            self.actions.reply(self.admin, self.thread_id, given)
            note = {"type": "message", "role": "admin", "private": kind == "note"}
            self._note(**note, **at, **horizon)
            return
        if kind == "do close":
            self.actions.close(self.admin, self.thread_id, seen)
        else:
            self.actions.reopen(self.admin, self.thread_id)
        if self._last_id() != before:
            self._note(type="thread." + kind.removeprefix("do "), **at, **horizon)

    def _horizon(self, seen: int) -> int:
        """The last id stored before the first unseen message of the customer, else the last."""
        clients = [each["stored"] for each in self.done if each.get("role") == "client"]
        return min((id for id in clients if id > seen), default=self._last_id() + 1) - 1

    def _note(self, **event: Any) -> None:
        stored = self._last_id()
        given = {"id": f"e-{stored}", "thread": "t", "stored": stored, "body": "x"}
        self.done.append(given | event)

    def _last_id(self) -> int:
        with self.shop.database.read() as connection:
            return connection.scalar(select(func.max(events_table.c.id))) or 0


def check(database, steps, handoff_only: bool) -> None:
    thread = Conversation(database)
    if handoff_only:
        database.write(lambda c: sources.set_handoff_only(c, thread.shop.source_id))
        list(thread.shop.recorder.refold(thread.shop.source_id))
    for waits, step in steps:
        thread.take(waits, *step)
        wanted = expected(thread.done, "t", handoff_only)
        found = thread.shop.row("t")
        for name in ("open", "waiting_since", "recent_at", "answered", "unanswered"):
            assert found[name] == wanted[name], (name, thread.done)
        messages = [e["stored"] for e in thread.done if e.get("role") and not e.get("private")]
        assert found["last_message_id"] == max(messages)
    _check_fold(thread.shop, "t", handoff_only)
    _check_refold_changes_nothing(thread.shop)


@given(STEPS, st.booleans())
@settings(max_examples=examples(120))
def test_the_facts_are_those_of_the_requirements_after_each_act(database, steps, handoff_only):
    check(database, steps, handoff_only)


@pytest.mark.postgres
@given(STEPS, st.booleans())
@settings(max_examples=examples(25))
def test_on_postgres_too(postgres_database, steps, handoff_only):
    check(postgres_database, steps, handoff_only)
