"""Facts of a thread: what its events, as a set, say about it."""

from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple

Kind = Literal["client", "admin", "note", "other", "handoff", "close", "reopen"]

#: Read from the thread's stored events for a `settled_at`:
#: (earliest call later than it, or None; how many client messages are later than it).
Later = Callable[[int | None], tuple[int | None, int]]

#: The fact that tells when an event of a kind was last.
_LAST: dict[Kind, str] = {
    "client": "last_client_at",
    "admin": "last_admin_at",
    "close": "closed_at",
    "reopen": "reopened_at",
    "handoff": "handoff_at",
}


class ThreadEvent(NamedTuple):
    """One event as far as the order is concerned; `ranked_at` in milliseconds.

    `note` is an admin's private message; `other` is all that moves no thread: bot and system
    messages, priorities.
    """

    kind: Kind
    ranked_at: int


class Facts(NamedTuple):
    """What the order of a thread is computed from; times in milliseconds, None where never.

    `priority` and `member_status` are last-writer-wins values, kept by the caller.
    `next_call_at` is the earliest call later than `settled_at`, in a closed thread, too.
    """

    first_event_at: int | None = None
    last_client_at: int | None = None
    last_admin_at: int | None = None
    closed_at: int | None = None
    reopened_at: int | None = None
    handoff_at: int | None = None
    first_call_at: int | None = None
    next_call_at: int | None = None
    unanswered: int = 0
    priority: str = "normal"
    member_status: int = -1

    @property
    def answered(self) -> bool:
        return self.last_admin_at is not None

    @property
    def closed(self) -> bool:
        """Closed later than anything that opens a thread; a tie is open."""
        closed_at = self.closed_at
        return closed_at is not None and (
            _is_later(closed_at, self.last_client_at)
            and _is_later(closed_at, self.reopened_at)
            and _is_later(closed_at, self.handoff_at)
        )

    @property
    def settled_at(self) -> int | None:
        """Until when nobody waits; a close that was undone does not count."""
        closed_at, reopened_at = self.closed_at, self.reopened_at
        undone = closed_at is None or (reopened_at is not None and reopened_at > closed_at)
        return _latest(self.last_admin_at, None if undone else closed_at)

    @property
    def waiting_since(self) -> int | None:
        return None if self.closed else self.next_call_at

    @property
    def recent_at(self) -> int:
        """When the customer last wrote, or the first event where no customer has; 0 without any."""
        at = self.first_event_at if self.last_client_at is None else self.last_client_at
        return 0 if at is None else at


def is_call(kind: Kind, handoff_only: bool) -> bool:
    """Whether an event asks for a person; `handoff_only` is the source's way (key `--handoff`)."""
    return kind == "handoff" or (kind == "client" and not handoff_only)


def advance(
    facts: Facts, events: Iterable[ThreadEvent], later: Later, *, handoff_only: bool = False
) -> Facts:
    """The facts after some more events, in any order, each given once.

    `later` is asked only where `settled_at` moved, and must know these events already.
    """
    new = list(events)
    marks = _marked(facts, new, handoff_only)
    settled_at = facts.settled_at
    if marks.settled_at != settled_at:
        next_call_at, unanswered = later(marks.settled_at)
    else:
        next_call_at, unanswered = _waiting(new, settled_at, handoff_only)
        next_call_at = _earliest(facts.next_call_at, next_call_at)
        unanswered += facts.unanswered
    return marks._replace(next_call_at=next_call_at, unanswered=unanswered)


def fold(events: Iterable[ThreadEvent], *, handoff_only: bool = False) -> Facts:
    """The facts of a whole set of events; their order does not matter."""
    known = list(events)
    return advance(
        Facts(),
        known,
        lambda settled_at: _waiting(known, settled_at, handoff_only),
        handoff_only=handoff_only,
    )


def _waiting(
    events: Iterable[ThreadEvent], settled_at: int | None, handoff_only: bool
) -> tuple[int | None, int]:
    """Of these events: the earliest call later than `settled_at`, and the client messages."""
    next_call_at, unanswered = None, 0
    for event in events:
        if _is_later(event.ranked_at, settled_at):
            if is_call(event.kind, handoff_only):
                next_call_at = _earliest(next_call_at, event.ranked_at)
            unanswered += event.kind == "client"
    return next_call_at, unanswered


def _marked(facts: Facts, events: Iterable[ThreadEvent], handoff_only: bool) -> Facts:
    """The facts with the first and last times of each kind; who waits is left as it was."""
    marks: dict[str, int | None] = {}

    def mark(name: str, choose: Callable[[int | None, int | None], int | None], at: int) -> None:
        marks[name] = choose(marks[name] if name in marks else getattr(facts, name), at)

    for event in events:
        at = event.ranked_at
        mark("first_event_at", _earliest, at)
        if event.kind in _LAST:
            mark(_LAST[event.kind], _latest, at)
        if is_call(event.kind, handoff_only):
            mark("first_call_at", _earliest, at)
    return facts._replace(**marks)  # type: ignore[arg-type]


def _is_later(at: int, than: int | None) -> bool:
    return than is None or at > than


def _latest(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    return one if one > other else other


def _earliest(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    return one if one < other else other
