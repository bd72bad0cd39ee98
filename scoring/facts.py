"""Facts of a thread: what its events, as a set, say about it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal

Kind = Literal["client", "admin", "note", "other", "handoff", "close", "reopen"]

#: Read from the thread's stored events for a `settled_at`:
#: (earliest call later than it, or None; how many client messages are later than it).
Later = Callable[[int | None], tuple[int | None, int]]


@dataclass(frozen=True, slots=True)
class ThreadEvent:
    """One event as far as the order is concerned; `ranked_at` in milliseconds.

    `note` is an admin's private message; `other` is all that moves no thread: bot and system
    messages, priorities.
    """

    kind: Kind
    ranked_at: int


@dataclass(frozen=True, slots=True)
class Facts:
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
        opened = _latest(self.last_client_at, self.reopened_at, self.handoff_at)
        return self.closed_at is not None and (opened is None or self.closed_at > opened)

    @property
    def settled_at(self) -> int | None:
        """Until when nobody waits; a close that was undone does not count."""
        undone = None not in (self.closed_at, self.reopened_at) and (
            self.reopened_at > self.closed_at  # type: ignore[operator]
        )
        return _latest(self.last_admin_at, None if undone else self.closed_at)

    @property
    def waiting_since(self) -> int | None:
        return None if self.closed else self.next_call_at

    @property
    def recent_at(self) -> int:
        """When the customer last wrote, or the first event where no customer has; 0 without any."""
        return next((at for at in (self.last_client_at, self.first_event_at) if at is not None), 0)


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
    if marks.settled_at != facts.settled_at:
        next_call_at, unanswered = later(marks.settled_at)
        return replace(marks, next_call_at=next_call_at, unanswered=unanswered)
    fresh = [event for event in new if _is_later(event.ranked_at, facts.settled_at)]
    calls = [event.ranked_at for event in fresh if is_call(event.kind, handoff_only)]
    return replace(
        marks,
        next_call_at=_earliest(facts.next_call_at, *calls),
        unanswered=facts.unanswered + sum(event.kind == "client" for event in fresh),
    )


def fold(events: Iterable[ThreadEvent], *, handoff_only: bool = False) -> Facts:
    """The facts of a whole set of events; their order does not matter."""
    known = list(events)

    def later(settled_at: int | None) -> tuple[int | None, int]:
        fresh = [event for event in known if _is_later(event.ranked_at, settled_at)]
        calls = [event.ranked_at for event in fresh if is_call(event.kind, handoff_only)]
        return _earliest(*calls), sum(event.kind == "client" for event in fresh)

    return advance(Facts(), known, later, handoff_only=handoff_only)


def _marked(facts: Facts, events: list[ThreadEvent], handoff_only: bool) -> Facts:
    def times(*kinds: Kind) -> list[int]:
        return [event.ranked_at for event in events if event.kind in kinds]

    calls = [event.ranked_at for event in events if is_call(event.kind, handoff_only)]
    return replace(
        facts,
        first_event_at=_earliest(facts.first_event_at, *(event.ranked_at for event in events)),
        last_client_at=_latest(facts.last_client_at, *times("client")),
        last_admin_at=_latest(facts.last_admin_at, *times("admin")),
        closed_at=_latest(facts.closed_at, *times("close")),
        reopened_at=_latest(facts.reopened_at, *times("reopen")),
        handoff_at=_latest(facts.handoff_at, *times("handoff")),
        first_call_at=_earliest(facts.first_call_at, *calls),
    )


def _is_later(at: int, than: int | None) -> bool:
    return than is None or at > than


def _latest(*times: int | None) -> int | None:
    return max((at for at in times if at is not None), default=None)


def _earliest(*times: int | None) -> int | None:
    return min((at for at in times if at is not None), default=None)
