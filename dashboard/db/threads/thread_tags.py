"""Tags of threads: their stored form, and the events that changed them."""

from collections.abc import Collection, Mapping
from functools import lru_cache

from sqlalchemy import Connection, bindparam, select

from dashboard.db.models.threads import events, threads
from dashboard.event_types import TAGS
from scoring.conditions.subject import SETS, Subject
from scoring.conditions.tags import TagChange, Tags, folded

#: Positions of sets of texts in a Subject, from its end.
SETS_AT = [Subject._fields.index(name) - len(Subject._fields) for name in SETS]

_CHANGES = (
    select(
        events.c.thread_id,
        events.c.id,
        events.c.ranked_at,
        events.c.external_id,
        events.c.author_id,
        events.c.data,
        events.c.undoes_id,
    )
    .where(
        events.c.thread_id.in_(bindparam("ids", expanding=True)),
        events.c.ranked_at >= bindparam("since"),
        events.c.type == TAGS.name,
    )
    .order_by(events.c.id)
)


def in_column(tags: Collection[str]) -> str | None:
    """Returns tags as stored: sorted, with a blank before and after each; None without any."""
    return f" {' '.join(sorted(tags))} " if tags else None


@lru_cache(maxsize=10_000)
def tags_in(column: str | None) -> Tags:
    """Returns the tags of a stored text."""
    return frozenset(column.split()) if column else frozenset()


def stored(connection: Connection, thread_id: int) -> str | None:
    """Returns the stored text of a thread's tags."""
    return connection.scalar(select(threads.c.tags).where(threads.c.id == thread_id))


def difference(before: str | None, after: str | None) -> dict[str, list[str]]:
    """Returns the tags `added` and `removed` between two stored texts, as an act stores them,
    without empty lists."""
    was, tags = tags_in(before), tags_in(after)
    changes = {"added": sorted(tags - was), "removed": sorted(was - tags)}
    return {name: some for name, some in changes.items() if some}


def change_of(ranked_at: int, name: str, data: Mapping[str, Collection[str]]) -> TagChange:
    """Returns the changes of an event with this content; `name` is its id, or replaces it.

    Events keep tags as they were sent; here each is folded to the tag that is meant.
    """
    add, remove = (frozenset(map(folded, data.get(key, ()))) for key in ("add", "remove"))
    return TagChange((ranked_at, name), add, remove)


def name_of_admins(row_id: int | None = None) -> str:
    """Returns the replacement of the id in the stamp of an admin's event; None: not stored yet.

    At equal times admins' events are later than chatbots' (their ids contain no "~"), and among
    themselves in the order in which they were stored.
    """
    return "~~" if row_id is None else f"~{row_id:020}"


def changes_since(
    connection: Connection, thread_ids: Collection[int], since_ms: int
) -> dict[int, dict[int, TagChange]]:
    """Maps threads to the changes of tags by their stored events from a time on, by event id.

    Leaves out undone events and the events that undo them, which are never earlier.
    """
    if not thread_ids:
        return {}
    rows = connection.execute(_CHANGES, {"ids": list(thread_ids), "since": since_ms}).all()
    undone = {row.undoes_id for row in rows}
    by_thread: dict[int, dict[int, TagChange]] = {}
    for row in rows:
        if row.undoes_id is None and row.id not in undone:
            name = row.external_id if row.author_id is None else name_of_admins(row.id)
            change = change_of(row.ranked_at, name, row.data or {})
            by_thread.setdefault(row.thread_id, {})[row.id] = change
    return by_thread
