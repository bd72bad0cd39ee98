"""The common steps of all acts of admins: lock the thread, name the author, write the event."""

import uuid
from typing import Any

from sqlalchemy import Connection

from dashboard.db.accounts import sources
from dashboard.db.accounts.admin_desks import Desks, sees
from dashboard.db.threads import thread_states
from dashboard.db.threads.thread_states import ThreadState
from dashboard.errors import NotFound
from dashboard.event_types import EventType
from dashboard.ingest.event_writer import Author, EventWriter
from dashboard.ingest.outgoing import Admin
from dashboard.ingest.schema import ParsedEvent, WriteResult
from dashboard.ingest.schema import event as new_event


def locked(connection: Connection, thread_id: int, desks: Desks) -> ThreadState:
    """Returns the thread, locked until the transaction ends. Raises NotFound, also for a thread at
    none of `desks`; None: all desks."""
    states = thread_states.locked_by_id(connection, [thread_id])
    if not states or not sees(desks, states[0].columns.desk):
        raise NotFound("There is no such thread.")
    return states[0]


def is_open(state: ThreadState) -> bool:
    return not state.facts.closed


def author(connection: Connection, admin: Admin) -> Author:
    """Returns the admin as the author of events of the dashboard's source."""
    source_id = sources.named(connection, sources.DASHBOARD)
    assert source_id is not None, "bring_to_head adds the dashboard's source"
    return Author(admin.id, admin.name, source_id)


def new_act(
    admin: Admin, state: ThreadState, type: EventType, now: int, **content: Any
) -> ParsedEvent:
    """Returns an event of the thread, by the admin."""
    id = f"{admin.id}:{uuid.uuid4().hex}"
    return new_event(id, type.name, now, thread=state.external_id, **content)


def write(
    connection: Connection, state: ThreadState, author: Author, event: ParsedEvent, now: int
) -> WriteResult:
    """Stores the event, and its thread with the new facts."""
    return EventWriter(connection, state.source_id, now, author).run([event])
