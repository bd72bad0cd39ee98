"""`GET /events`: lets chatbots read the acts of admins from cursor to cursor."""

from collections.abc import Callable
from typing import Annotated

from flask import Response
from pydantic import Field

from dashboard.db.accounts.api_keys import Caller
from dashboard.db.database import Database
from dashboard.db.outbox import outgoing
from dashboard.files.addresses import FileAddresses
from dashboard.validation.field_errors import field_error
from dashboard.web.bot.responses import OutgoingEvents
from dashboard.web.http.cursors import Cursors
from dashboard.web.http.queries import DIGITS, Cursor, Query
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import Documented, route

LIMIT_DEFAULT = 100
LIMIT_MAX = 500
_LIST_NAME = "events"


class OutboxQuery(Query):
    """The cursor to continue from; without `after` reading begins with the oldest kept event."""

    after: Annotated[Cursor, Field(description="`next` of the answer before.")] = None
    limit: Annotated[int, Field(ge=1, le=LIMIT_MAX, examples=[100]), DIGITS] = LIMIT_DEFAULT


class OutboxApi:
    """Reads the outbox of the caller's source."""

    def __init__(
        self,
        database: Database,
        clock: Callable[[], int],
        cursors: Cursors,
        addresses: FileAddresses,
    ):
        self._addresses = addresses
        self._database = database
        self._clock = clock
        self._cursors = cursors

    @route(
        "GET",
        "/events",
        "getEvents",
        scope="read",
        summary="Read what admins did in your threads",
        description="In the order in which it was committed, none skipped, kept "
        "for 30 days. Come back with `next` as `after`, also when nothing came: a chatbot that was "
        "away catches up by itself, and what stands before `after` counts as received. The same "
        "events go to webhooks, with the headers and signatures of Standard Webhooks; an `id` "
        "stays the same however often its event is sent, and `seq` counts within a thread. Notes "
        "are never among them. To webhooks alone goes `admin.typing`, while an admin writes a "
        "reply: without `seq`, with `data.by` and `data.until`, not kept. When the customer has a "
        "message, post a `receipt` for `data.id`.",
        query=OutboxQuery,
        answers={200: Documented("Up to `limit` events.", (OutgoingEvents,))},
    )
    def get_events(self, caller: Caller, query: OutboxQuery) -> Response:
        """Answers up to `limit` events after a cursor, and the next cursor in any case.

        Raises Invalid for a wrong cursor and StorageUnavailable.
        """
        position = 0
        if query.after is not None:
            position = self._cursors.decode(_LIST_NAME, query.after, "/after")
        self._assign_positions()
        with self._database.read() as connection:
            if position > outgoing.head(connection):
                # A cursor of another database: no event would ever come after it.
                raise field_error("/after", "unknown_value", "is no cursor of this list")
            events, last = outgoing.after(connection, caller.source_id, position, query.limit)
            is_news = outgoing.read_to(connection, caller.source_id) < position
        if is_news:
            self._database.write(
                lambda connection: outgoing.save_read_position(
                    connection, caller.source_id, position, self._clock()
                ),
                is_idempotent=True,
            )
        next = self._cursors.encode(_LIST_NAME, last)
        documents = [self._addresses.for_chatbots(event.document()) for event in events]
        return json_response({"events": documents, "next": next})

    def _assign_positions(self) -> None:
        """Assigns positions to all events committed by now, so that they can be read."""
        with self._database.read() as connection:
            if not outgoing.needs_positions(connection):
                return
        while self._database.write(
            lambda connection: outgoing.assign_positions(connection, self._clock()),
            is_idempotent=True,
        ):
            pass
