"""Hands out the threads of queues, and takes them back.

Each hand-out is one transaction under the lock of `definitions.lock`, while no other write of a
thread is between its reads and its commit: so capacity and order hold at every commit, and any
worker may make it.
"""

import logging
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import Connection

from dashboard.db.accounts import admins as accounts
from dashboard.db.database import Database
from dashboard.db.lists import versions
from dashboard.db.queues import admins, definitions, entries, history
from dashboard.db.queues.definitions import Queue, QueueState
from dashboard.db.queues.entries import Position
from dashboard.db.threads import thread_states, threads
from dashboard.db.threads.thread_states import ThreadState
from dashboard.errors import NotFound, Problem, StorageUnavailable
from dashboard.ingest import outgoing
from dashboard.ingest.matching import AT_ONCE, Match, Staff, pulled, pushed, why
from dashboard.ingest.outgoing import Admin, Given
from dashboard.ingest.saving import save
from dashboard.tasks import Backoff, PeriodicTask, RunsTask
from dashboard.validation.strict_json import JsonObject
from scoring.placing import Placement

log = logging.getLogger(__name__)

#: Threads with new entries that one transaction adds to a list of a queue.
FILLED_AT_ONCE = 2_000
#: Pause after these: SQLite lets no other green thread of the process run meanwhile.
FILL_PAUSE_SECONDS = 0.02
#: Longest and shortest interval of looking for hand-outs; a change makes it look at once.
POLL_SECONDS, LEAST_SECONDS = 15.0, 0.1
RETRY_SECONDS = 0.25

Place = Callable[[Sequence[Placement]], object]


class HandOut(NamedTuple):
    """A thread that was handed out; `rank` is its place, from 1 on, among `of` in the queue that
    its admin sees."""

    thread_id: int
    queue: Queue
    act_id: int
    rank: int
    of: int


class Outlook(NamedTuple):
    """Work to be done now, as of a number of hand-outs, and the time (ms) at which time alone next
    makes a hand-out or a return possible; None: never."""

    has_to_fill: bool
    has_returns: bool = False
    has_hand_outs: bool = False
    next_at: int | None = None
    hand_outs: int = 0


class Pushed(NamedTuple):
    """The placements of threads that were handed out; `is_all`: no others are due now."""

    placements: Sequence[Placement]
    is_all: bool


