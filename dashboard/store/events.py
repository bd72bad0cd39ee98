"""Events as they are kept: whether one is known, adding new ones, and what a fold looks up."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, insert, select, text

from dashboard.store.models import events, threads
from scoring.facts import Kind, ThreadEvent

#: Events of these kinds say it by their type; messages by their role.
_KINDS: dict[str, Kind] = {
    "thread.handoff": "handoff",
    "thread.close": "close",
    "thread.reopen": "reopen",
}
#: For each asked (thread, time): the earliest call and the count of client messages after it.
_LATER = """
    SELECT events.thread_id,
           min(CASE WHEN events.type = 'thread.handoff'
                      OR (events.role = 'client' AND NOT :handoff_only)
                    THEN events.ranked_at END),
           count(CASE WHEN events.role = 'client' THEN 1 END)
    FROM {asked} JOIN events ON events.thread_id = {id} AND events.ranked_at > {time}
    GROUP BY events.thread_id
"""
_LATER_BY_DIALECT = {
    "sqlite": text(
        _LATER.format(
            asked="json_each(:asked) AS asked",
            id="json_extract(asked.value, '$[0]')",
            time="json_extract(asked.value, '$[1]')",
        )
    ),
    "postgresql": text(
        _LATER.format(
            asked="jsonb_array_elements(CAST(:asked AS jsonb)) AS asked",
            id="CAST(asked -> 0 AS bigint)",
            time="CAST(asked -> 1 AS bigint)",
        )
    ),
}
_KNOWN = select(events.c.external_id, events.c.id, events.c.fingerprint, events.c.thread_id).where(
    events.c.source_id == bindparam("source"),
    events.c.external_id.in_(bindparam("names", expanding=True)),
)
_ADD = insert(events)
_ADD_MANY = insert(events).returning(events.c.id, events.c.external_id)
_FOLDED = select(
    events.c.thread_id, events.c.type, events.c.role, events.c.private, events.c.ranked_at
).where(events.c.thread_id.in_(bindparam("ids", expanding=True)))
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
    """A stored event, as far as it tells whether another one under its id is the same."""

    id: int
    fingerprint: bytes
    thread_id: int | None


def kind_of(type: str, role: str | None, private: bool) -> Kind:
    """What an event is to the order of its thread."""
    if role == "client":
        return "client"
    if role == "admin":
        return "note" if private else "admin"
    return _KINDS.get(type, "other")


def known(connection: Connection, source_id: int, names: Collection[str]) -> dict[str, KnownEvent]:
    """Which of these ids of a source are taken, and by what."""
    found = connection.execute(_KNOWN, {"source": source_id, "names": list(names)})
    return {
        name: KnownEvent(id, bytes(fingerprint), thread_id)
        for name, id, fingerprint, thread_id in found
    }


def sent(connection: Connection, source_id: int, ids: Collection[int]) -> dict[int, int]:
    """Which of these are public messages that admins wrote in a source's threads: their threads."""
    if not ids:
        return {}
    found = connection.execute(_SENT, {"ids": list(ids), "source": source_id})
    return {row.id: row.thread_id for row in found}


def add(connection: Connection, rows: Sequence[dict[str, Any]]) -> dict[str, int]:
    """Stores events; their new ids by the ids that senders gave. Raises IntegrityError."""
    if len(rows) == 1:
        made = connection.execute(_ADD, rows[0]).inserted_primary_key
        assert made is not None
        return {rows[0]["external_id"]: made[0]}
    return {name: id for id, name in connection.execute(_ADD_MANY, list(rows))}


def later(
    connection: Connection, asked: Mapping[int, int | None], handoff_only: bool
) -> dict[int, tuple[int | None, int]]:
    """For each thread and its settled time: (earliest call after it, client messages after it).

    A thread without any such event is left out.
    """
    if not asked:
        return {}
    times = [[id, -1 if settled is None else settled] for id, settled in sorted(asked.items())]
    statement = _LATER_BY_DIALECT[connection.dialect.name]
    given = {"asked": json.dumps(times), "handoff_only": handoff_only}
    return {id: (call, count) for id, call, count in connection.execute(statement, given)}


def folded(connection: Connection, thread_ids: Collection[int]) -> dict[int, list[ThreadEvent]]:
    """All events of these threads, as a fold wants them."""
    found: dict[int, list[ThreadEvent]] = {id: [] for id in thread_ids}
    for id, type, role, private, ranked_at in connection.execute(
        _FOLDED, {"ids": list(thread_ids)}
    ):
        found[id].append(ThreadEvent(kind_of(type, role, private), ranked_at))
    return found
