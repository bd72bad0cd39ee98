"""Presence on the dashboard, over HTTP: customers who were here lately, and the team."""

from collections import defaultdict
from collections.abc import Callable

from flask import Blueprint, Response, jsonify
from redis.exceptions import RedisError
from sqlalchemy import Connection

from dashboard.errors import NotFound, Problem
from dashboard.store import admins, sessions, team, threads
from dashboard.web.admin_forms import INTEGER_MAX, NothingForm
from dashboard.web.bot_presence import away, read_page
from dashboard.web.calls import parsed, require_our_page
from dashboard.web.identity import Identities, current
from dashboard.web.origins import Origins
from dashboard.web.parts import Parts
from presence.listing import Page
from presence.states import Viewer


class AdminPresence:
    """What the panels of presence show; who is where now comes over the socket."""

    def __init__(self, parts: Parts):
        self._attendance = parts.attendance
        self._database = parts.database
        self._sockets = parts.sockets

    def online(self) -> Response:
        """Customers of all sources who were seen in some time, as far as this admin may know."""
        identity = current()
        viewer = Viewer(str(identity.admin_id), truth=identity.role == "supervisor")
        seen = self._attendance.seen

        def read(times: tuple[int, int] | int, limit: int, cursor: str | None) -> Page:
            self._attendance.look_ups.by_admin(identity.admin_id, limit)
            if isinstance(times, int):
                return seen.recent(times, limit, cursor, viewer)
            return seen.between(*times, limit, cursor, viewer)

        page = read_page(read)
        with self._database.read() as connection:
            known = team.newest_threads(connection, [one.id for one in page.people])
        nothing = {"name": None, "avatar_url": None, "thread_id": None}
        customers = [
            {"id": one.id, "last_seen": one.last_seen, "colour": one.colour}
            | known.get(one.id, nothing)
            for one in page.people
        ]
        return _json({"customers": customers, "next": page.next, "total": page.total})

    def team(self) -> Response:
        """Everybody who may sign in, and the threads that they are in."""
        inside: dict[int, set[int]] = defaultdict(set)
        for place in self._attendance.threads.places():
            inside[int(place.person)].add(int(place.room))
        with self._database.read() as connection:
            members = team.members(connection)
            rows = threads.rows(connection, sorted(set().union(*inside.values())))
        for member in members:
            member["threads"] = [
                {"id": id, "customer": rows[id]["customer"]}
                for id in sorted(inside.get(member["id"], ()))
                if id in rows
            ]
        return _json({"team": members})

    def sign_out(self, admin_id: int) -> Response:
        """A supervisor ends all sessions of somebody who forgot to: they are offline at once."""
        parsed(NothingForm)
        if current().role != "supervisor":
            raise Problem(403, "forbidden", "Signing others out is for supervisors.")

        def write(connection: Connection) -> None:
            if admin_id > INTEGER_MAX or admins.by_id(connection, admin_id) is None:
                raise NotFound("There is no such admin.")
            sessions.end_all(connection, admin_id)

        self._database.write(write)
        if self._sockets is not None:
            self._sockets.doubt_sessions()
        self._attendance.sign_out(admin_id)
        return Response(status=204)


def blueprint(parts: Parts, origins: Origins, identities: Identities) -> Blueprint:
    """Presence's routes below /admin/api."""
    api = AdminPresence(parts)
    made = Blueprint("admin_presence", __name__, url_prefix="/admin/api")
    made.before_request(lambda: require_our_page(origins))
    made.before_request(identities.require)
    routes: tuple[tuple[str, str, Callable[..., Response]], ...] = (
        ("GET", "/presence/online", api.online),
        ("GET", "/team", api.team),
        ("POST", "/team/<int:admin_id>/sign-out", api.sign_out),
    )
    for method, rule, view in routes:
        made.add_url_rule(rule, view_func=view, methods=[method], endpoint=view.__name__)
    made.register_error_handler(RedisError, away)
    return made


def _json(body: object) -> Response:
    response = jsonify(body)
    response.headers["Cache-Control"] = "no-store"
    return response
