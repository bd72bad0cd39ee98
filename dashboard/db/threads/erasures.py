"""Hashes of erased people and threads, so that no retry of an event brings them back."""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Literal

from sqlalchemy import Connection, bindparam, delete, select

from dashboard.db.models.accounts import sources
from dashboard.db.models.threads import customers, erasures
from dashboard.db.upsert import insert_on

Kind = Literal["customer", "thread"]

#: No chatbot retries an event for longer than this.
KEPT_MS = 30 * 24 * 3_600_000

_FIND = select(erasures.c.name_hash, erasures.c.erased_at).where(
    erasures.c.source_id == bindparam("source"),
    erasures.c.name_hash.in_(bindparam("hashes", expanding=True)),
)

_FIND_BY_SOURCE = (
    select(erasures.c.name_hash)
    .join(sources, sources.c.id == erasures.c.source_id)
    .where(
        sources.c.name == bindparam("source"),
        erasures.c.name_hash.in_(bindparam("hashes", expanding=True)),
    )
)
_KNOWN = (
    select(customers.c.external_id)
    .join(sources, sources.c.id == customers.c.source_id)
    .where(
        sources.c.name == bindparam("source"),
        customers.c.external_id.in_(bindparam("names", expanding=True)),
    )
)


def remember(
    connection: Connection, source_id: int, names: Iterable[tuple[Kind, str]], now_ms: int
) -> None:
    """Records what is erased now, by the source's ids; deletes old records."""
    connection.execute(delete(erasures).where(erasures.c.erased_at < now_ms - KEPT_MS))
    rows = [
        {"source_id": source_id, "name_hash": _hash(kind, name), "erased_at": now_ms}
        for kind, name in sorted(names)
    ]
    added = insert_on(connection, erasures)
    key = [erasures.c.source_id, erasures.c.name_hash]
    moved = {"erased_at": added.excluded.erased_at}
    connection.execute(added.on_conflict_do_update(index_elements=key, set_=moved), rows)


def among(
    connection: Connection, source_id: int, names: Collection[tuple[Kind, str]]
) -> dict[tuple[Kind, str], int]:
    """Maps those of the names that were erased to the time, in milliseconds since 1970."""
    if not names:
        return {}
    by_hash = {_hash(kind, name): (kind, name) for kind, name in names}
    parameters = {"source": source_id, "hashes": list(by_hash)}
    found = connection.execute(_FIND, parameters)
    return {by_hash[bytes(hash)]: erased_at for hash, erased_at in found}


def gone(connection: Connection, people: Iterable[str]) -> set[str]:
    """Returns those of the people, named SOURCE/ID, who were erased and have not written since.

    Requests without a time of their own, such as heartbeats, are refused for them.
    """
    by_source: dict[str, list[str]] = defaultdict(list)
    for person in people:
        source, _, name = person.partition("/")
        by_source[source].append(name)
    found: set[str] = set()
    for source, names in by_source.items():
        by_hash = {_hash("customer", name): name for name in names}
        hashes = connection.scalars(_FIND_BY_SOURCE, {"source": source, "hashes": list(by_hash)})
        erased = {by_hash[bytes(hash)] for hash in hashes}
        if erased:
            known = connection.scalars(_KNOWN, {"source": source, "names": sorted(erased)})
            found |= {f"{source}/{name}" for name in erased.difference(known)}
    return found


def _hash(kind: Kind, name: str) -> bytes:
    return hashlib.sha256(f"{kind}/{name}".encode()).digest()
