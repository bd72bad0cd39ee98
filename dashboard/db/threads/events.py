"""Stored events: which of two writers wins, look-ups by id, inserts, and the queries of a fold."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, and_, bindparam, case, func, or_, select, text

from dashboard.db import driver
from dashboard.db.driver import Ask, Row, RowValues, answer, by_name, insert_of
from dashboard.db.models.threads import events, threads
from dashboard.event_types import ADVICE, EDITS, EVENT_TYPES, HANDOFF
from scoring.facts import Kind, Settlement, ThreadEvent

#: The clocks of workers may differ by this many milliseconds.
CLOCKS_MS = 1_000
#: The time of a write in milliseconds, and the id of its event.
Stamp = tuple[int, str]


def wins(stamps: Mapping[str, Any], name: str, stamp: Stamp) -> bool:
    """Whether a write is later than the last one of this value."""
    last = stamps.get(name)
    return last is None or stamp > (last[0], last[1])


def stamped(stamps: Mapping[str, Any], names: Mapping[str, Stamp]) -> Mapping[str, Any]:
    """Returns the stamps with these added, in the form in which they are stored."""
    return {**stamps, **{name: list(stamp) for name, stamp in names.items()}}


def held_back(stamps: Mapping[str, Any], now: int) -> int:
    """Returns the time (ms) for an event stored now: never before a stored message of the thread.

    The clocks of workers differ by some milliseconds, and a reply that another worker stores must
    not come before the event that it answers. A clock that is further behind was set back: then its
    time counts.
    """
    last = max((stamps[name][0] for name in ("last", "note") if name in stamps), default=0)
    return last if now < last <= now + CLOCKS_MS else now


_KINDS = {name: type.kind for name, type in EVENT_TYPES.items()}
#: For each (thread, *settlement): the earliest unsettled request, and the number of unsettled
#: client messages.
_UNSETTLED = """
    SELECT events.thread_id,
           min(CASE WHEN events.type = '{handoff}'
                      OR (events.role = 'client' AND NOT :handoff_only)
                    THEN events.ranked_at END),
           count(CASE WHEN events.role = 'client' THEN 1 END)
    FROM {bounds} JOIN events ON events.thread_id = {id} AND events.ranked_at > {api_at}
     AND (events.ranked_at > {at} OR events.id > {seen_id})
    GROUP BY events.thread_id
