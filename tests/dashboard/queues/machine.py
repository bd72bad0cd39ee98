"""Any history of a desk that hands out threads, and what holds in each of them (I1 to I6).

The machine acts on a desk and follows what it says it did, with a record of its own.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.dashboard.queues.desk import Desk
from tests.dashboard.queues.record import Admin, Given, Queue, Record, Returned

DESKS = ("main", "sales")
KINDS = ("help", "order")
STATUSES = ("online", "online", "away", "busy", "dnd", "offline")
#: Milliseconds: also just before and at the limits of queues.
STEPS = tuple(1_000 * seconds for seconds in (1, 29, 30, 31, 60, 90, 120, 600))
#: Time that an act takes (ms): two acts are never at one moment.
ACT_MS = 2

threads, admins, workers = st.integers(1, 8), st.integers(1, 4), st.integers(0, 1)
queues = st.builds(
    Queue,
    st.just(0),
    st.sampled_from([frozenset(KINDS), frozenset(KINDS[:1]), frozenset(KINDS[1:])]),
    st.sampled_from(["push", "push", "pull"]),
    st.sampled_from([None, None, frozenset(DESKS[:1])]),
    st.sampled_from([30, 60]),
    st.sampled_from([0, 0, 30]),
    st.sampled_from([30, 120]),
    st.sampled_from(["waiting", "waiting", "all", "none"]),
)
desks = st.sampled_from([frozenset(DESKS), frozenset(DESKS), frozenset(DESKS[:1])])


class QueueMachine(RuleBasedStateMachine):
    make: Callable[[Sequence[Queue], Sequence[Admin]], Desk]

    @initialize(queues=st.lists(queues, min_size=1, max_size=3), desks=st.tuples(*[desks] * 4))
    def begin(self, queues, desks):
        numbered = tuple(each._replace(id=at) for at, each in enumerate(queues, 1))
        people = [Admin(id, some) for id, some in enumerate(desks, 1)]
        self.record = Record(numbered, {each.id: each for each in people})
        self.desk = type(self).make(numbered, people)
        self.followed = 0
        self.given: Counter[tuple[int, int]] = Counter()
        self.even: Counter[tuple[int, int]] = Counter()

    @rule(kind=st.sampled_from(KINDS), desk=st.sampled_from([*DESKS, DESKS[0]]))
    def a_thread_comes(self, kind, desk):
        record, id = self.record, len(self.record.threads) + 1
        self._pass(ACT_MS)
        self.desk.come(id, kind, desk)
        record.come(id, kind, desk)

    @rule(
        id=threads,
        what=st.sampled_from(["write", "answer", "answer", "close", "reopen", "snooze", "wake"]),
    )
    def somebody_acts(self, id, what):
        if id in self.record.threads:
            self._pass(ACT_MS)
            self.desk.act(what, id)
            self.record.act(what, id)

    @rule(
        id=admins,
        status=st.none() | st.sampled_from(STATUSES),
        accepting=st.sampled_from([None, True, True, False]),
        capacity=st.none() | st.integers(0, 3),
    )
    def an_admin_changes(self, id, status, accepting, capacity):
        self.desk.set(id, status, accepting, capacity)
        self.record.set(id, status, accepting, capacity)

    @rule(id=admins)
    def an_admin_opens_all_and_leaves(self, id):
        for thread in [each.id for each in self.record.threads.values() if each.assignee == id]:
            self.desk.open(thread)
            self.record.open(thread)
        self.an_admin_changes(id, "offline", None, None)

    @rule(id=admins)
    def an_admin_asks_for_one(self, id):
        before = len(self.desk.log())
        due = self.record.first_for(self.record.admins[id])
        self.desk.pull(id)
        assert (len(self.desk.log()) > before) == (due is not None), "what is due is given"

    @rule(id=threads, what=st.sampled_from(["release", "open", "open"]))
    def who_has_it_acts(self, id, what):
        thread = self.record.threads.get(id)
        if thread is None or thread.assignee is None:
            return
        getattr(self.desk, what)(id)
        if what == "open":
            self.record.open(id)
        elif thread.queue is None:
            self.record.assign(id, None)

    @rule(id=threads, admin=admins)
    def a_supervisor_assigns(self, id, admin):
        thread = self.record.threads.get(id)
        if thread is not None and thread.desk in self.record.admins[admin].desks:
            self.desk.assign(id, admin)
            self.record.assign(id, admin)

    @rule(worker=workers)
    def a_worker_works(self, worker):
        self.desk.work(worker)

    @rule(worker=workers)
    def a_worker_dies(self, worker):
        self.desk.die(worker)

    @rule(milliseconds=st.sampled_from(STEPS))
    def time_passes(self, milliseconds):
        self._pass(milliseconds)
        self.it_settles()

    def _pass(self, milliseconds: int) -> None:
        self.desk.advance(milliseconds)
        self.record.now += milliseconds

    @rule()
    def it_settles(self):
        self.desk.settle()
        self.agree()
        assert self.record.next() is None, "I2: somebody is free, and a thread waits for them"
        assert [*self.record.overdue()] == [], "what must come back has come back"

    @invariant()
    def agree(self):
        if not hasattr(self, "desk"):
            return
        log = self.desk.log()
        for entry in log[self.followed :]:
            self._given(entry) if isinstance(entry, Given) else self._returned(entry)
        self.followed, record = len(log), self.record
        for queue in record.queues:
            right = [(each.id, each.waiting_since) for each in record.waiting(queue)]
            assert self.desk.order(queue) == right, "I5: everything stands where its facts put it"
        held = {each.id: each.assignee for each in record.threads.values() if each.assignee}
        assert self.desk.assignees() == held, "I6: one assignee"
        assert self.desk.events() == self.given, "I6: one act and one event for each hand-out"

    def _given(self, given: Given) -> None:
        record = self.record
        admin, thread = record.admins[given.admin], record.threads[given.thread]
        queue = record.queues[given.queue - 1]
        assert record.load(admin) < admin.capacity, "I1: nobody gets more than they can have"
        assert given.pulled or record.is_free(admin), "who does not accept gets none"
        for earlier in record.waiting(queue):
            if earlier is thread:
                break
            assert not record.could_have(admin, earlier, queue), "I3: the earlier one first"
        if given.pulled:
            assert record.first_for(admin) == (queue, thread)
        else:
            right = record.next()
            assert right == (queue, thread, admin), (
                f"who went longest without one: {right}, not {given}"
            )
        self._is_even(given)
        record.give(given)
        self.given[thread.id, admin.id] += 1

    def _is_even(self, given: Given) -> None:
        """I4: of those who could have had all of them, nobody has two more than another one."""
        record = self.record
        thread, queue = record.threads[given.thread], record.queues[given.queue - 1]
        able = {id for id, each in record.admins.items() if record.could_have(each, thread, queue)}
        for one, other in combinations(sorted(record.admins), 2):
            if given.pulled or not {one, other} <= able:
                self.even[one, other] = 0  # who asks for one is no more in turn
            elif given.admin in (one, other):
                self.even[one, other] += 1 if given.admin == one else -1
                assert abs(self.even[one, other]) <= 1, "I4: nobody gets the night's pile"

    def _returned(self, returned: Returned) -> None:
        if returned.reason != "released":
            assert returned in [*self.record.overdue()], "only what is overdue comes back"
        self.record.take_back(returned)
