"""Python, SQL, Redis and the browser agree on every list, whatever happens (H31)."""

import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import fakeredis
import pytest
import redis
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    rule,
    run_state_machine_as_test,
)

from dashboard.db.lists import kept_lists
from dashboard.db.lists.views import Draft
from scoring.conditions.language.parser import LENGTH_MAX
from scoring.sorts import SORTS
from tests.dashboard.live.queries.two_workers import TwoWorkers
from tests.drivers.replay import shared_replay
from tests.scoring.conditions.oracle import World
from tests.scoring.conditions.worlds import texts

#: These reach thresholds and move threads between lists in short histories; others are random.
QUERIES = (
    "",
    "is:open",
    "is:waiting waits:>1m",
    "-waits:<10m is:open",
    "quiet:>1m last:client,bot",
    "age:<10m",
    "assigned:me",
    "assigned:none is:unanswered",
    "assigned:mai@desk.example",
    "mentions:me",
    "-mentions:none is:open",
    "member:0,1 -lang:vi",
    "lang:vi,none source:shop",
    "(priority:urgent or waits:>1m member:none)",
    "tag:vip,none -tag:spam",
    "is:closed",
    "created:>=2026-05-29",
)
#: Views that always exist: random drafts seldom meet a threshold, a language, or a day that differs
#: by zone.
FIRST = (
    Draft("Since the 29th", "created:>=2026-05-29", "arrival", "Asia/Ho_Chi_Minh", None),
    Draft("Mine", "assigned:me", "longest_wait", "UTC", 1),
    Draft("Mine, too", "assigned:me", "longest_wait", "UTC", 2),
    Draft("Waiting", "is:waiting waits:>1m", "longest_wait", "UTC", None),
    Draft("Not Vietnamese", "-lang:vi", "longest_wait", "UTC", None),
)
TIMEZONES = ("UTC", "Asia/Ho_Chi_Minh", "America/Havana")
#: In ms: also just before, at and after thresholds.
STEPS = (1, 1_000, 59_990, 60_000, 60_001, 540_000, 600_001, 3_600_000, 86_400_000)

queries = st.sampled_from(QUERIES) | st.sampled_from(QUERIES) | texts(World(0, 1, "UTC"))
drafts = st.builds(
    lambda query, *rest: Draft("A view", query[:LENGTH_MAX], *rest),
    queries,
    st.sampled_from([*SORTS]),
    st.sampled_from(TIMEZONES),
    st.sampled_from([None, None, 1, 2]),
)
processes = st.integers(0, 1)
numbers = st.integers(0, 9)
names = st.fixed_dictionaries(
    {"sort": st.sampled_from([*SORTS])},
    optional={"filter": st.sampled_from(["all", "unassigned", "mine"])},
)


