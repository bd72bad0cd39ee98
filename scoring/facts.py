"""The facts of a thread that sorts order by, computed from the set of its events."""

from collections.abc import Callable, Collection, Iterable
from typing import Any, Literal, NamedTuple

from scoring.conditions.subject import Subject

Kind = Literal["client", "admin", "note", "other", "handoff", "close", "reopen"]

#: Maps kinds of events to the fact with the time of the last one.
_LAST: dict[Kind, str] = {
    "client": "last_client_at",
    "admin": "last_admin_at",
    "close": "closed_at",
    "reopen": "reopened_at",
    "handoff": "handoff_at",
}
#: Maps kinds of acts to the fact with the time of the last one through the API.
_LAST_BY_API: dict[Kind, str] = {"admin": "api_answered_at", "close": "api_closed_at"}
OPENING: tuple[Kind, ...] = ("client", "handoff")
#: Kinds of events that may change what is settled.
_SETTLING: tuple[Kind, ...] = ("admin", "close", "reopen")


class ThreadEvent(NamedTuple):
    """One event as far as the order is concerned; `ranked_at` in milliseconds.

    `note` is an admin's private message; `other` is every event that changes no fact of the order,
    such as bot and system messages. `id` grows in the order in which a thread's events are stored.
    `seen_id` is the id up to which the author of an answer or close on the dashboard had seen the
    thread; None for every other event, and for acts through the API. `undoes` is the id of an
    earlier act on the dashboard that is an event: neither that event nor this one counts.
    """

    kind: Kind
    ranked_at: int
    id: int = 0
    seen_id: int | None = None
    undoes: int | None = None


class Settlement(NamedTuple):
    """The extent of what a thread's answers and closes settle (H28).

    `at` is the time of the last of them, `api_at` that of the last through the API, `seen_id` the
    highest id that one on the dashboard had seen; None if there is none. The three are exact: what
    an act on the dashboard had seen was received before the act.
    """

    at: int | None
    api_at: int | None
    seen_id: int | None

    def settles(self, event: ThreadEvent) -> bool:
        if _is_later(event.ranked_at, self.at):
            return False
        by_api = self.api_at is not None and event.ranked_at <= self.api_at
        return by_api or (self.seen_id is not None and event.id <= self.seen_id)


class Facts(NamedTuple):
    """The facts that determine the order of a thread; times in milliseconds, None: never.

    `priority`, `snoozed_until`, `due_at` and `member_status` are values kept by the caller, which
    no event changes here. `snoozed_until` stays while the thread is closed, when it has no effect;
    `due_at` is the time to answer a waiting thread by. A request is an event that asks for a
    person, see `is_request`. `unanswered_since` is the time of the earliest request that nothing
    settled, in a closed thread, too. `answer_seen_id` is the highest id that the author of an
    answer on the dashboard had seen; `close_seen_id` is the same for closes that no later reopen
    undid.
    """

    first_event_at: int | None = None
    last_client_at: int | None = None
    last_admin_at: int | None = None
    closed_at: int | None = None
    reopened_at: int | None = None
    handoff_at: int | None = None
    first_request_at: int | None = None
    unanswered_since: int | None = None
    unanswered: int = 0
    api_answered_at: int | None = None
    answer_seen_id: int | None = None
    api_closed_at: int | None = None
    close_seen_id: int | None = None
    closed: bool = False
    priority: str = "normal"
    snoozed_until: int | None = None
    due_at: int | None = None
    member_status: int = -1

    def keeping(self, values: "Facts") -> "Facts":
        """Returns these facts with the values of `values` that callers keep."""
        return self._replace(
            priority=values.priority,
            snoozed_until=values.snoozed_until,
            due_at=values.due_at,
            member_status=values.member_status,
        )

    @property
    def snoozed(self) -> bool:
        return self.snoozed_until is not None and not self.closed

    @property
    def settlement(self) -> Settlement:
        """The settlement; a close does not count if a reopen is later."""
        return Settlement(
            _latest(self.last_admin_at, self._unless_undone(self.closed_at)),
            _latest(self.api_answered_at, self._unless_undone(self.api_closed_at)),
            _latest(self.answer_seen_id, self.close_seen_id),
        )

    @property
    def waiting_since(self) -> int | None:
        return None if self.closed else self.unanswered_since

    @property
    def recent_at(self) -> int:
        """The time when the customer last wrote; else that of the first event; 0 without any."""
        at = self.first_event_at if self.last_client_at is None else self.last_client_at
        return 0 if at is None else at

    def subject(self, *others: Any) -> Subject:
        """Returns the values that conditions and sorts read: the facts, and `others` of other
        origins, in the order of Subject. Without `others` the thread is unassigned and empty."""
        answered = self.last_admin_at is not None
        return Subject(
            self.closed,
            answered,
            not answered and self.first_request_at is not None,
            self.snoozed,
            self.priority,
            self.member_status,
            self.waiting_since,
            self.last_client_at,
            self.first_event_at,
            self.closed_at if self.closed else None,
            self.due_at,
            self.first_request_at,
            self.snoozed_until if self.snoozed else None,
            *others,
        )

    def leaves_closed(self, event: ThreadEvent) -> bool:
        """Whether a closed thread stays closed with this event in it.

        A client message or handoff opens it unless a close settles it; a tie with a close through
        the API is open.
        """
        at = event.ranked_at
        if event.kind not in OPENING:
            return True
        if self.close_seen_id is not None and event.id <= self.close_seen_id:
            return not _is_later(at, self.closed_at)
        by_api = self._unless_undone(self.api_closed_at)
        return by_api is not None and by_api > at

    def _unless_undone(self, closed_at: int | None) -> int | None:
        undone = closed_at is not None and _is_later(self.reopened_at, closed_at)
        return None if undone else closed_at