"""
_UNSETTLED_BY_DIALECT = {
    "sqlite": text(
        _UNSETTLED.format(
            handoff=HANDOFF.name,
            bounds="json_each(:bounds) AS bounds",
            id="json_extract(bounds.value, '$[0]')",
            at="json_extract(bounds.value, '$[1]')",
            api_at="json_extract(bounds.value, '$[2]')",
            seen_id="json_extract(bounds.value, '$[3]')",
        )
    ),
    "postgresql": text(
        _UNSETTLED.format(
            handoff=HANDOFF.name,
            bounds="jsonb_array_elements(CAST(:bounds AS jsonb)) AS bounds",
            id="CAST(bounds -> 0 AS bigint)",
            at="CAST(bounds -> 1 AS bigint)",
            api_at="CAST(bounds -> 2 AS bigint)",
            seen_id="CAST(bounds -> 3 AS bigint)",
        )
    ),
}
_KNOWN = by_name(events, ["external_id", "id", "fingerprint", "thread_id"])
_ADD = insert_of(events, [one.key for one in events.c if one.key not in ("id", "edit_id")])
#: The events of threads `ids` that facts depend on, with the columns that `folded` reads.
FOLDED = select(
    events.c.thread_id,
    events.c.type,
    events.c.role,
    events.c.private,
    events.c.ranked_at,
    events.c.id,
    events.c.seen_id,
    events.c.undoes_id,
).where(
    events.c.thread_id.in_(bindparam("ids", expanding=True)),
    events.c.type.not_in((*EDITS, *ADVICE)),
)
_SENT = (
    select(events.c.id, events.c.thread_id)
    .join(threads, threads.c.id == events.c.thread_id)
    .where(
        events.c.id.in_(bindparam("ids", expanding=True)),
        threads.c.source_id == bindparam("source"),
        events.c.author_id.is_not(None),
        events.c.role == "admin",
        events.c.private.is_(False),
    )
)


class KnownEvent(NamedTuple):
    """The part of a stored event that tells a repeated event from another one with the same id."""

    id: int
    fingerprint: bytes
    thread_id: int | None


def kind_of(type: str, role: str | None, private: bool) -> Kind:
    """Returns the kind of an event, as scoring.facts distinguishes them."""
    if role == "client":
        return "client"
    if role == "admin":
        return "note" if private else "admin"
    return _KINDS.get(type, "other")


def is_any(connection: Connection) -> bool:
    """Whether any event is stored."""
    return connection.execute(select(events.c.id).limit(1)).first() is not None


def known(connection: Connection, source_id: int, names: Collection[str]) -> dict[str, KnownEvent]:
    """Returns the stored events among these ids of a source, by id."""
    return answer(connection, ask_known(source_id, names))


def ask_known(source_id: int, names: Collection[str]) -> Ask[dict[str, KnownEvent]]:
    """Returns the query of `known`."""
    return Ask(_KNOWN, {"source": source_id, "names": driver.dumps([*names])}, _known)


def _known(rows: Sequence[Row]) -> dict[str, KnownEvent]:
    return {name: KnownEvent(id, bytes(hash), thread_id) for name, id, hash, thread_id in rows}


def sent(connection: Connection, source_id: int, ids: Collection[int]) -> dict[int, int]:
    """Maps event ids to thread ids, for public messages of admins in threads of a source."""
    if not ids:
        return {}
    rows = connection.execute(_SENT, {"ids": list(ids), "source": source_id})
    return {row.id: row.thread_id for row in rows}


def add(connection: Connection, rows: Sequence[RowValues]) -> dict[str, int]:
    """Adds events; returns their row ids by external ids. Raises IntegrityError."""
    return _ADD.insert(connection, rows, "external_id")


def unsettled(
    connection: Connection, settled: Mapping[int, Settlement], handoff_only: bool
) -> dict[int, tuple[int | None, int]]:
    """Maps threads to (earliest unsettled request, number of unsettled client messages). Threads
    without any event after the settlement are left out."""
    if not settled:
        return {}
    bounds = [
        [id, *(-1 if bound is None else bound for bound in settlement)]
        for id, settlement in sorted(settled.items())
    ]
    statement = _UNSETTLED_BY_DIALECT[connection.dialect.name]
    parameters = {"bounds": json.dumps(bounds), "handoff_only": handoff_only}
    rows = connection.execute(statement, parameters)
    return {id: (request, count) for id, request, count in rows}


def folded(connection: Connection, thread_ids: Collection[int]) -> dict[int, list[ThreadEvent]]:
    """Returns all events of these threads, in the form that `scoring.facts.fold` takes."""
    by_thread: dict[int, list[ThreadEvent]] = {id: [] for id in thread_ids}
    if not by_thread:
        return by_thread
    rows = connection.execute(FOLDED, {"ids": list(thread_ids)})
    for thread_id, *values in rows:
        by_thread[thread_id].append(thread_event(*values))
    return by_thread


def thread_event(type: str, role: str | None, private: bool, *numbers: Any) -> ThreadEvent:
    """Returns an event for the fold, by the columns of FOLDED after the thread."""
    return ThreadEvent(kind_of(type, role, private), *numbers)


class Arrived(NamedTuple):
    """Events stored in a thread after a moment: the receipt of the first client message or handoff,
    in milliseconds, and whether an admin has answered."""

    called_at: int | None
    is_answered: bool


def last_id(connection: Connection, thread_id: int) -> int:
    """Returns the id of the event that was stored last in a thread; 0 without any."""
    statement = select(func.max(events.c.id)).where(events.c.thread_id == thread_id)
    return connection.scalar(statement) or 0


def arrived_after(connection: Connection, thread_id: int, known_id: int) -> Arrived:
    """Reads what was stored in a thread after the event with this id."""
    called = or_(events.c.role == "client", events.c.type == HANDOFF.name)
    answered = and_(events.c.role == "admin", events.c.private.is_(False))
    statement = select(
        func.min(case((called, events.c.received_at))), func.count(case((answered, 1)))
    ).where(events.c.thread_id == thread_id, events.c.id > known_id)
    called_at, answers = connection.execute(statement).one()
    return Arrived(called_at, answers > 0)


def seen_id(connection: Connection, thread_id: int, message_id: int) -> int | None:
    """Returns the id up to which an admin who saw this message has seen the thread (0: none).

    Client messages that were stored later are not seen. Other events are seen if they were stored
    before the first of these: a handoff has no message of its own. None if the thread has no such
    message. Events stored before the message are skipped in the index of the conversation.
    """
    unseen = case((events.c.id > message_id, events.c.id))
    statement = select(
        func.min(case((events.c.role == "client", unseen))),
        func.max(events.c.id),
        func.count(case((events.c.id == message_id, events.c.role))),
    ).where(events.c.thread_id == thread_id, events.c.id >= message_id)
    first_unseen, last, is_message = connection.execute(statement).one()
    if message_id and not is_message:
        return None
    return (last or 0) if first_unseen is None else first_unseen - 1
