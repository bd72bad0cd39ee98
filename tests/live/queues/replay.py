"""Follows the history of a desk with queues, and checks each hand-out by the rules.

The order of a queue is computed from the facts of threads, and loads from their assignees; only the
time since which a thread is in a queue is the product's own.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from tests.live.queues.history import Change

#: A thread is not given again so soon (ms) to the admin who released it, while another could have
#: it.
RELEASED_MS = 600_000
#: Broken rules that are told in full.
TOLD = 8


class Queue(NamedTuple):
    """A queue; `number` is that of its list, `admins` has the ids of its admins, `delay` is in
    ms."""

    id: int
    mode: str
    number: int
    admins: frozenset[int]
    delay: int
    tag: str


class HandOut(NamedTuple):
    """A hand-out, the time of its commit, and that from which thread and admin were both there."""

    thread: int
    admin: int
    queue: int
    pulled: bool
    at: float
    both_there: float


class Replay:
    """`broken` has the rules that were broken, each with what happened."""

    def __init__(self, queues: Sequence[Queue]):
        self.queues = queues
        self.broken: list[str] = []
        self.hand_outs: list[HandOut] = []
        self.returns: Counter[str] = Counter()
        #: (thread, admin, time of the act) of each hand-out.
        self.acts: Counter[tuple[int, int, int]] = Counter()
        self.threads: dict[int, dict[str, Any]] = {}
        self.admins: dict[int, dict[str, Any]] = {}
        self.entries: dict[int, dict[int, dict[str, Any]]] = {one.number: {} for one in queues}
        self._released: dict[tuple[int, int], int] = {}
        self._held: dict[int, set[int]] = {}
        self._eligible_since: dict[int, float] = {}
        self._ready_since: dict[int, float] = {}
        #: `waiting_since` of threads that came back in this transaction.
        self._returned: dict[int, int | None] = {}

    def follow(self, history: Iterable[Change]) -> "Replay":
        """Takes changes, in their order."""
        for change in history:
            step = getattr(self, f"_{change.kind.lstrip('-')}")
            step(change.row, change.at, change.kind.startswith("-"))
        return self

    # What is there

    def load(self, admin: int) -> int:
        return len(self._held.get(admin, ()))

    def capacity(self, admin: int) -> int:
        row = self.admins[admin]
        own = row["own_capacity"]
        return row["capacity"] if own is None else min(own, row["capacity"])

    def is_eligible(self, admin: int) -> bool:
        row = self.admins[admin]
        here = bool(row["accepting"]) and row["status"] == "online"
        return here and self.load(admin) < self.capacity(admin)

    def waiting(self, queue: Queue, now: int) -> Iterator[dict[str, Any]]:
        """Yields the threads that a queue may hand out now, in no order."""
        for id, entry in self.entries[queue.number].items():
            thread = self.threads[id]
            if _is_ready(thread) and (not queue.delay or entry["since"] <= now - queue.delay):
                yield thread

    def could_have(self, admin: int, thread: int, queue: Queue, now: int) -> bool:
        """Whether an admin with a free place could get the thread."""
        if admin not in queue.admins or not self._has_left(admin, thread, now):
            return admin in queue.admins
        return not any(
            other != admin and self.is_eligible(other) and not self._has_left(other, thread, now)
            for other in queue.admins & self.admins.keys()
        )

    def due(self, now: int) -> tuple[int, int, int] | None:
        """Returns the hand-out that is due: queue, thread, and admin."""
        for queue in self.queues:
            able = [id for id in self.admins if id in queue.admins and self.is_eligible(id)]
            able.sort(key=lambda id: (self.admins[id]["hand_out"], id))
            if queue.mode != "push" or not able:
                continue
            first = min(self.waiting(queue, now), key=place, default=None)
            if first is not None:
                id = first["id"]
                others = (one for one in able if not self._has_left(one, id, now))
                return queue.id, id, next(others, able[0])
        return None

    def _has_left(self, admin: int, thread: int, now: int) -> bool:
        return self._released.get((thread, admin), -RELEASED_MS) > now - RELEASED_MS

    # Changes

    def _threads(self, row: dict[str, Any], at: float, is_gone: bool) -> None:
        id, before = row["id"], self.threads.get(row["id"])
        assert not is_gone, "no thread is deleted"
        if id in self._returned:
            waits = self._returned.pop(id)
            self._check(row["waiting_since"] == waits, f"I5: {id} waited since {waits}, not {row}")
        if _is_ready(row) and not (before and _is_ready(before)):
            self._ready_since[id] = at
        if before is not None and before["assignee_id"] is not None:
            self._held.setdefault(before["assignee_id"], set()).discard(id)
        self.threads[id] = row
        if counts(row):
            self._held.setdefault(row["assignee_id"], set()).add(id)
        for admin in {row["assignee_id"], before and before["assignee_id"]} - {None}:
            self._touch(admin, at)

    def _queue_admins(self, row: dict[str, Any], at: float, is_gone: bool) -> None:
        self.admins[row["admin_id"]] = row
        self._touch(row["admin_id"], at)

    def _queue_entries(self, row: dict[str, Any], at: float, is_gone: bool) -> None:
        listed = self.entries.setdefault(row["list"], {})
        if is_gone:
            listed.pop(row["thread_id"], None)
        else:
            listed[row["thread_id"]] = row | {
                "came": listed.get(row["thread_id"], {}).get("came", at)
            }

    def _queue_releases(self, row: dict[str, Any], at: float, is_gone: bool) -> None:
        if not is_gone:
            self._released[row["thread_id"], row["admin_id"]] = row["at"]

    def _thread_acts(self, row: dict[str, Any], at: float, is_gone: bool) -> None:
        data = row["data"] or {}
        if row["type"] == "thread.assigned" and "queue" in data:
            queue = next(one for one in self.queues if one.id == data["queue"]["id"])
            self._given(row, queue, data["assignee"]["id"], at)
        elif "returned" in data:
            self.returns[data["returned"]] += 1
            self._returned[row["thread_id"]] = self.threads[row["thread_id"]]["waiting_since"]

    def _given(self, act: dict[str, Any], queue: Queue, admin: int, at: float) -> None:
        thread, now, pulled = self.threads[act["thread_id"]], act["at"], act["admin_id"] is not None
        id = thread["id"]
        what = f"at {now}, {queue.mode} queue {queue.id} gave {id} to {admin}"
        self._check(_is_ready(thread), f"I6: {what}, but it was {thread}")
        self._check(id in self.entries[queue.number], f"I5: {what}, but it does not stand there")
        self._check(self.load(admin) < self.capacity(admin), f"I1: {what} with {self.load(admin)}")
        self._check(pulled or self.is_eligible(admin), f"I1: {what}: {self.admins[admin]}")
        earlier = min(
            (
                one
                for one in self.waiting(queue, now)
                if place(one) < place(thread) and self.could_have(admin, one["id"], queue, now)
            ),
            key=place,
            default=None,
        )
        self._check(earlier is None, f"I3: {what}, but {earlier} was before {thread}")
        if not pulled:
            due = self.due(now)
            self._check(due == (queue.id, id, admin), f"I4: {what}, not {due}")
        both = max(
            self._ready_since[id],
            self.entries[queue.number].get(id, {}).get("came", at),
            self.entries[queue.number].get(id, {}).get("since", 0) + queue.delay,
            self._eligible_since.get(admin, at),
        )
        self.hand_outs.append(HandOut(id, admin, queue.id, pulled, at, min(both, at)))
        self.acts[id, admin, now] += 1
        number = max(one["hand_out"] for one in self.admins.values()) + 1
        self.admins[admin] = self.admins[admin] | {"hand_out": number}
        self._threads(thread | {"assignee_id": admin}, at, False)

    def _touch(self, admin: int, at: float) -> None:
        """Notes since when an admin may get threads."""
        if admin not in self.admins or not self.is_eligible(admin):
            self._eligible_since.pop(admin, None)
        else:
            self._eligible_since.setdefault(admin, at)

    def _check(self, holds: bool, message: str) -> None:
        if not holds:
            self.broken.append(message)


def _is_ready(thread: dict[str, Any]) -> bool:
    return thread["assignee_id"] is None and not thread["closed"] and not thread["snoozed_until"]


def counts(thread: dict[str, Any]) -> bool:
    """Whether the thread counts against the capacity of its assignee."""
    has = thread["assignee_id"] is not None and thread["waiting_since"] is not None
    return has and not thread["closed"] and not thread["snoozed_until"]


def place(thread: dict[str, Any]) -> tuple[int, int, int]:
    """Returns the place in the order `longest_wait`: those that wait first, the oldest wait first;
    then the newest of the others."""
    waits = thread["waiting_since"]
    if waits is not None:
        return 0, waits, thread["id"]
    return 1, -thread["recent_at"], thread["id"]
