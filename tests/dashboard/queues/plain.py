"""The plainest desk that hands out threads, and mistakes that can be planted in it."""

from collections import Counter
from collections.abc import Sequence
from copy import deepcopy

from tests.dashboard.queues.record import Admin, Given, Queue, Record, Returned, Thread

#: Each is found by the machine.
MISTAKES = {
    "count and claim in two steps": "a worker gives what it chose before, whatever came between",
    "release to the end": "a released thread waits from its return",
    "a refusal resets the clock": "who did not take a thread is the next to get one",
    "who is here first gets all": "the admin with the lowest id is chosen",
    "the newest first": "an admin who asks gets the newest thread",
    "a snoozed thread is load": "it counts against the capacity",
    "away counts as here": "who is away is given threads",
    "more capacity tells nobody": "the next thread goes out only when something else happens",
    "told twice": "the event of a hand-out is sent twice if a worker died meanwhile",
    "what was not taken is forgotten": "it is nobody's, and is not given again",
    "offline for good": "who leaves keeps the threads that wait",
    "back at once": "a released thread goes to the same admin although others could take it",
    "no delay": "a queue for later hands out at once",
}


class PlainDesk:
    """Decides by the record's own rules, in one step under a lock."""

    def __init__(self, queues: Sequence[Queue], admins: Sequence[Admin], mistake: str = ""):
        assert mistake in ("", *MISTAKES)
        self._is = mistake.__eq__
        self.record = self._new_record(tuple(queues), admins)
        self._log: list[Given | Returned] = []
        self._events: Counter[tuple[int, int]] = Counter()
        #: What each worker has chosen and not given yet.
        self._chosen: dict[int, Given | None] = {}
        self._lost: set[int] = set()
        self._quiet = False

    def come(self, thread: int, kind: str, desk: str) -> None:
        now = self.record.now
        self.record.threads[thread] = Thread(thread, kind, desk, now, now)

    def act(self, what: str, thread: int) -> None:
        found, now = self.record.threads[thread], self.record.now
        if what in ("write", "reopen") and not found.open:
            found.open, found.came = True, now
        if what == "write":
            found.waiting_since = now if found.waiting_since is None else found.waiting_since
            found.snoozed = False
        elif what in ("answer", "close"):
            found.waiting_since = None
        if what == "close":
            found.open = False
        if what in ("snooze", "wake"):
            found.snoozed = what == "snooze"
        if what in ("answer", "close", "snooze"):
            found.until = None

    def set(
        self, admin: int, status: str | None, accepting: bool | None, capacity: int | None
    ) -> None:
        found = self.record.admins[admin]
        if status is not None and (status == "offline") != (found.status == "offline"):
            found.offline_since = self.record.now if status == "offline" else None
        found.status = status or found.status
        found.accepting = found.accepting if accepting is None else accepting
        self._quiet = capacity is not None and self._is("more capacity tells nobody")
        found.capacity = found.capacity if capacity is None else capacity

    def pull(self, admin: int) -> None:
        found = self.record.first_for(self.record.admins[admin])
        if found is None:
            return
        queue, thread = found
        if self._is("the newest first"):
            thread = self.record.waiting(queue)[-1]
        self._give(Given(thread.id, admin, queue.id, pulled=True))

    def release(self, thread: int) -> None:
        found = self.record.threads[thread]
        if found.queue is None:
            found.assignee = found.until = None
        else:
            self._take_back(Returned(thread, found.assignee or 0, "released"))
            if self._is("release to the end") and found.waiting_since is not None:
                found.waiting_since = self.record.now

    def open(self, thread: int) -> None:
        self.record.threads[thread].until = None

    def assign(self, thread: int, admin: int) -> None:
        found = self.record.threads[thread]
        found.assignee, found.queue, found.until = admin, None, None

    def work(self, worker: int) -> None:
        chosen = self._chosen.pop(worker, None)
        if chosen is None:
            self._chosen[worker] = self._next()
        elif self._is("count and claim in two steps"):
            if self.record.threads[chosen.thread].assignee is None:
                self._give(chosen)
        elif (due := self._next()) is not None:
            self._give(due)

    def die(self, worker: int) -> None:
        chosen = self._chosen.pop(worker, None)
        if chosen and self._is("told twice"):
            self._give(chosen)
            self._events[chosen.thread, chosen.admin] += 1

    def advance(self, seconds: int) -> None:
        self.record.now += seconds

    def settle(self) -> None:
        while not self._quiet:
            if back := next(iter(self._overdue()), None):
                self._take_back(back)
            elif due := self._next():
                self._give(due)
            else:
                break
        self._quiet = False

    def log(self) -> list[Given | Returned]:
        return self._log

    def events(self) -> Counter[tuple[int, int]]:
        return self._events

    def assignees(self) -> dict[int, int]:
        return {each.id: each.assignee for each in self.record.threads.values() if each.assignee}

    def order(self, queue: Queue) -> list[tuple[int, int | None]]:
        return [(each.id, each.waiting_since) for each in self.record.waiting(queue)]

    def _next(self) -> Given | None:
        for queue, thread, able in self.record.candidates("push"):
            if able and thread.id not in self._lost:
                admin = min(able, key=lambda each: each.id) if self._is_first() else able[0]
                return Given(thread.id, admin.id, queue.id)
        return None

    def _is_first(self) -> bool:
        return self._is("who is here first gets all")

    def _overdue(self) -> list[Returned]:
        found = [*self.record.overdue()]
        if self._is("offline for good"):
            found = [each for each in found if each.reason != "offline"]
        return found

    def _give(self, given: Given) -> None:
        self.record.give(given)
        self._log.append(given)
        self._events[given.thread, given.admin] += 1

    def _take_back(self, returned: Returned) -> None:
        self.record.take_back(returned)
        self._log.append(returned)
        if self._is("what was not taken is forgotten") and returned.reason == "not taken":
            self._lost.add(returned.thread)
        if self._is("a refusal resets the clock"):
            self.record.admins[returned.admin].given = 0
        if self._is("back at once"):
            self.record.released.clear()

    def _new_record(self, queues: tuple[Queue, ...], admins: Sequence[Admin]) -> Record:
        if self._is("no delay"):
            queues = tuple(each._replace(delay=0) for each in queues)
        record = Record(queues, {each.id: each for each in deepcopy(list(admins))})
        if self._is("away counts as here"):
            free = record.is_free
            record.is_free = lambda admin: (  # type: ignore[method-assign]
                free(admin)
                or (
                    admin.accepting
                    and admin.status == "away"
                    and record.load(admin) < admin.capacity
                )
            )
        if self._is("a snoozed thread is load"):
            record.load = lambda admin: sum(  # type: ignore[method-assign]
                each.open and each.waiting_since is not None and each.assignee == admin.id
                for each in record.threads.values()
            )
        return record
