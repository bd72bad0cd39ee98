"""The course of a thread: its turns, one after the other, by the times of its events."""

from collections.abc import Collection, Iterator
from itertools import groupby
from operator import attrgetter
from typing import Literal, NamedTuple

from scoring.facts import (
    OPENING,
    Facts,
    Settlement,
    ThreadEvent,
    in_force,
    is_closed,
    is_request,
    marked,
    seen_by_closes,
)

#: `message` is an admin's message that ends no wait. `waiting` and `waited` are the begin and the
#: end of a time in which the customer waits, `began` that of the thread.
TurnKind = Literal[
    "began", "closed", "reopened", "first_reply", "next_reply", "message", "waiting", "waited"
]


class Turn(NamedTuple):
    """A turn of a thread, made by an event at `at`.

    `since`: the time of the earliest request that a reply answers, or that waited until a close
    ended the wait (None after a reply); of a close, the time at which the thread was opened. Times
    in milliseconds.
    """

    kind: TurnKind
    at: int
    event_id: int
    since: int | None = None


def course(events: Collection[ThreadEvent], *, handoff_only: bool = False) -> list[Turn]:
    """Returns the turns of a thread by all its events, in the order of time.

    A turn is a difference between the facts (`facts.fold`) of the events up to a millisecond and of
    those before it. Events that were undone, and those that undid them, make none.
    """
    walk, turns = _Walk(handoff_only), list[Turn]()
    ordered = sorted(in_force(events), key=attrgetter("ranked_at", "id"))
    for _, group in groupby(ordered, key=attrgetter("ranked_at")):
        turns += walk.turns(list(group))
    return turns


class _Walk:
    """The facts up to a moment, without reading all events again at each."""

    def __init__(self, handoff_only: bool):
        self._handoff_only = handoff_only
        self._facts = Facts()
        self._closed = False
        self._waiting: int | None = None
        self._opened_at: int | None = None
        self._closes: list[ThreadEvent] = []
        self._openings: list[ThreadEvent] = []
        #: Requests that no answer has settled.
        self._requests: list[ThreadEvent] = []

    def turns(self, group: list[ThreadEvent]) -> Iterator[Turn]:
        """Yields the turns that the next events make, all of one millisecond."""
        was_answered, was_closed = self._facts.last_admin_at is not None, self._closed
        waiting, at, last = self._waiting, group[0].ranked_at, group[-1].id
        self._take(group)
        if self._opened_at is None:
            self._opened_at = at
            yield Turn("began", at, group[0].id)
        messages = [event.id for event in group if event.kind == "admin"]
        has_replied = bool(messages) and waiting is not None and self._waiting != waiting
        if has_replied:
            yield Turn("next_reply" if was_answered else "first_reply", at, messages[0], waiting)
        for id in messages[has_replied:]:
            yield Turn("message", at, id)
        if (waiting is None) != (self._waiting is None):
            since = None if has_replied else waiting
            yield Turn("waiting" if waiting is None else "waited", at, last, since)
        if self._closed and not was_closed:
            id = next(event.id for event in group if event.kind == "close")
            yield Turn("closed", at, id, self._opened_at)
        elif was_closed and not self._closed:
            self._opened_at = at
            yield Turn("reopened", at, last)

    def _take(self, group: list[ThreadEvent]) -> None:
        kinds = {event.kind for event in group}
        facts = marked(self._facts, group, self._handoff_only)
        self._openings += [event for event in group if event.kind in OPENING]
        self._requests += [event for event in group if is_request(event.kind, self._handoff_only)]
        if kinds & {"close", "reopen"}:
            self._closes += [event for event in group if event.kind == "close"]
            facts = facts._replace(close_seen_id=seen_by_closes(self._closes, facts.reopened_at))
        if "close" in kinds:
            self._closed = is_closed(facts, True, self._openings)
        elif self._closed:
            self._closed = is_closed(facts, True, group)
        if "admin" in kinds:
            answers = Settlement(facts.last_admin_at, facts.api_answered_at, facts.answer_seen_id)
            self._requests = [one for one in self._requests if not answers.settles(one)]
        self._facts = facts
        self._waiting = None if self._closed else self._earliest()

    def _earliest(self) -> int | None:
        settled = self._facts.settlement
        times = (one.ranked_at for one in self._requests if not settled.settles(one))
        return next(times, None)