class HandingOut:
    """Hands out threads; `clock` gives milliseconds since 1970.

    All raise StorageUnavailable, with nothing stored.
    """

    def __init__(self, database: Database, clock: Callable[[], int]):
        self._database = database
        self._clock = clock

    def pull(
        self, admin: Admin, queue_id: int | None = None
    ) -> tuple[HandOut | None, Sequence[Placement]]:
        """Gives the admin the first thread that the admin may have, of the first queue that has
        one; None without any.

        Raises Problem (409): `at_capacity`, and `not_pulled` for a queue that hands out by itself;
        NotFound for an unknown queue.
        """
        with self._database.read() as connection:
            state, now = definitions.state(connection), self._clock()
            if _asked_for(connection, state, admin.id, queue_id, now) is None:
                return None, []  # Without a lock: many ask again and again while there is nothing.

        def write(connection: Connection) -> tuple[HandOut | None, Sequence[Placement]]:
            state = definitions.lock(connection)
            now = self._begin(connection)
            while match := _asked_for(connection, state, admin.id, queue_id, now):
                place = _rank(connection, match)
                acts, placements = _give(connection, state, [match], now, admin)
                if acts:
                    return HandOut(match.thread_id, match.queue, acts[0], *place), placements
            return None, []

        return self._database.write(write)

    def open(self, admin_id: int, thread_id: int) -> bool:
        """Notes that the admin has opened a thread: it stays, if a queue gave it to the admin.
        Returns whether the admin had to open it."""
        with self._database.read() as connection:
            is_awaited = threads.is_to_open(connection, thread_id, admin_id)
        if is_awaited:
            self._database.write(
                lambda connection: threads.set_opened(connection, thread_id, admin_id)
            )
        return is_awaited

    def look(self) -> Outlook:
        """Returns what is to be done; reads only."""
        with self._database.read() as connection:
            queues = {queue.id: queue for queue in definitions.listing(connection)}
            reasons = entries.unfilled, entries.has_unused, entries.has_lost
            has_to_fill = any(reason(connection) for reason in reasons)
            if not queues:
                return Outlook(has_to_fill)
            now = self._clock()
            returns_at = [
                one.offline_since + queues[one.queue_id].offline_after_ms
                for one in admins.held_offline(connection)
                if _returns(one, queues)
            ]
            state = definitions.state(connection)
            staff = Staff.read(connection, state, now)
            return Outlook(
                has_to_fill,
                any(at <= now for at in returns_at),
                any(True for _ in pushed(connection, state, staff, now)),
                _next_moment(connection, queues.values(), returns_at, now),
                state.hand_outs,
            )

    def push(self, found_at: int | None = None) -> Pushed:
        """Makes the hand-outs that are due, AT_ONCE at most; none if others have made some since
        the number of hand-outs `found_at`: then probably those that were due."""

        def write(connection: Connection) -> Pushed:
            state = definitions.lock(connection)
            if found_at is not None and found_at != state.hand_outs:
                return Pushed([], is_all=False)
            now = self._begin(connection)
            staff = Staff.read(connection, state, now)
            matches = list(pushed(connection, state, staff, now))
            if not matches:
                return Pushed([], is_all=True)
            acts, placements = _give(connection, state, matches, now, None)
            return Pushed(placements, len(acts) == len(matches) < AT_ONCE)

        return self._database.write(write)

    def _begin(self, connection: Connection) -> int:
        """Waits until no write of a thread is under way, and has others wait; returns the time (ms)
        afterwards: threads that came meanwhile are there, too. The caller holds the lock of
        `definitions.lock`."""
        versions.wait_for_writers(connection)
        return self._clock()

    def take_back(self) -> Sequence[Placement]:
        """Takes threads back from admins who have been offline for too long, AT_ONCE at most."""

        def write(connection: Connection) -> Sequence[Placement]:
            definitions.lock(connection)
            now = self._clock()
            queues = {queue.id: queue for queue in definitions.listing(connection)}
            held = [one for one in admins.held_offline(connection) if _is_gone(one, queues, now)]
            names = _names(connection, {one.admin_id for one in held})
            ids = [one.thread_id for one in held[:AT_ONCE]]
            offline = {one.thread_id: one for one in held}
            states = thread_states.locked_by_id(connection, ids)
            for state in states:
                one = offline[state.id]
                if (state.columns.assignee_id, state.columns.queue_id) == (
                    one.admin_id,
                    one.queue_id,
                ):
                    _return(connection, state, "offline", names, queues, now)
            return save(connection, states, now)

        return self._database.write(write)

    def fill(self) -> bool:
        """Adds entries of threads that were there before their list was a queue's, and removes
        those of former queues, and of queries that are wrong by now; returns whether there is more
        to do."""
        now = self._clock()

        def write(connection: Connection) -> bool:
            if entries.remove_unused(connection) or entries.forget_lost(connection):
                return True
            unfilled = entries.unfilled(connection)
            if unfilled is None:
                return False
            entries.fill(connection, unfilled, unfilled.filled_to + FILLED_AT_ONCE, now)
            return True

        return self._database.write(write)


class HandOuts(RunsTask):
    """Hands out threads whenever a change or time makes it possible. Every process runs one; they
    take turns under one lock, so none of them leads, and nothing is lost if one ends."""

    def __init__(
        self,
        handing_out: HandingOut,
        place: Place,
        clock: Callable[[], int],
        sleep: Callable[[float], object] = time.sleep,
    ):
        self._handing_out = handing_out
        self._place = place
        self._clock = clock
        self._sleep = sleep
        self._wait_seconds = POLL_SECONDS
        self._task = PeriodicTask(
            "handing out threads",
            self.turn,
            interval_seconds=lambda: self._wait_seconds,
            expected=(StorageUnavailable,),
            backoff=Backoff.constant(RETRY_SECONDS),
            least_seconds=LEAST_SECONDS,
        )

    def turn(self) -> int:
        """Does all that is to be done; returns the number of threads that were handed out or came
        back. Raises StorageUnavailable."""
        handing_out, count, was_beaten = self._handing_out, 0, False
        while True:
            outlook, made = handing_out.look(), Pushed([], is_all=True)
            if outlook.has_to_fill:
                handing_out.fill()
                self._sleep(FILL_PAUSE_SECONDS)
            returned = handing_out.take_back() if outlook.has_returns else []
            self._place(returned)
            if returned or outlook.has_hand_outs:
                # All processes find the same hand-outs: one of them makes writes of threads wait.
                is_sure = was_beaten or bool(returned)
                made = handing_out.push(None if is_sure else outlook.hand_outs)
                was_beaten = not made.is_all and not made.placements
            self._place(made.placements)
            count += len(returned) + len(made.placements)
            is_done = made.is_all and len(returned) < AT_ONCE and not outlook.has_to_fill
            if self._task.is_stopped or is_done:
                break
        self._wait_seconds = POLL_SECONDS
        if outlook.next_at is not None:
            left_seconds = (outlook.next_at - self._clock()) / 1_000
            self._wait_seconds = max(LEAST_SECONDS, min(POLL_SECONDS, left_seconds))
        return count


