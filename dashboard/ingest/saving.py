"""Saves changed threads: computes the place of each on all lists, and writes what has changed.

This is where the order is decided. `save` is the last step of every change of a thread, by an
event, an admin's act, or time.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from sqlalchemy import Connection

from dashboard.db import policies
from dashboard.db.accounts import sources
from dashboard.db.driver import RowValues, Write, write_all
from dashboard.db.history import states as history
from dashboard.db.lists import query_lists, versions
from dashboard.db.lists.membership import Moves, moment_of, moves
from dashboard.db.lists.query_lists import QueryLists
from dashboard.db.lists.versions import Versions
from dashboard.db.policies import DueTimes
from dashboard.db.queues.entries import EntryChanges
from dashboard.db.threads import thread_states
from dashboard.db.threads.thread_states import Computed, ThreadState
from scoring.conditions.subject import Subject
from scoring.placing import Placement, Scores
from scoring.sorts import scores_of
from scoring.views import is_archived, views_of

#: Columns that the dashboard never shows. Changes of lists are found by comparing the lists.
_UNSEEN = frozenset({"listed_at", "next_change_at", "due_version"})


def save(
    connection: Connection,
    states: Collection[ThreadState],
    now_ms: int,
    current: Versions | None = None,
    also: Sequence[Write] = (),
) -> list[Placement]:
    """Writes the threads that changed, if only by time, each with its next revision; returns their
    placements. `current`: the versions, if read for writing already; `also`: more writes.
    """
    current = current or versions.current(connection, for_writing=True)
    lists = query_lists.of_version(connection, current.lists)
    hours = policies.of_version(connection, current.policies)
    asks_source = lists.asks_sources or hours.policies.asks_source
    names = _names_of_sources(connection, states if asks_source else ())
    due_times = DueTimes(hours, names)
    placements, changes = list[Placement](), list[tuple[ThreadState, RowValues]]()
    entries, ended = EntryChanges(lists), list[RowValues]()
    for state in states:
        _follow_hand_out(state)
        policy_changes_at = due_times.set(state, now_ms)
        place = place_of(lists, state, names.get(state.source_id, ""), current.history_days, now_ms)
        computed = _computed(state, place, policy_changes_at)
        changed = thread_states.changed(state, computed, place.scores)
        is_shown = state.row_changed or not _UNSEEN.issuperset(changed)
        was = history.ended(state, place.at)
        frees = lists.queue_mask != 0 and entries.add(
            state, place.moves, place.subject, place.at, place.scores, changed
        )
        if is_shown or place.moves.is_moved:
            state.revision += 1
            placements.append(place.placement(lists, state, is_shown, frees))
        elif changed.keys() <= {"listed_at"}:
            continue
        ended.append(was)
        changes.append((state, changed))
    also = [*also, history.write_of(ended)]
    write_all(connection, [*also, *thread_states.writes(changes), *entries.writes()])
    return placements


class Place(NamedTuple):
    """The place of a thread at a moment: its scores in SORTS, and its moves on lists of queries;
    `subject` is None if it is archived."""

    subject: Subject | None
    at: int
    scores: tuple[int, ...]
    moves: Moves

    def placement(
        self, lists: QueryLists, state: ThreadState, is_shown: bool, frees: bool
    ) -> Placement:
        """Returns the placement of a thread with a new revision. Unless the change `is_shown`, it
        names only the lists on which time has moved the thread: on other lists it would show no
        difference."""
        moves, unnamed, places = self.moves, 0, dict[str, Scores]()
        if is_shown:
            was_on = state.revision > 1 and not state.computed_before.archived
            places |= dict.fromkeys(views_of(state.stored) if was_on else ())
            places |= dict.fromkeys(views_of(state.facts) if self.subject else (), self.scores)
        if moves.held:
            unnamed = moves.unnamed(lists, is_shown)
            places |= dict.fromkeys(lists.index.names(moves.held & ~moves.holds))
        if self.subject and moves.holds:
            named = lists.index.names(moves.holds & ~unnamed)
            places |= lists.scores(named, self.subject, self.at, self.scores)
        return Placement(
            thread_id=state.id,
            revision=state.revision,
            lists=places,
            assignee_id=state.columns.assignee_id,
            unordered=lists.unordered,
            stays=unnamed != 0,
            is_shown=is_shown,
            frees=frees,
        )


def place_of(
    lists: QueryLists, state: ThreadState, source: str, history_days: int, now_ms: int
) -> Place:
    """Computes the place of a changed thread; `source` is the name of its source."""
    is_mentioned = state.columns.mentioned is not None
    archived = is_archived(state.facts, is_mentioned, history_days, now_ms)
    subject = state.subject(source)
    scores, now = scores_of(subject), None if archived else subject
    at = state.moment(now_ms)
    if not lists:
        return Place(now, at, scores, Moves())
    before = None
    if state.revision > 0 and not state.computed_before.archived:
        computed = state.computed_before
        was = moment_of(computed.listed_at, computed.next_change_at, now_ms)
        before = state.subject_before(source), was
    return Place(now, at, scores, moves(lists, before, now, at))


def _computed(state: ThreadState, place: Place, policy_changes_at: int | None) -> Computed:
    return Computed(
        state.facts.recent_at,
        state.facts.waiting_since,
        place.subject is None,
        place.at,
        _next_change(state, place.moves.next_change_at, policy_changes_at),
    )


def _names_of_sources(connection: Connection, states: Collection[ThreadState]) -> dict[int, str]:
    ids = {state.source_id for state in states}
    return sources.names_of(connection, ids) if ids else {}


def _next_change(state: ThreadState, *of_others: int | None) -> int | None:
    """Returns the time (ms) at which time alone next changes a thread: its lists, its policy, the
    end of its snooze, its due time, unless its chatbot was told of this wait, or the time by which
    its admin must open it. None: never."""
    facts = state.facts
    moments = [at for at in (*of_others, state.columns.take_until) if at is not None]
    if facts.snoozed_until is not None and not facts.closed:
        moments.append(facts.snoozed_until)
    if facts.due_at is not None and state.columns.due_told_for != facts.waiting_since:
        moments.append(facts.due_at)
    return min(moments, default=None)


def _follow_hand_out(state: ThreadState) -> None:
    """Forgets the queue of a thread that somebody has assigned by hand, and the time by which its
    admin must open it once somebody has dealt with it."""
    columns, facts = state.columns, state.facts
    if columns.queue_id is None:
        return
    if (
        columns.assignee_id != state.before.assignee_id
        and columns.queue_id == state.before.queue_id
    ):
        columns.queue_id = columns.take_until = None
    elif columns.take_until is not None and (
        facts.closed
        or facts.snoozed_until is not None
        or facts.last_admin_at != state.stored.last_admin_at
    ):
        columns.take_until = None
