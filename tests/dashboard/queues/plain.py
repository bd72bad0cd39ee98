"""The plainest desk that hands out threads, and mistakes that can be planted in it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import replace

from tests.dashboard.queues.record import Admin, Given, Queue, Record, Returned

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


class PlainDesk(Record):
    """Decides by the rules of the record, in one step under a lock."""

    def __init__(self, queues: Sequence[Queue], admins: Sequence[Admin], mistake: str = ""):
        assert mistake in ("", *MISTAKES)
        self._is = mistake.__eq__
        if self._is("no delay"):
            queues = [each._replace(delay=0) for each in queues]
        super().__init__(tuple(queues), {each.id: each for each in deepcopy(list(admins))})
        self._log: list[Given | Returned] = []
        self._events: Counter[tuple[int, int]] = Counter()
        #: The hand-out that each worker has chosen and not made yet.
        self._chosen: dict[int, Given | None] = {}
        self._forgotten: set[int] = set()
        self._is_told_nothing = False

    def set(
        self, admin: int, status: str | None, accepting: bool | None, capacity: int | None
    ) -> None:
        super().set(admin, status, accepting, capacity)
        forgets = self._is("more capacity tells nobody")
        self._is_told_nothing = forgets and capacity is not None

    def pull(self, admin: int) -> None:
        if (found := self.first_for(self.admins[admin])) is None:
            return
        queue, thread = found
        if self._is("the newest first"):
            thread = self.waiting(queue)[-1]
        self._hand_out(Given(thread.id, admin, queue.id, pulled=True))

    def release(self, thread: int) -> None:
        found = self.threads[thread]
        if found.queue is None:
            return self.assign(thread, None)
        self._bring_back(Returned(thread, found.assignee or 0, "released"))
        if self._is("release to the end") and found.waiting_since is not None:
            found.messages = [self.now]

    def work(self, worker: int) -> None:
        chosen = self._chosen.pop(worker, None)
        if chosen is None:
            self._chosen[worker] = self._due()
        elif self._is("count and claim in two steps"):
            if self.threads[chosen.thread].assignee is None:
                self._hand_out(chosen)
        elif due := self._due():
            self._hand_out(due)

    def die(self, worker: int) -> None:
        self._chosen.pop(worker, None)
        if self._is("told twice") and (due := self._due()):
            self._hand_out(due)
            self._events[due.thread, due.admin] += 1

    def advance(self, milliseconds: int) -> None:
        self.now += milliseconds

    def settle(self) -> None:
        while not self._is_told_nothing:
            if back := next(self.overdue(), None):
                self._bring_back(back)
            elif due := self._due():
                self._hand_out(due)
            else:
                break
        self._is_told_nothing = False

    def log(self) -> list[Given | Returned]:
        return self._log

    def events(self) -> Counter[tuple[int, int]]:
        return self._events

    def assignees(self) -> dict[int, int]:
        return {each.id: each.assignee for each in self.threads.values() if each.assignee}

    def order(self, queue: Queue) -> list[tuple[int, int | None]]:
        return [(each.id, each.waiting_since) for each in self.waiting(queue)]

    # Rules that a mistake changes

    def load(self, admin: Admin) -> int:
        if not self._is("a snoozed thread is load"):
            return super().load(admin)
        mine = [each for each in self.threads.values() if each.assignee == admin.id]
        return sum(each.open and each.waiting_since is not None for each in mine)

    def is_free(self, admin: Admin) -> bool:
        if admin.status == "away" and self._is("away counts as here"):
            admin = replace(admin, status="online")
        return super().is_free(admin)

    def overdue(self) -> Iterator[Returned]:
        keeps = self._is("offline for good")
        return (each for each in super().overdue() if not keeps or each.reason != "offline")

    def _due(self) -> Given | None:
        for queue, thread, able in self.candidates("push"):
            if able and thread.id not in self._forgotten:
                if self._is("who is here first gets all"):
                    able.sort(key=lambda each: each.id)
                return Given(thread.id, able[0].id, queue.id)
        return None

    def _hand_out(self, given: Given) -> None:
        self.give(given)
        self._log.append(given)
        self._events[given.thread, given.admin] += 1

    def _bring_back(self, returned: Returned) -> None:
        self.take_back(returned)
        self._log.append(returned)
        if self._is("what was not taken is forgotten") and returned.reason == "not_taken":
            self._forgotten.add(returned.thread)
        if self._is("a refusal resets the clock"):
            self.admins[returned.admin].given = 0
        if self._is("back at once"):
            self.released.clear()
