"""`GET /archive`: what follows a live list, the threads that were closed long ago."""

import threading
from collections.abc import Callable

from flask import Response
from sqlalchemy import Connection

from dashboard.db.archive import reading
from dashboard.db.archive.reading import Part
from dashboard.db.database import Database
from dashboard.db.lists import named_lists, versions
from dashboard.db.lists.query_lists import QueryList
from dashboard.db.threads import thread_rows
from dashboard.web.admin.archive.models import Archived, ArchiveQuery
from dashboard.web.admin.views.responses import ViewProblem
from dashboard.web.http.identity import current
from dashboard.web.http.queries import excluded
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import done, route


class ArchiveApi:
    """Reads from SQL alone: Redis holds no archived thread."""

    def __init__(self, database: Database, clock: Callable[[], int]):
        self._database = database
        self._clock = clock
        #: One request at a time looks through the archive: events wait for one statement of it.
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
            return Part(reading.held(connection, query_list, now, query.ids), None)
        return reading.part(connection, query_list, now, query.limit, query.after)