def return_untaken(connection: Connection, states: Iterable[ThreadState], now: int) -> None:
    """Takes back threads that their admins have not opened in time; these admins stop accepting. If
    the queue was deleted the thread stays with its admin.

    Saves nothing. The caller holds the lock of `definitions.lock` if there are such threads.
    """
    late = [state for state in states if is_untaken(state, now)]
    if not late:
        return
    queues = {queue.id: queue for queue in definitions.listing(connection)}
    names = _names(connection, {state.columns.assignee_id or 0 for state in late})
    for state in late:
        admin_id = state.columns.assignee_id
        assert admin_id is not None, "a thread that nobody has is not waited for"
        if state.columns.queue_id not in queues:
            state.columns.take_until = None
            continue
        admins.put(connection, admin_id, accepting=False)
        _return(connection, state, "not_taken", names, queues, now)


def is_untaken(state: ThreadState, now: int) -> bool:
    """Whether the time is over in which its admin had to open the thread."""
    until = state.columns.take_until
    return until is not None and until <= now


def release_to_queue(
    connection: Connection, admin: Admin, state: ThreadState, now: int, reason: str | None = None
) -> int:
    """Gives a thread back in the name of its admin, who is not given it again for a while; the
    caller saves it. Returns the act's id. Raises Problem as `check_may_give`."""
    assignee_id = state.columns.assignee_id
    assert assignee_id is not None
    if assignee_id == admin.id:
        history.note_release(connection, state.id, admin.id, now)
    queue_id = state.columns.queue_id
    queues = {queue.id: queue for queue in definitions.listing(connection)} if queue_id else {}
    data: JsonObject = {}
    if queue_id in queues:
        data = {"queue": _named(queues[queue_id]), "returned": "released"}
        history.count_return(connection, "released")
    # The chatbot does not get the reason.
    extra: JsonObject = {"note": reason} if reason else {}
    extra["before"] = _before(state, _names(connection, {assignee_id}))
    return outgoing.set_assignee(connection, admin, state, None, None, now, data, **extra)


def _asked_for(
    connection: Connection, state: QueueState, admin_id: int, queue_id: int | None, now: int
) -> Match | None:
    """Returns the thread that an admin gets who asks for one. Raises Problem and Invalid."""
    _check_pulled(connection, queue_id)
    asker = admins.one(connection, admin_id)
    if asker is None:
        return None
    load = admins.loads(connection, [admin_id], state.load)[admin_id]
    if load >= asker.capacity:
        raise _at_capacity(load, asker.capacity)
    staff = Staff.read(connection, state, now)
    return pulled(connection, staff, asker, now, queue_id)


def _check_pulled(connection: Connection, queue_id: int | None) -> None:
    if queue_id is None:
        return
    queue = definitions.find(connection, queue_id)
    if queue is None:
        raise NotFound("There is no such queue.")
    if queue.mode != "pull":
        raise Problem(409, "not_pulled", f"“{queue.name}” hands out its threads by itself.")


def _rank(connection: Connection, match: Match) -> Position:
    """Returns the place of the thread among those that its admin sees."""
    assert match.queue.number is not None and match.admin is not None
    seen = match.admin.seen
    place = entries.position(connection, match.queue.number, match.thread_id, seen)
    assert place is not None, "a thread that is handed out stands in its queue"
    return place


