"""Forgets a customer: everything that is kept of the person, in one transaction."""

from typing import NamedTuple

from sqlalchemy import Connection, delete, select, update

from dashboard.intake.place import Placer
from dashboard.store import search_index
from dashboard.store.database import Database
from dashboard.store.models import admins, customers, events, sources, threads
from scoring.pages import all_tags
from scoring.ranking import Placement

#: An id stays taken for ever, but no longer tells what it was for: another event under it is a
#: conflict, and so is the same one.
_NO_FINGERPRINT = bytes(32)


class Erased(NamedTuple):
    """How much was deleted."""

    threads: int
    events: int


def erase_customer(database: Database, placer: Placer, source: str, customer: str) -> Erased | None:
    """Deletes a source's customer with all threads and their contents; None if there is none.

    Raises StorageUnavailable with nothing deleted. Redis is told; where it is away, healing is.
    """

    def write(connection: Connection) -> tuple[Erased, list[Placement]] | None:
        customer_id = _id_of(connection, source, customer)
        return None if customer_id is None else _erase(connection, customer_id)

    done = database.write(write)
    if done is None:
        return None
    placer.place(done[1])
    return done[0]


def _id_of(connection: Connection, source: str, customer: str) -> int | None:
    return connection.scalar(
        select(customers.c.id)
        .join(sources, sources.c.id == customers.c.source_id)
        .where(sources.c.name == source, customers.c.external_id == customer)
    )


def _erase(connection: Connection, customer_id: int) -> tuple[Erased, list[Placement]]:
    everywhere = frozenset(all_tags(connection.scalars(select(admins.c.id))))
    theirs = threads.c.customer_id == customer_id
    gone = [
        Placement(id, revision + 1, leave=everywhere, enter=frozenset(), scores=())
        for id, revision in connection.execute(
            select(threads.c.id, threads.c.revision).where(theirs)
        )
    ]
    in_theirs = events.c.thread_id.in_(select(threads.c.id).where(theirs))
    said_by_them = events.c.customer_id == customer_id
    search_index.forget_messages(connection, select(events.c.id).where(in_theirs | said_by_them))
    search_index.forget_customers(
        connection, select(customers.c.id).where(customers.c.id == customer_id)
    )
    nothing = {"body": None, "attachments": None, "data": None, "fingerprint": _NO_FINGERPRINT}
    emptied = connection.execute(
        update(events).where(in_theirs).values(nothing | {"thread_id": None, "customer_id": None})
    )
    # In threads that are somebody else's now, what was said is gone; that it was said, and when,
    # stays: the thread's place was computed from it.
    elsewhere = connection.execute(
        update(events).where(said_by_them).values(nothing | {"body": "", "customer_id": None})
    )
    connection.execute(delete(threads).where(theirs))
    connection.execute(delete(customers).where(customers.c.id == customer_id))
    return Erased(len(gone), emptied.rowcount + elsewhere.rowcount), gone