class ReadersMachine(RuleBasedStateMachine):
    head: Path
    folder: Path
    client: redis.Redis
    examples: Iterator[int]

    @initialize(first=st.lists(drafts, max_size=3))
    def begin(self, first):
        self.client.flushall()
        # A file of its own: a failed run may still have the last one open.
        path = shutil.copy(self.head, self.folder / f"{next(self.examples)}.sqlite")
        self.both = TwoWorkers(f"sqlite:///{path}", self.client, shared_replay())
        for draft in (*FIRST, *first):
            self.both.save(0, draft)
        for number in (1, 2):
            self.both.event(0, type="message", role="client", body="…", **_of(number))
        self.both.rest()
        for number, screen in enumerate(self.both.screens):
            for view in self.both.saved()[number : number + 2]:
                screen.open(view=view.public_id, sort=view.sort)

    def teardown(self):
        if hasattr(self, "both"):
            try:
                self.it_comes_to_rest()
            finally:
                self.both.close()

    @rule(
        process=processes,
        thread=st.integers(1, 5),
        role=st.sampled_from(["client", "client", "client", "bot", "admin"]),
        customer=st.fixed_dictionaries(
            {},
            optional={
                "member_status": st.sampled_from([0, 1, 3]),
                "locale": st.sampled_from(["vi", "vi-VN", "en"]),
            },
        ),
        back_ms=st.sampled_from([0, 0, 0, 30_000, 60_000]),
    )
    def a_message_comes(self, process, thread, role, customer, back_ms):
        of = _of(thread)
        of["customer"] |= customer
        self.both.event(process, back_ms, type="message", role=role, body="…", **of)

    @rule(
        process=processes,
        thread=st.integers(1, 5),
        what=st.sampled_from(["close", "reopen", "handoff", "priority"]),
    )
    def the_chatbot_acts(self, process, thread, what):
        more = {"priority": "urgent"} if what == "priority" else {}
        self.both.event(process, type=f"thread.{what}", thread=f"t-{thread}", **more)

    @rule(
        process=processes,
        thread=st.integers(1, 5),
        tags=st.lists(st.sampled_from(["vip", "spam"]), min_size=1, unique=True),
        is_added=st.booleans(),
        back_ms=st.sampled_from([0, 0, 30_000]),
    )
    def the_chatbot_tags(self, process, thread, tags, is_added, back_ms):
        change = {"add" if is_added else "remove": tags}
        self.both.event(process, back_ms, type="thread.tags", thread=f"t-{thread}", **change)

    @rule(
        process=processes,
        thread=st.integers(1, 5),
        admin_id=st.integers(1, 2),
        is_note=st.booleans(),
    )
    def an_admin_is_mentioned_or_reads_it(self, process, thread, admin_id, is_note):
        self.both.mention(process, admin_id, thread, is_note)

    @rule(process=processes, customer=st.integers(0, 2), locale=st.sampled_from(["vi", "ja"]))
    def a_customer_changes(self, process, customer, locale):
        changed = {"id": f"c-{customer}", "locale": locale, "member_status": customer}
        self.both.event(process, type="customer", customer=changed)

    @rule(
        process=processes,
        admin_id=st.integers(1, 2),
        action=st.sampled_from(["claim", "claim", "release", "close", "reopen"]),
        thread_id=st.integers(1, 5),
    )
    def an_admin_acts(self, process, admin_id, action, thread_id):
        self.both.act(process, admin_id, action, thread_id)

    @rule(milliseconds=st.sampled_from(STEPS))
    def time_passes(self, milliseconds):
        self.both.clock.advance(milliseconds)

    @rule(process=processes, number=numbers)
    def a_placement_reaches_redis(self, process, number):
        self.both.processes[process].place(number)

    @rule(process=processes)
    def what_is_due_is_taken_up(self, process):
        self.both.processes[process].due.turn()

    @rule(process=processes)
    def the_reconciler_ticks(self, process):
        self.both.processes[process].order.tick()

    @rule(process=processes)
    def a_worker_pushes(self, process):
        self.both.processes[process].turn()

    @rule(process=processes, draft=drafts)
    def a_view_is_saved(self, process, draft):
        self.both.save(process, draft)

    @rule(process=processes, number=numbers, draft=st.none() | drafts)
    def a_view_is_edited_or_deleted(self, process, number, draft):
        self.both.change(process, number, draft)

    @rule(process=processes, number=numbers)
    def a_list_is_built_again(self, process, number):
        self.both.rebuild(process, number)

    @rule(screen=processes, number=numbers, name=names, is_view=st.booleans(), query=queries)
    def a_list_is_opened(self, screen, number, name, is_view, query):
        saved = self.both.saved()
        if is_view and saved:
            named = {"view": saved[number % len(saved)].public_id}
        else:
            named = {"query": query[:LENGTH_MAX]}
        self.both.screens[screen].open(**named, **name)

    @rule(screen=processes, place=numbers, lost=st.sampled_from([False, False, True]))
    def a_frame_arrives_or_is_lost(self, screen, place, lost):
        self.both.screens[screen].deliver(place, lost=lost)

    @rule()
    def redis_is_flushed(self):
        self.both.flush()

    @rule()
    def it_comes_to_rest(self):
        self.both.rest()
        self.both.check()


def _of(number: int) -> dict:
    return {"thread": f"t-{number}", "customer": {"id": f"c-{number % 3}"}}


@pytest.fixture
def machine(sqlite_at_head, tmp_path, monkeypatch) -> Iterator[type[ReadersMachine]]:
    monkeypatch.setattr(kept_lists, "ORDERED_MAX", 1)
    given = {"head": sqlite_at_head, "folder": tmp_path, "examples": count()}
    given["client"] = fakeredis.FakeRedis()
    yield type("HereMachine", (ReadersMachine,), given)


def test_all_readers_agree_on_every_list(machine):
    _run(machine, examples=3, steps=25)


@pytest.mark.slow
@pytest.mark.cpu_bound
@pytest.mark.parametrize("half", [1, 2])  # in parallel
def test_all_readers_agree_on_every_list_in_many_histories(machine, half):
    _run(machine, examples=50, steps=40)


@pytest.mark.slow
@pytest.mark.real_redis
def test_all_readers_agree_on_every_list_of_a_real_server(machine, redis_server):
    machine.client = redis_server.client()
    _run(machine, examples=60, steps=40)


def _run(machine: type[ReadersMachine], examples: int, steps: int) -> None:
    run_state_machine_as_test(
        machine, settings=settings(max_examples=examples, stateful_step_count=steps, deadline=None)
    )
