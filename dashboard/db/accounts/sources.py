"""Sources: the chatbots, and the built-in source of the dashboard."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable

from sqlalchemy import Connection, bindparam, select, update

from dashboard.db.driver import Ask, Query, answer, insert_missing
from dashboard.db.lists import versions
from dashboard.db.models.accounts import sources
from dashboard.db.reports import progress
from dashboard.errors import StartError

#: The source of events from the dashboard; names of chatbots never contain an underscore.
DASHBOARD = "_lineup"
NAME = re.compile(r"[a-z0-9-]{1,64}")

_DESK = select(sources.c.desk).where(sources.c.id == bindparam("source"))
_HANDOFF_ONLY = Query(
    [sources.c.handoff_only], "SELECT handoff_only FROM sources WHERE id = :source"
)
_NAMES = select(sources.c.id, sources.c.name).where(
    sources.c.id.in_(bindparam("ids", expanding=True))
)


def named(connection: Connection, name: str) -> int | None:
    """Returns the id of the source with this name, or None."""
    return connection.scalar(select(sources.c.id).where(sources.c.name == name))


def names(connection: Connection) -> list[str]:
    """Returns the names of the chatbots' sources, in alphabetical order."""
    statement = select(sources.c.name).where(sources.c.name != DASHBOARD).order_by(sources.c.name)
    return list(connection.scalars(statement))


def names_by_source(people: Iterable[str]) -> dict[str, list[str]]:
    """Groups people, named SOURCE/ID, by source: source to ids."""
    by_source: dict[str, list[str]] = defaultdict(list)
    for person in people:
        source, _, name = person.partition("/")
        by_source[source].append(name)
    return by_source


def names_of(connection: Connection, ids: Collection[int]) -> dict[int, str]:
    """Maps source ids to names; unknown ids are left out."""
    rows = connection.execute(_NAMES, {"ids": list(ids)})
    return {row.id: row.name for row in rows}


def ensure(connection: Connection, name: str, now_ms: int) -> int:
    """Returns the id of a chatbot's source, added if unknown. Raises StartError: invalid name."""
    if not NAME.fullmatch(name):
        raise StartError("A source is named by 1 to 64 of a-z, 0-9 and “-”.")
    return _ensure(connection, name, now_ms)


def ensure_dashboard(connection: Connection, now_ms: int) -> int:
    """Returns the id of the built-in source, added if unknown."""
    return _ensure(connection, DASHBOARD, now_ms)


def dashboard_made_at(connection: Connection) -> int:
    """Returns when the built-in source was added, in milliseconds since 1970.

    It tells databases apart: a restored one has that of its backup, a new one another.
    """
    made_at = select(sources.c.created_at).where(sources.c.name == DASHBOARD)
    return int(connection.execute(made_at).scalar_one())


def desk_of(connection: Connection, source_id: int) -> str:
    """Returns the desk at which the source's threads begin."""
    return connection.execute(_DESK, {"source": source_id}).scalar_one()


def set_desk(connection: Connection, source_id: int, desk: str) -> None:
    """Sets the desk of the source's new threads; existing threads stay where they are."""
    connection.execute(update(sources).where(sources.c.id == source_id).values(desk=desk))


def by_desk(connection: Connection) -> dict[str, list[str]]:
    """Maps each desk to the names of the chatbots' sources that begin threads there, in order."""
    statement = select(sources.c.desk, sources.c.name).where(sources.c.name != DASHBOARD)
    names_by_desk: dict[str, list[str]] = {}
    for desk, name in connection.execute(statement.order_by(sources.c.name)):
        names_by_desk.setdefault(desk, []).append(name)
    return names_by_desk


def is_handoff_only(connection: Connection, source_id: int) -> bool:
    """Whether only a handoff requests a person, rather than each message of a customer.

    Read it after locking the threads and asking for the versions, so that no thread is folded by an
    outdated setting.
    """
    return answer(connection, ask_handoff_only(source_id))


def ask_handoff_only(source_id: int) -> Ask[bool]:
    """Returns the query of `is_handoff_only`."""
    return Ask(_HANDOFF_ONLY, {"source": source_id}, lambda rows: bool(rows and rows[0][0]))


def set_handoff_only(connection: Connection, source_id: int) -> bool:
    """Makes only a handoff request a person from now on. False if it already was so."""
    # Otherwise threads being written, which nobody else sees yet, would keep the old setting.
    versions.wait_for_writers(connection)
    changed = connection.execute(
        update(sources)
        .where(sources.c.id == source_id, sources.c.handoff_only.is_(False))
        .values(handoff_only=True)
    )
    if changed.rowcount > 0:
        progress.forget(connection, source_id)
    return changed.rowcount > 0


def refolded(connection: Connection) -> dict[int, int]:
    """Maps the sources with facts that are being computed again to the last thread that was."""
    its = sources.c
    rows = connection.execute(select(its.id, its.refolded_to).where(its.refolded_to.is_not(None)))
    return {row.id: row.refolded_to for row in rows}


def set_refolded(connection: Connection, source_id: int, thread_id: int | None) -> None:
    """Notes the last thread with facts that were computed again; None: all of the source are."""
    its = update(sources).where(sources.c.id == source_id)
    connection.execute(its.values(refolded_to=thread_id))


def _ensure(connection: Connection, name: str, now_ms: int) -> int:
    source_id = named(connection, name)
    if source_id is not None:
        return source_id
    insert_missing(connection, sources, [{"name": name, "created_at": now_ms}])
    return connection.scalars(select(sources.c.id).where(sources.c.name == name)).one()
