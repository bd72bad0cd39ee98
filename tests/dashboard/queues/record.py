"""The facts of a desk with queues, the rules of its hand-outs, and the changes of both.

Admins get threads up to their capacity, in the order of a queue; of several admins, the one who
went longest without a thread gets it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

#: A thread is not given again to the admin who released it for so long (ms), while another one
#: could take it.
RELEASED_MS = 600_000


class Queue(NamedTuple):
    """A queue over the threads of some kinds, for the admins of some desks (None: all); times in
    seconds."""

    id: int
    kinds: frozenset[str]
    mode: str = "push"
    admins: frozenset[str] | None = None
    take_within: int = 60
    delay: int = 0
    offline_after: int = 120
    which: str = "waiting"


@dataclass
class Thread:
    """A thread; `came`: when it came into its queues, `until`: by when it must be opened.

    The times of all messages of its customer, of the last answer, of its closes and of the last
    reopening make its wait.
    """

    id: int
    kind: str
    desk: str
    came: int
    messages: list[int]
    answered_at: int = -1
    closes: list[int] = field(default_factory=list)
    reopened_at: int = -1
    open: bool = True
    snoozed: bool = False
    assignee: int | None = None
    queue: Queue | None = None
    until: int | None = None

    @property
    def waiting_since(self) -> int | None:
        """The first message that nothing has settled: a close counts until somebody undoes it."""
        closes = [at for at in self.closes if at > self.reopened_at]
        settled_at = max([self.answered_at, *closes])
        return next((at for at in self.messages if at > settled_at), None)

    @property
    def place(self) -> tuple[int, int]:
        """The longest wait first; who does not wait comes last."""
        return (2**60 if self.waiting_since is None else self.waiting_since, self.id)


@dataclass
class Admin:
    """An admin; `given`: the number of the last hand-out to them, of all hand-outs."""

    id: int
    desks: frozenset[str]
    capacity: int = 2
    accepting: bool = True
    status: str = "online"
    offline_since: int | None = None
    given: int = 0


class Given(NamedTuple):
    """A thread was handed out by a queue; `pulled`: the admin asked for one."""

    thread: int
    admin: int
    queue: int
    pulled: bool = False


class Returned(NamedTuple):
    """A thread came back: it was `released`, `not_taken` in time, or its admin went `offline`."""

    thread: int
    admin: int
    reason: str


@dataclass
class Record:
    """The facts of a desk at `now` (ms)."""

    queues: tuple[Queue, ...]
    admins: dict[int, Admin]
    threads: dict[int, Thread] = field(default_factory=dict)
    now: int = 0
    hand_outs: int = 0
    #: (thread, admin) → when the admin released it.
    released: dict[tuple[int, int], int] = field(default_factory=dict)

    def come(self, thread: int, kind: str, desk: str) -> None:
        self.threads[thread] = Thread(thread, kind, desk, self.now, [self.now])

    def act(self, what: str, thread: int) -> None:
        """`what`: write, answer, close, reopen, snooze or wake."""
        found = self.threads[thread]
        if what in ("snooze", "close") and not found.open:
            return
        if what in ("write", "reopen") and not found.open:
            found.open, found.snoozed, found.came = True, False, self.now
            found.reopened_at = self.now if what == "reopen" else found.reopened_at
        if what == "write":
            found.messages.append(self.now)
        elif what == "answer":
            found.answered_at = self.now
        elif what == "close":
            found.closes.append(self.now)
        found.open = found.open and what != "close"
        found.snoozed = what == "snooze" or (found.snoozed and what not in ("wake", "write"))
        if what in ("answer", "close", "snooze"):
            found.until = None

    def set(
        self, admin: int, status: str | None, accepting: bool | None, capacity: int | None
    ) -> None:
        """Changes what is not None of an admin."""
        found = self.admins[admin]
        if status is not None and (status == "offline") != (found.status == "offline"):
            found.offline_since = self.now if status == "offline" else None
        found.status = status or found.status
        found.accepting = found.accepting if accepting is None else accepting
        found.capacity = found.capacity if capacity is None else capacity

    def open(self, thread: int) -> None:
        self.threads[thread].until = None

    def assign(self, thread: int, admin: int | None) -> None:
        """Assigns a thread by hand, or unassigns one that nobody was given by a queue: its admin
        gives it back."""
        found = self.threads[thread]
        if admin is None:
            self.released[thread, found.assignee or 0] = self.now
        if admin != found.assignee:
            found.assignee, found.queue, found.until = admin, None, None

    def load(self, admin: Admin) -> int:
        """Counts the threads that wait for an answer of the admin."""
        return sum(
            thread.open and not thread.snoozed and thread.waiting_since is not None
            for thread in self.threads.values()
            if thread.assignee == admin.id
        )

    def waiting(self, queue: Queue) -> list[Thread]:
        """Returns the threads that a queue may hand out now, in its order."""
        found = [
            thread
            for thread in self.threads.values()
            if thread.kind in queue.kinds
            and thread.open
            and not thread.snoozed
            and thread.assignee is None
            and self.now - thread.came >= 1_000 * queue.delay
        ]
        return sorted(found, key=lambda thread: thread.place)

    def is_free(self, admin: Admin) -> bool:
        return admin.accepting and admin.status == "online" and self.load(admin) < admin.capacity

    def could_have(self, admin: Admin, thread: Thread, queue: Queue) -> bool:
        """Whether the admin could get this thread from this queue now: an admin who asks for one
        (pull) is here, whatever the switch and the presence say."""
        asks = queue.mode == "pull" and self.load(admin) < admin.capacity
        return (
            self._sees(admin, thread, queue)
            and (asks or self.is_free(admin))
            and not self._must_leave(admin, thread, queue)
        )

    def candidates(self, mode: str) -> Iterator[tuple[Queue, Thread, list[Admin]]]:
        """Yields the threads of the queues of a mode with the admins who could have each, those
        first who went longest without one."""
        for queue in self.queues:
            for thread in self.waiting(queue) if queue.mode == mode else ():
                able = [
                    each for each in self.admins.values() if self.could_have(each, thread, queue)
                ]
                yield queue, thread, sorted(able, key=lambda admin: (admin.given, admin.id))

    def first_for(self, admin: Admin) -> tuple[Queue, Thread] | None:
        """Returns what the admin gets who asks for the next thread."""
        for queue, thread, able in self.candidates("pull"):
            if admin in able:
                return queue, thread
        return None

    def next(self) -> tuple[Queue, Thread, Admin] | None:
        """Returns the hand-out that is due, None without one."""
        for queue, thread, able in self.candidates("push"):
            if able:
                return queue, thread, able[0]
        return None

    def overdue(self) -> Iterator[Returned]:
        """Yields the threads that must come back now."""
        for thread in self.threads.values():
            if thread.assignee is None or thread.queue is None:
                continue
            admin = self.admins[thread.assignee]
            which = thread.queue.which
            gone = admin.offline_since is not None and (
                self.now - admin.offline_since >= 1_000 * thread.queue.offline_after
            )
            counts = thread.open and which != "none"
            if thread.until is not None and self.now >= thread.until:
                yield Returned(thread.id, admin.id, "not_taken")
            elif gone and counts and (which == "all" or thread.waiting_since is not None):
                yield Returned(thread.id, admin.id, "offline")

    def give(self, given: Given) -> None:
        """Takes a hand-out into the record."""
        thread, admin = self.threads[given.thread], self.admins[given.admin]
        queue = next(each for each in self.queues if each.id == given.queue)
        self.hand_outs += 1
        admin.given = self.hand_outs
        thread.assignee, thread.queue = admin.id, queue
        thread.until = None if given.pulled else self.now + 1_000 * queue.take_within

    def take_back(self, returned: Returned) -> None:
        """Takes a return into the record."""
        thread, admin = self.threads[returned.thread], self.admins[returned.admin]
        thread.assignee = thread.queue = thread.until = None
        if returned.reason == "released":
            self.released[thread.id, admin.id] = self.now
        elif returned.reason == "not_taken":
            admin.accepting = False

    def _sees(self, admin: Admin, thread: Thread, queue: Queue) -> bool:
        is_one = queue.admins is None or bool(queue.admins & admin.desks)
        return is_one and thread.desk in admin.desks

    def _must_leave(self, admin: Admin, thread: Thread, queue: Queue) -> bool:
        """Whether the admin released it lately, and a colleague could take it."""

        def left(each: Admin) -> bool:
            at = self.released.get((thread.id, each.id))
            return at is not None and self.now - at < RELEASED_MS

        return left(admin) and any(
            self._sees(each, thread, queue) and self.is_free(each) and not left(each)
            for each in self.admins.values()
            if each is not admin
        )
