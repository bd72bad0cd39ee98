"""Two admins and a chatbot in one thread, within the same few milliseconds: the row is what the
thread's events say (H28).

Each reads the clock before it waits for the thread, and clocks of workers differ a little: so what
is stored later may have an earlier time.
"""

import uuid
from contextlib import suppress
from itertools import count

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dashboard.db.threads import events
from dashboard.errors import Problem
from dashboard.ingest.actions import Actions, Admin, Reply
from dashboard.ingest.undo import Undo
from tests.dashboard.ingest.recorder.test_any_order import _check_refold_changes_nothing
from tests.dashboard.ingest.shop import START_MS, Shop, message, new_admin, thread_event
from tests.scoring import oracle
from tests.support import SettableClock, examples

_names = count(1)
BY_CHATBOT = ["client", "client", "client", "bot", "handoff", "close", "reopen"]
BY_ADMINS = ["reply", "reply", "note", "do close", "do close", "do reopen", "undo", "undo"]
#: Milliseconds that pass; how much too early the clock was read; the admin; the act; the last
#: message seen, counted from the newest (None leaves it out).
STEP = st.tuples(
    st.integers(0, 2),
    st.integers(0, 5),
    st.integers(0, 1),
    st.sampled_from(BY_CHATBOT + BY_ADMINS),
    st.none() | st.integers(0, 3),
)
STEPS = st.lists(STEP, min_size=2, max_size=14)


class Moment:
    """A thread with the acts of each admin, whose clocks are `early`."""

    def __init__(self, database):
        self.clock = SettableClock(START_MS + 100)
        self.early = 0
        name = f"two-{next(_names)}"
        self.shop = Shop(database, self._read_clock, name)
        self.actions = Actions(database, self._read_clock)
        self.undo = Undo(database, self._read_clock)
        self.admins = [Admin(new_admin(database, f"{name}-{who}"), who) for who in ("Mai", "Bob")]
        self.acts: list[list[int]] = [[], []]
        thread_id = self.shop.send(message(100)).outcomes[0].thread_id
        assert thread_id is not None
        self.thread_id = thread_id

    def _read_clock(self) -> int:
        return self.clock() - self.early

    def take(self, waits: int, early: int, who: int, kind: str, back: int | None) -> None:
        self.clock.advance(waits)
        self.early = early
        if kind in BY_CHATBOT:
            self._send(kind)
        else:
            self._act(self.admins[who], self.acts[who], kind, back)

    def _send(self, kind: str) -> None:
        at = self._read_clock() - START_MS
        is_turn = kind in ("handoff", "close", "reopen")
        self.shop.send(thread_event(f"thread.{kind}", at) if is_turn else message(at, role=kind))

    def _act(self, admin: Admin, own: list[int], kind: str, back: int | None) -> None:
        # The page sends the greatest id that it has shown, wherever that message stands.
        ids = sorted(each["id"] for each in self.shop.conversation())
        seen = None if back is None else ids[-1 - min(back, len(ids) - 1)]
        if kind in ("reply", "note"):
            given = Reply("hi", uuid.uuid4().hex, kind == "note", seen, confirm=True)
            self.actions.reply(admin, self.thread_id, given)
        elif kind == "undo":
            if own:
                with suppress(Problem):  # somebody has done the same since
                    self.undo.undo(admin, own.pop())
        elif kind == "do close":
            own += filter(None, [self.actions.close(admin, self.thread_id, seen)[0]])
            if seen in (None, ids[-1]):
                assert not self.shop.row()["open"], "all of it was seen"
        else:
            own += filter(None, [self.actions.reopen(admin, self.thread_id)[0]])
            assert self.shop.row()["open"], "an admin has just opened it"

    def check(self) -> None:
        with self.shop.database.read() as connection:
            stored = events.folded(connection, [self.thread_id])[self.thread_id]
        wanted, row = oracle.facts(stored, handoff_only=False), self.shop.row()
        assert row["open"] is not wanted["closed"], stored
        for name in ("waiting_since", "unanswered", "recent_at", "answered"):
            assert row[name] == wanted[name], (name, stored)
        _check_refold_changes_nothing(self.shop)


def check(database, steps) -> None:
    moment = Moment(database)
    for step in steps:
        moment.take(*step)
        moment.check()


#: Somebody answers with the clock of a moment ago, and has seen what came in since.
LATE_ANSWER = [
    (0, 0, 0, "do close", None),
    (2, 0, 0, "client", None),
    (0, 3, 1, "reply", None),
    (1, 0, 0, "undo", None),
]
#: A reopening that is stored after a close has read its clock before it.
LATE_REOPEN = [(2, 0, 0, "do close", None), (0, 5, 1, "do reopen", None)]
#: A message that is stored last stands before an earlier one; all of it was seen.
EARLIER_MESSAGE = [(0, 1, 0, "client", None), (0, 0, 0, "do close", 0)]


@example(LATE_ANSWER)
@example(LATE_REOPEN)
@example(EARLIER_MESSAGE)
@given(STEPS)
@settings(max_examples=examples(400, gate=60))
def test_the_row_is_what_the_events_of_the_thread_say(database, steps):
    check(database, steps)


@pytest.mark.postgres
@example(LATE_ANSWER)
@example(LATE_REOPEN)
@example(EARLIER_MESSAGE)
@given(STEPS)
@settings(max_examples=examples(100, gate=10))
def test_on_postgres_too(postgres_database, steps):
    check(postgres_database, steps)
