"""Changes the note that admins keep on a customer, for all of the customer's threads."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, select

from dashboard.db import audit
from dashboard.db.accounts.admin_desks import Desks, sees
from dashboard.db.audit import Actor, Target
from dashboard.db.database import Database
from dashboard.db.models.accounts import sources
from dashboard.db.models.threads import customers, threads
from dashboard.db.threads import customer_notes, thread_states
from dashboard.db.threads.customer_notes import Note
from dashboard.db.threads.thread_states import Locked
from dashboard.errors import ChangedMeanwhile, NotFound
from dashboard.ingest.outgoing import Admin
from dashboard.ingest.saving import save
from scoring.placing import Placement


class NewNote(NamedTuple):
    """A note as an admin wrote it; an empty text deletes the note.

    `customer` is SOURCE/ID, as on the admin's screen: the customer of a thread may change.
    `replaces` is the time (ms) of the note that the admin had seen, None if there was none.
    """

    customer: str
    text: str
    replaces: int | None


class CustomerNotes:
    """Writes notes on customers; `clock` gives milliseconds since 1970."""

    def __init__(self, database: Database, clock: Callable[[], int]):
        self._database = database
        self._clock = clock

    def change(
        self, admin: Admin, actor: Actor, thread_id: int, new: NewNote
    ) -> tuple[Note | None, Sequence[Placement]]:
        """Replaces the note on the customer of a thread, unless it is equal.

        All threads of the customer get a new revision, so that pages read the note again. Returns
        the note and their placements. Raises NotFound for an unknown thread, one that the admin
        does not see, or another customer; ChangedMeanwhile, with the present note;
        StorageUnavailable with nothing stored.
        """
        now = self._clock()

        def write(connection: Connection) -> tuple[Note | None, Sequence[Placement]]:
            customer_id, source_id = _customer(connection, thread_id, new.customer)
            # The customer is locked before the threads, as by events.
            old = customer_notes.stored(connection, customer_id, locked=True)
            locked = _locked(connection, source_id, customer_id, thread_id, admin.desks, now)
            if new.text == (old["text"] if old else ""):
                return old, []
            at = old["at"] if old else None
            if new.replaces != at:
                raise ChangedMeanwhile("the note", note=old)
            customer_notes.put(connection, customer_id, new.text, admin.id, max(now, (at or 0) + 1))
            source = {"source": new.customer.partition("/")[0]}
            target = Target(customer_id)
            audit.add(connection, now, actor, audit.CUSTOMER_NOTE_CHANGED, target, source)
            placements = save(connection, locked.states, now, locked.versions)
            return customer_notes.stored(connection, customer_id), placements

        return self._database.write(write)


def _customer(connection: Connection, thread_id: int, customer: str) -> tuple[int, int]:
    """Returns the id of the thread's customer, if it is this one, and of the source."""
    row = connection.execute(
        select(customers.c.id, customers.c.source_id)
        .join(threads, threads.c.customer_id == customers.c.id)
        .join(sources, sources.c.id == customers.c.source_id)
        .where(
            threads.c.id == thread_id, sources.c.name + "/" + customers.c.external_id == customer
        )
    ).first()
    if row is None:
        raise NotFound("There is no such thread of this customer.")
    return row[0], row[1]


def _locked(
    connection: Connection,
    source_id: int,
    customer_id: int,
    thread_id: int,
    desks: Desks,
    now_ms: int,
) -> Locked:
    """Returns all threads of the customer, as changed ones, and locks them."""
    locked = thread_states.locked(connection, source_id, (), {customer_id}, now_ms)
    thread_states.read_customers(connection, locked.states, {})
    desk = next((state.columns.desk for state in locked.states if state.id == thread_id), None)
    if desk is None or not sees(desks, desk):
        raise NotFound("There is no such thread.")
    for state in locked.states:
        state.row_changed = True
    return locked
