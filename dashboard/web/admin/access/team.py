"""The dashboard's call about the threads that a colleague has."""

from flask import Response

from dashboard.db.accounts import admins, team
from dashboard.db.database import Database
from dashboard.errors import NotFound
from dashboard.web.admin.responses import Answer
from dashboard.web.http.identity import current
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import done, route

#: Most threads in one answer.
THREADS_MAX = 5_000


class HeldThread(Answer):
    """A thread, and its desk."""

    id: int
    desk: str


class HeldThreads(Answer):
    """The open threads of an admin, including snoozed ones; at most 5,000."""

    threads: list[HeldThread]
    total: int


class TeamApi:
    """Calls below /admin/api/team/ID."""

    def __init__(self, database: Database):
        self._database = database

    @route(
        "GET",
        "/team/{admin_id}/threads",
        "getTeamThreads",
        summary="List the open threads that an admin has",
        answers=done(HeldThreads),
        problems=(404,),
    )
    def threads(self, admin_id: int) -> Response:
        """Returns the threads that the caller sees, by id, so that all can be handed over."""
        with self._database.read() as connection:
            if admins.by_id(connection, admin_id) is None:
                raise NotFound("There is no such admin.")
            found = team.held_threads(connection, admin_id, current().desks)
        threads = [{"id": id, "desk": desk} for id, desk in found[:THREADS_MAX]]
        return json_response({"threads": threads, "total": len(found)})