def _at_capacity(load: int, capacity: int) -> Problem:
    detail = f"You have {load} of {capacity} threads. Answer or close one first."
    return Problem(409, "at_capacity", detail, extra={"load": load, "capacity": capacity})


def _give(
    connection: Connection, state: QueueState, matches: Sequence[Match], now: int, by: Admin | None
) -> tuple[list[int], Sequence[Placement]]:
    """Assigns the threads, or only some; returns the ids of the acts, and the placements. `by`: the
    admin who asked for it, None if the queue acts by itself."""
    # A thread that is being written ends the row: a later one may not go out before it.
    locked = thread_states.locked_at_once(connection, [match.thread_id for match in matches])
    number, acts, given_to = state.hand_outs, list[int](), Counter[int]()
    given = {match.queue.id: match.queue.given for match in matches}
    for match, thread in zip(matches, locked, strict=False):
        admin = match.admin
        assert admin is not None
        if not _may_go_out(connection, match, thread):
            continue
        number += 1
        given[match.queue.id] += 1
        thread.columns.queue_id = match.queue.id
        if by is None:
            thread.columns.take_until = now + match.queue.take_within_ms
        acts.append(
            outgoing.set_assignee(
                *(connection, by, thread, Given(admin.id, admin.name), now, now),
                {"queue": _named(match.queue)},
                why=why(connection, match, state.load, given_to),
                since=match.entry.since,
                before=None,
            )
        )
        given_to[admin.id] += 1
        admins.note_given(connection, admin.id, number, now)
        history.note_hand_out(connection, match.queue.id, given[match.queue.id], now)
    definitions.set_hand_outs(connection, number)
    return acts, save(connection, locked, now)


def _may_go_out(connection: Connection, match: Match, thread: ThreadState) -> bool:
    """Whether the thread may be handed out; else its entry is removed. An entry that did not follow
    its thread would stop all hand-outs of all queues."""
    is_ready = entries.is_ready(thread.facts, thread.columns)
    if not is_ready:
        log.error("thread %d is not to be handed out: its entry is removed", thread.id)
        assert match.queue.number is not None
        entries.remove(connection, match.queue.number, [thread.id])
    return is_ready


def _next_moment(
    connection: Connection, queues: Iterable[Queue], returns_at: Iterable[int], now: int
) -> int | None:
    ready_at = [
        entries.next_ready_at(connection, queue.number, queue.delay * 1_000, now)
        for queue in queues
        if queue.mode == "push" and queue.delay and queue.number is not None
    ]
    moments = [*ready_at, *returns_at, history.next_end(connection, now)]
    return min((at for at in moments if at is not None), default=None)


def _is_gone(held: admins.Held, queues: dict[int, Queue], now: int) -> bool:
    return _returns(held, queues) and (
        held.offline_since + queues[held.queue_id].offline_after_ms <= now
    )


def _returns(held: admins.Held, queues: dict[int, Queue]) -> bool:
    """Whether the thread returns once its admin has been offline for long enough."""
    queue = queues.get(held.queue_id)
    if queue is None or queue.which == "none":
        return False
    return queue.which == "all" or held.is_waiting


def _return(
    connection: Connection,
    state: ThreadState,
    reason: str,
    names: dict[int, str],
    queues: dict[int, Queue],
    now: int,
) -> None:
    """Takes the thread back in the name of its queue."""
    queue = queues.get(state.columns.queue_id or 0)
    data: JsonObject = {"returned": reason}
    history.count_return(connection, reason)
    if queue is not None:
        data["queue"] = _named(queue)
    before = _before(state, names)
    outgoing.set_assignee(connection, None, state, None, None, now, data, before=before)


def _before(state: ThreadState, names: dict[int, str]) -> dict[str, object]:
    """Returns the assignee as acts keep it."""
    id = state.columns.assignee_id or 0
    return {"id": id, "name": names.get(id, ""), "assigned_at": state.columns.assigned_at}


def _named(queue: Queue) -> dict[str, object]:
    return {"id": queue.id, "name": queue.name}


def _names(connection: Connection, ids: Collection[int]) -> dict[int, str]:
    found = (accounts.by_id(connection, id) for id in ids)
    return {admin.id: admin.name for admin in found if admin is not None}
