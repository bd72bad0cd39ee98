"""Lists of queries hold what SQL and a plain reader say, whatever happens, at every moment."""

import shutil
from pathlib import Path

import fakeredis
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import select

from dashboard.db import conditions
from dashboard.db.accounts import admin_desks
from dashboard.db.database import Database
from dashboard.db.lists import kept_lists, query_lists, sorts, versions
from dashboard.db.lists.query_lists import ListedQuery
from dashboard.db.models.threads import threads
from dashboard.ingest.actions import Admin
from dashboard.ingest.due import Archiver, DueQueue
from dashboard.ordering.list_keeper import ListBuilder
from dashboard.ordering.placer import BREAK_SECONDS
from scoring.sorting.rules import Rule, Sort
from scoring.sorts import SORTS
from scoring.views import DAY_MS
from tests.dashboard.ingest.shop import new_admin
from tests.dashboard.ordering.order import Order
from tests.dashboard.ordering.plain.agreement import assert_agree
from tests.support import SettableClock

THREADS = ("a", "b", "c")
QUERIES = (
    "",
    "is:open",
    "is:closed",
    "waits:>1m",
    "waits:<10s",
    "-waits:<10s is:open",
    "quiet:>30s last:client,bot",
    "age:<2m",
    "age:>1m (is:waiting or priority:urgent,high)",
    "assigned:me",
    "assigned:me waits:>10s",
    "assigned:none is:unanswered",
    "member:0,1 -lang:vi",
    "lang:vi,none source:shop",
    "is:answered -is:closed last:admin",
    "tag:vip -tag:spam",
    "tag:none",
    "desk:sales -is:closed",
    "-desk:sales",
)
NAMES = (*SORTS, "vip", "vip")
#: The rules that a saved sort is given, one after the other.
RULES = (
    (
        Rule("waits:>1m", "waiting_since", "oldest", "member"),
        Rule("quiet:>30s lang:vi", "recent_at", "oldest"),
        Rule("", "recent_at", "newest", "priority"),
    ),
    (
        Rule("-age:<2m assigned:anyone", "assigned_at", "newest"),
        Rule("is:closed", "closed_at", "oldest"),
        Rule("tag:vip", "recent_at", "oldest", "priority"),
        Rule("", "created_at", "newest"),
    ),
)
#: Seconds by which time goes on: also just before, at and after thresholds of the queries.
STEPS = (1, 9, 10, 20, 29, 31, 60, 61, 120)


