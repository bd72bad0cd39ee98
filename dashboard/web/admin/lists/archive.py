"""Closed threads beyond the lists, and threads by their ids: routes, bodies, answers."""

import threading
from typing import Annotated, Any

from flask import Response
from pydantic import BeforeValidator, Field, WithJsonSchema
from sqlalchemy import Connection

from dashboard.db import archive
from dashboard.db.archive import Part
from dashboard.db.lists import named_lists, versions
from dashboard.db.lists.entries import Position
from dashboard.db.lists.query_lists import QueryList
from dashboard.db.threads import thread_rows
from dashboard.services import Services
from dashboard.validation.fields import INTEGER_MAX, fault
from dashboard.web.admin.lists.views import ViewProblem
from dashboard.web.admin.requests import ExplainQuery
from dashboard.web.admin.responses import Row
from dashboard.web.http.identity import current
from dashboard.web.http.queries import DIGITS, Ids, excluded
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import done, route
from dashboard.web.http.schemas import Answer, ThreadId

ROWS_DEFAULT = 50
ROWS_MAX = 100
_DIGITS_MAX = 16


def _position(text: Any) -> Any:
    """Parses `score,id`."""
    parts = text.split(",") if isinstance(text, str) else ()
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() for part in parts):
        raise fault("wrong_type", "must be score,id: two whole numbers")
    score, id = (int(part[: _DIGITS_MAX + 1]) for part in parts)
    if max(score, id) > INTEGER_MAX:
        raise fault("number_out_of_range", f"must be 0 to {INTEGER_MAX}")
    return score, id


class ArchiveQuery(ExplainQuery):
    """A list, and the part of its archived threads to read."""

    after: Annotated[
        Position | None,
        BeforeValidator(_position),
        WithJsonSchema({"type": "string", "pattern": "^[0-9]{1,16},[0-9]{1,16}$"}),
        Field(description="`next` of the answer before, as `score,id`."),
    ] = None
    limit: Annotated[int, Field(ge=1, le=ROWS_MAX), DIGITS] = ROWS_DEFAULT
    ids: Annotated[Ids, Field(description="Those of these threads alone.")] = []  # noqa: RUF012


class Archived(Answer):
    """Archived threads of a list, in its order: ids and scores, and rows."""

    ids: list[ThreadId]
    scores: list[int]
    rows: list[Row]
    next: Annotated[
        tuple[int, int] | None,
        Field(description="(score, id) after which more may follow; null at the end."),
    ]
    days: Annotated[int, Field(description="What was closed longer ago is archived.")]


class ArchiveApi:
    """Reads only from SQL: Redis holds no archived thread."""

    def __init__(self, services: Services):
        self._database = services.database
        self._clock = services.clock
        #: One request at a time searches the archive: events wait for only one statement of it.
        self._one_look = threading.Lock()

    @route(
        "GET",
        "/archive",
        "getArchive",
        summary="Read the threads of a list that were closed too long ago to be live",
        description="In the order of the list, which they follow. With `ids`, those of these "
        "threads that are archived and on the list.",
        query=ArchiveQuery,
        answers=done(Archived),
        problems=(404,),
        problem=ViewProblem,
    )
    def archive(self, query: ArchiveQuery) -> Response:
        if query.ids and query.after is not None:
            raise excluded("after", "ids")
        identity = current()
        name = query.list_of(identity.desks)
        with self._one_look, self._database.read() as connection:
            query_list = named_lists.find(connection, name, identity.admin_id).query_list
            found = self._found(connection, query_list, query)
            ids = [entry.id for entry in found.entries]
            rows = thread_rows.rows(connection, ids, identity.desks)
            days = versions.current(connection).history_days
        return json_response(
            {
                "ids": ids,
                "scores": [entry.score for entry in found.entries],
                "rows": [rows[id] for id in ids if id in rows],
                "next": found.next,
                "days": days,
            }
        )

    def _found(self, connection: Connection, query_list: QueryList, query: ArchiveQuery) -> Part:
        now = self._clock()
        if query.ids:
            return Part(archive.held(connection, query_list, now, query.ids), None)
        return archive.part(connection, query_list, now, query.limit, query.after)
