"""The calls about one's own sessions: where one is signed in, and ending that."""

from collections.abc import Callable

from flask import Response
from pydantic import StrictBool
from sqlalchemy import Connection

from dashboard.db.accounts import own_sessions, sessions
from dashboard.db.audit import actions
from dashboard.db.database import Database
from dashboard.errors import NotFound
from dashboard.validation.fields import Strict
from dashboard.web.admin.profile.devices import browser_of, system_of
from dashboard.web.admin.profile.ended import EndedSessions
from dashboard.web.admin.profile.noted import note
from dashboard.web.admin.profile.responses import Ended, Sessions
from dashboard.web.http.identity import current
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import NO_CONTENT, PathParameter, done, route

_ID = PathParameter(
    {"type": "string", "pattern": "^[0-9a-f]{32}$"}, "0f3ac6b1d2e4958770a1b2c3d4e5f607"
)


class SignOutRequest(Strict):
    """Whether the session of the request ends, too."""

    this_too: StrictBool = False


class SessionsApi:
    """Calls below /admin/api/profile, about the sessions of the signed-in admin."""

    def __init__(self, database: Database, clock: Callable[[], int], ended: EndedSessions):
        self._database = database
        self._clock = clock
        self._ended = ended

    @route(
        "GET",
        "/profile/sessions",
        "getSessions",
        summary="List where one is signed in",
        description="A use is noted once a minute at most.",
        answers=done(Sessions),
    )
    def listing(self) -> Response:
        identity = current()
        with self._database.read() as connection:
            found = own_sessions.listing(connection, identity.admin_id, self._clock())
        return json_response(
            {
                "sessions": [
                    {
                        "id": each.id,
                        "current": each.session == identity.session,
                        "browser": browser_of(each.user_agent),
                        "system": system_of(each.user_agent),
                        "address": each.address,
                        "created_at": each.created_at,
                        "last_used_at": each.last_used_at,
                    }
                    for each in found
                ]
            }
        )

    @route(
        "DELETE",
        "/profile/sessions/{id}",
        "deleteSession",
        summary="End a session of one's own",
        path_parameters={"id": _ID},
        answers=NO_CONTENT,
        problems=(404, 415),
    )
    def end(self, id: str) -> Response:
        admin_id = current().admin_id

        def write(connection: Connection) -> bytes:
            ended = own_sessions.end(connection, admin_id, id, self._clock())
            if ended is None:
                raise NotFound("There is no such session.")
            note(connection, self._clock(), actions.SESSIONS_ENDED, {"count": 1})
            return ended

        ended = self._database.write(write)
        self._ended.tell(admin_id, [ended])
        return Response(status=204)

    @route(
        "POST",
        "/profile/sign-out-everywhere",
        "postSignOutEverywhere",
        summary="End all sessions of one's own but this one, or all",
        body=(SignOutRequest,),
        example={"this_too": False},
        answers=done(Ended),
    )
    def sign_out_everywhere(self, body: SignOutRequest) -> Response:
        identity = current()
        kept = None if body.this_too else identity.session

        def write(connection: Connection) -> list[bytes]:
            ended = sessions.end_all(connection, identity.admin_id, but=kept)
            if ended:
                note(connection, self._clock(), actions.SESSIONS_ENDED, {"count": len(ended)})
            return ended

        ended = self._database.write(write)
        self._ended.tell(identity.admin_id, ended)
        return json_response({"ended": len(ended)})