class Step(NamedTuple):
    """The facts after more events, and the rest to read from stored events.

    `moved`: `unanswered_since` and `unanswered` must be read for this settlement; they are None and
    0 meanwhile. `needs_all`: the facts must be folded from all stored events.
    """

    facts: Facts
    moved: Settlement | None = None
    needs_all: bool = False


def is_request(kind: Kind, handoff_only: bool) -> bool:
    """Whether an event of this kind asks for a person.

    `handoff_only`: the source's chatbot answers until it hands over (key `--handoff`).
    """
    return kind == "handoff" or (kind == "client" and not handoff_only)


def advance(facts: Facts, events: Iterable[ThreadEvent], *, handoff_only: bool = False) -> Step:
    """Returns the facts after more events, in any order, each given once.

    Stored events are needed only if something was settled, or if a close on the dashboard is made,
    another close or reopen follows it, or one of the two is undone.
    """
    new = list(events)
    if _changes_what_closes_had_seen(facts, new):
        return Step(facts, needs_all=True)
    marks = marked(facts, new, handoff_only)
    closed = is_closed(marks, facts.closed, new)
    settled = facts.settlement
    if any(event.kind in _SETTLING for event in new) and marks.settlement != settled:
        moved = marks.settlement
        return Step(marks._replace(closed=closed, unanswered_since=None, unanswered=0), moved)
    unanswered_since, unanswered = _waiting(new, settled, handoff_only)
    return Step(
        marks._replace(
            closed=closed,
            unanswered_since=_earliest(facts.unanswered_since, unanswered_since),
            unanswered=facts.unanswered + unanswered,
        )
    )


def fold(events: Iterable[ThreadEvent], *, handoff_only: bool = False) -> Facts:
    """Folds the facts of a whole set of events; their order does not matter."""
    events_in_force = in_force(list(events))
    facts = marked(Facts(), events_in_force, handoff_only)
    facts = facts._replace(close_seen_id=seen_by_closes(events_in_force, facts.reopened_at))
    unanswered_since, unanswered = _waiting(events_in_force, facts.settlement, handoff_only)
    return facts._replace(
        closed=is_closed(facts, True, events_in_force),
        unanswered_since=unanswered_since,
        unanswered=unanswered,
    )


def _changes_what_closes_had_seen(facts: Facts, events: Iterable[ThreadEvent]) -> bool:
    """Whether `close_seen_id`, or its effect, may depend on more than the new events."""
    for event in events:
        if event.undoes is not None or (event.kind == "close" and event.seen_id is not None):
            return True
        if facts.close_seen_id is not None and event.kind in ("close", "reopen"):
            return True
    return False


def in_force(events: Collection[ThreadEvent]) -> list[ThreadEvent]:
    """Drops undone events and the events that undid them."""
    undone = {event.undoes for event in events if event.undoes is not None}
    return [event for event in events if event.undoes is None and event.id not in undone]


def seen_by_closes(events: Iterable[ThreadEvent], reopened_at: int | None) -> int | None:
    """Returns the highest id that the author of a close had seen, of those that no later reopen
    undid."""
    seen = [
        event.seen_id
        for event in events
        if event.kind == "close"
        and event.seen_id is not None
        and not (reopened_at is not None and reopened_at > event.ranked_at)
    ]
    return max(seen, default=None)


def is_closed(facts: Facts, was_closed: bool, events: Collection[ThreadEvent]) -> bool:
    """Whether a thread with these facts is closed; `was_closed`: without the new events."""
    if facts.closed_at is None or not _is_later(facts.closed_at, facts.reopened_at):
        return False
    if facts.close_seen_id is None:
        # All closes in effect came through the API, which settle by time alone.
        return _is_later(facts.closed_at, _latest(facts.last_client_at, facts.handoff_at))
    return was_closed and all(map(facts.leaves_closed, events))


def _waiting(
    events: Iterable[ThreadEvent], settled: Settlement, handoff_only: bool
) -> tuple[int | None, int]:
    """Returns the earliest request among these events that is not settled, and the number of
    unsettled client messages."""
    unanswered_since, unanswered = None, 0
    for event in events:
        if event.kind in OPENING and not settled.settles(event):
            if is_request(event.kind, handoff_only):
                unanswered_since = _earliest(unanswered_since, event.ranked_at)
            unanswered += event.kind == "client"
    return unanswered_since, unanswered


def marked(facts: Facts, events: Iterable[ThreadEvent], handoff_only: bool) -> Facts:
    """Returns the facts with the first and last times of each kind, and the ids that answers had
    seen; the others stay as they were."""
    marks: dict[str, int | None] = {}

    def mark(name: str, choose: Callable[[int | None, int | None], int | None], at: int) -> None:
        marks[name] = choose(marks[name] if name in marks else getattr(facts, name), at)

    for event in events:
        at = event.ranked_at
        mark("first_event_at", _earliest, at)
        if event.kind in _LAST:
            mark(_LAST[event.kind], _latest, at)
        if event.kind in _LAST_BY_API:
            if event.seen_id is None:
                mark(_LAST_BY_API[event.kind], _latest, at)
            elif event.kind == "admin":
                mark("answer_seen_id", _latest, event.seen_id)
        if is_request(event.kind, handoff_only):
            mark("first_request_at", _earliest, at)
    return facts._replace(**marks)  # type: ignore[arg-type]


def _is_later(at: int | None, than: int | None) -> bool:
    return at is not None and (than is None or at > than)


def _latest(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    return one if one > other else other


def _earliest(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    return one if one < other else other