class Machine(RuleBasedStateMachine):
    head: Path
    folder: Path
    client: object

    def __init__(self):
        super().__init__()
        self.client.flushall()
        path = shutil.copy(self.head, self.folder / "lineup.sqlite")
        for suffix in ("-wal", "-shm"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)
        self.clock = SettableClock()
        self.database = Database(f"sqlite:///{path}")
        self.order = Order(self.database, self.client, self.clock)
        self.due = DueQueue(self.database, self.order.placer, self.clock)
        self.archiver = Archiver(
            self.database, self.order.placer, self.clock, sleep=lambda seconds: None
        )
        self.database.write(lambda connection: admin_desks.add(connection, "sales", self.clock()))
        id = new_admin(self.database, "Mai", "supervisor")
        self.mai = Admin(id, "Mai", "supervisor")
        vip = Sort("vip", RULES[0], "VIPs")
        self.database.write(lambda connection: sorts.create(connection, vip, id, self.clock()))
        for at, query in enumerate(QUERIES):
            self.a_query_is_kept(query, NAMES[at % len(NAMES)])
        self.order.tick()

    def teardown(self):
        self.due.turn()
        self.order.tick(3)
        self.agree()
        with self.database.read() as connection:
            for each in query_lists.current(connection).lists.values():
                assert self.order.ranking.states([each.id])[each.id].epoch is not None
        assert self.order.differences() == []
        self.database.close()

    @rule(
        thread=st.sampled_from(THREADS),
        role=st.sampled_from(["client", "client", "bot", "admin"]),
        member=st.sampled_from([None, 0, 1, 3]),
        locale=st.sampled_from([None, "vi", "vi-VN", "en"]),
    )
    def a_message_comes(self, thread, role, member, locale):
        fields = {"member_status": member, "locale": locale}
        known = {name: value for name, value in fields.items() if value is not None}
        self._event(
            type="message",
            thread=thread,
            role=role,
            body="Xin chào",
            customer={"id": f"customer-of-{thread}"} | known,
        )

    @rule(
        thread=st.sampled_from(THREADS),
        what=st.sampled_from(["thread.close", "thread.reopen", "thread.handoff"]),
    )
    def the_chatbot_acts(self, thread, what):
        self._event(type=what, thread=thread)

    @rule(thread=st.sampled_from(THREADS), desk=st.sampled_from(["main", "sales"]))
    def the_chatbot_hands_over(self, thread, desk):
        self._event(type="thread.handoff", thread=thread, desk=desk)

    @rule(thread=st.sampled_from(THREADS), priority=st.sampled_from(["urgent", "low"]))
    def the_priority_changes(self, thread, priority):
        self._event(type="thread.priority", thread=thread, priority=priority)

    @rule(
        thread=st.sampled_from(THREADS),
        tag=st.sampled_from(["vip", "spam"]),
        what=st.sampled_from(["add", "add", "remove"]),
    )
    def tags_change(self, thread, tag, what):
        self._event(type="thread.tags", thread=thread, **{what: [tag]})

    @rule(thread=st.sampled_from(THREADS), locale=st.sampled_from(["vi", "en"]))
    def the_customer_changes(self, thread, locale):
        self._event(type="customer", customer={"id": f"customer-of-{thread}", "locale": locale})

    @rule(number=st.integers(0, 2), claims=st.booleans())
    def mai_acts(self, number, claims):
        with self.database.read() as connection:
            ids = list(connection.scalars(select(threads.c.id).order_by(threads.c.id)))
        if number < len(ids):
            actions = self.order.services.actions
            self.order.ingest.act(
                actions.claim if claims else actions.release, self.mai, ids[number]
            )

    @rule(seconds=st.sampled_from(STEPS))
    def time_passes(self, seconds):
        self.clock.advance(seconds * 1_000)

    @rule()
    def what_is_due_is_taken_up(self):
        self.due.turn()
        with self.database.read() as connection:
            assert connection.scalar(
                select(threads.c.id).where(threads.c.next_change_at <= self.clock())
            ) is None  # fmt: skip

    @rule(
        days=st.sampled_from([1, 1, 2, 3]),
        thread=st.sampled_from([None, *THREADS]),
    )
    def closed_threads_are_archived(self, days, thread):
        """Also when the setting was changed; threads that are opened again come back."""
        if thread is not None:
            self.the_chatbot_acts(thread, "thread.close")
            self.clock.advance(DAY_MS)
        self.database.write(lambda connection: versions.set_history_days(connection, days))
        self.archiver.turn()
        limit = self.clock() - days * DAY_MS
        with self.database.read() as connection:
            closed = select(threads.c.closed_at).where(threads.c.closed)
            kept = connection.scalars(closed.where(~threads.c.archived))
            assert all(at > limit for at in kept)
            assert all(at <= limit for at in connection.scalars(closed.where(threads.c.archived)))

    @rule()
    def the_reconciler_ticks(self):
        self.order.tick()

    @rule(rules=st.sampled_from(RULES))
    def the_sort_is_changed(self, rules):
        """Its lists keep their order; lists that are kept from now on are other ones."""

        def write(connection):
            before = sorts.find(connection, "vip")
            changed = Sort("vip", rules, "VIPs")
            sorts.change(connection, before, changed, self.mai.id, self.clock())

        self.database.write(write)
        self.a_query_is_kept("is:open", "vip")

    @rule(query=st.sampled_from(QUERIES), sort=st.sampled_from(NAMES))
    def another_query_is_kept(self, query, sort):
        self.a_query_is_kept(query, sort)

    @rule(
        query=st.sampled_from(QUERIES),
        thread=st.sampled_from(THREADS),
        what=st.sampled_from(["message", "thread.close", None]),
        seconds=st.sampled_from(STEPS),
    )
    def lists_are_built_while_threads_leave_and_enter(self, query, thread, what, seconds):
        # While the lists of views are lost, other changes are left to the next ticks.
        self.order.tick(seconds=BREAK_SECONDS)
        self.a_query_is_kept(query, "arrival")

        def between_filling_and_swapping(count):
            self.clock.advance(seconds * 1_000)
            self.due.turn()
            if what == "message":
                self.a_message_comes(thread, "client", None, None)
            elif what:
                self.the_chatbot_acts(thread, what)

        self.order.seconds += BREAK_SECONDS
        self.order.reconciler.tick(between_filling_and_swapping)

    def a_query_is_kept(self, query, sort):
        listed = ListedQuery(query, sort, "UTC", self.mai.id)
        self.database.write(lambda connection: query_lists.keep(connection, listed))

    @rule()
    def a_list_is_given_up(self):
        ids = self._ids()[:1]
        self.database.write(
            lambda connection: kept_lists.release(connection, ids, self.clock() - 1)
        )

    @rule(place=st.integers(0, 30), seconds=st.sampled_from([1, 30, 90]), is_built=st.booleans())
    def somebody_looks(self, place, seconds, is_built):
        """Somebody looks at a list; once built, it is in order until nobody looks any more."""
        some, now = self._ids()[place : place + 1], self.clock()
        self.database.write(lambda c: kept_lists.keep_longer(c, some, now + 60_000, now))
        for id in some if is_built else ():
            ListBuilder(self.order.rebuilder, self.order.ranking).build(id).wait()
        self.time_passes(seconds)

    @rule()
    def redis_is_flushed(self):
        self.client.flushall()

    @invariant()
    def agree(self):
        if not hasattr(self, "order"):
            return
        assert_agree(self.order)

    def _ids(self):
        with self.database.read() as connection:
            return list(query_lists.current(connection).lists)

    def _event(self, **fields):
        self.clock.advance(1)
        self.order.event(**fields)


@pytest.fixture
def machine(sqlite_at_head, tmp_path, monkeypatch) -> type[Machine]:
    monkeypatch.setattr(kept_lists, "ORDERED_MAX", 5)
    monkeypatch.setattr(conditions, "SHARE", 2)  # some lists are built by an index
    given = {"head": sqlite_at_head, "folder": tmp_path, "client": fakeredis.FakeRedis()}
    return type("HereMachine", (Machine,), given)


def test_lists_of_queries_hold_what_sql_says(machine):
    run_state_machine_as_test(
        machine, settings=settings(max_examples=2, stateful_step_count=30, deadline=None)
    )


@pytest.mark.slow
@pytest.mark.cpu_bound
@pytest.mark.parametrize("half", [1, 2])  # in parallel
def test_lists_of_queries_hold_what_sql_says_in_many_histories(machine, half):
    run_state_machine_as_test(
        machine, settings=settings(max_examples=30, stateful_step_count=50, deadline=None)
    )
