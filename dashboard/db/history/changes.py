"""The states of one thread: what each changed, and the acts and messages behind it."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, exists, select

from dashboard.db import conditions
from dashboard.db.history.past import WITH_CUSTOMERS, ended_of, now, threads_of, was
from dashboard.db.history.states import ENDED_OF
from dashboard.db.lists.membership import moment_of
from dashboard.db.models.history import history_state
from dashboard.db.models.history import thread_history as ended
from dashboard.db.models.threads import events, threads
from dashboard.db.threads import conversations
from dashboard.db.threads.thread_tags import tags_in
from dashboard.validation.strict_json import JsonObject
from scoring.conditions.subject import Subject

#: The values that are named when they change.
NAMED = (
    "closed",
    "waiting_since",
    "unanswered",
    "due_at",
    "priority",
    "assignee_id",
    "desk",
    "tags",
    "snoozed_until",
    "member_status",
    "locale",
    "archived",
)
_COLUMNS = ("listed_at", "revision", *NAMED)
_before = ended.alias("before")


def _is_shown(column: Callable[[str], ColumnElement[Any]]) -> ColumnElement[bool]:
    """Whether a state has another revision than the one before; only times that nobody sees differ
    otherwise, such as that of the next change."""
    same = _before.c.revision == column("revision")
    its = and_(_before.c.thread_id == column("id"), _before.c.until == column("listed_at"), same)
    return ~exists().where(its)


_NOW = (
    select(*(now(name).label(name) for name in _COLUMNS))
    .select_from(WITH_CUSTOMERS)
    .where(_is_shown(now))
)
_WAS = (
    select(*(was(name).label(name) for name in _COLUMNS))
    .join_from(
        ENDED_OF, ended, and_(ended.c.thread_id == ENDED_OF.c.id, ended.c.until == ENDED_OF.c.until)
    )
    .where(_is_shown(was))
    .order_by(ended.c.until.desc())
)

_MESSAGES = (
    select(events.c.id, events.c.role, events.c.private, events.c.ranked_at, events.c.received_at)
    .where(events.c.role.is_not(None))
    .order_by(events.c.id)
)


class Changes(NamedTuple):
    """Changes of a thread, the last one first; `next` is the time before which more happened, None
    if no more is known."""

    changes: list[JsonObject]
    next: int | None


def part(connection: Connection, thread_id: int, limit: int, before: int | None) -> Changes:
    """Returns the last changes of a thread, those before a time if one is given."""
    lasting = connection.execute(_NOW.where(threads.c.id == thread_id)).all()
    has_ended, began = _WAS, ended.c.until - ended.c.lasted
    if before is not None:
        lasting = [state for state in lasting if state.listed_at < before]
        has_ended = _WAS.where(began < before)
    past = connection.execute(has_ended.limit(limit + 1), {"ids": [thread_id]}).all()
    states = [*lasting, *past][: limit + 1]
    shown, is_cut = states[:limit], len(states) > limit
    begins = [state.listed_at for state in shown]
    earlier = states[-1].listed_at if is_cut else None
    found = _behind(connection, thread_id, begins, earlier, before)
    changes = [
        {"at": state.listed_at, "rev": state.revision, "changed": _changed(state, earlier)} | behind
        for state, earlier, behind in zip(shown, [*states[1:], None], found, strict=False)
    ]
    return Changes(changes, begins[-1] if is_cut else None)


def subject_at(connection: Connection, thread_id: int, at: int) -> tuple[Subject, int] | None:
    """Returns the subject of a thread as it was, and the moment that its lists reflected then; None
    if it was not there."""
    key = select(ENDED_OF.c.id, ENDED_OF.c.until).join(
        ended, and_(ended.c.thread_id == ENDED_OF.c.id, ended.c.until == ENDED_OF.c.until)
    )
    key = key.where(ended.c.until > at, ended.c.until - ended.c.lasted <= at)
    found = connection.execute(key, {"ids": [thread_id]}).first()
    past = threads_of(thread_id) if found is None else ended_of(*found)
    attributes = (past.adapted(value).label(name) for name, value in conditions.COLUMNS.items())
    statement = select(*attributes, past.states.c.listed_at, past.states.c.next_change_at)
    row = connection.execute(statement.select_from(past.source(("source",)))).first()
    if row is None or row.listed_at > at:
        return None
    *values, since, due = row
    return conditions.subject_of(values), moment_of(since, due, at)


def _changed(state: Any, earlier: Any | None) -> dict[str, list[Any]]:
    """Maps the values that differ from the state before to both; nothing is known before the
    first."""
    if earlier is None:
        return {}
    pairs = {name: [_value(earlier, name), _value(state, name)] for name in NAMED}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _value(state: Any, name: str) -> Any:
    value = getattr(state, name)
    if name == "tags":
        return sorted(tags_in(value))
    return None if name == "snoozed_until" and state.closed else value


def _behind(
    connection: Connection,
    thread_id: int,
    begins: Sequence[int],
    earlier: int | None,
    later: int | None,
) -> list[dict[str, list[JsonObject]]]:
    """Returns the acts and the messages behind each of the states that began then, newest first.
    `earlier` and `later`: when the states before and after all of them began, None: none is known.
    """
    found: list[dict[str, list[JsonObject]]] = [{"acts": [], "messages": []} for _ in begins]
    known = [at for at in (earlier, *begins[::-1], later) if at is not None]
    first = 0 if earlier is None else 1
    last = first + len(begins) - 1

    def add(kind: str, place: int, what: JsonObject) -> None:
        place = max(place, first) if earlier is None else place
        place = min(place, last) if later is None else place
        if first <= place <= last:
            found[last - place][kind].append(what)

    after = connection.scalar(select(history_state.c.since)) if earlier is None else earlier
    for at, act in conversations.stored_between(connection, thread_id, after or 0, later):
        # What an event brings begins its state. An act of an admin is dated later than all that was
        # stored before, and so perhaps later than its state.
        by_event = act.event_id is not None
        place = bisect_left(known, at) if by_event else bisect_right(known, at) - 1
        add("acts", place, act.to_json())
    is_between = and_(events.c.thread_id == thread_id, events.c.received_at > (after or 0))
    if later is not None:
        is_between &= events.c.received_at <= later
    for id, role, private, at, received_at in connection.execute(_MESSAGES.where(is_between)):
        message = {"id": id, "role": role, "private": private, "at": at, "received_at": received_at}
        add("messages", bisect_left(known, received_at), message)
    return found
