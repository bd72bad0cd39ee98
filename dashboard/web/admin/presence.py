"""Presence on the dashboard, over HTTP: customers seen lately, and the team."""

from collections import defaultdict
from collections.abc import Iterable

from flask import Response
from sqlalchemy import Connection

from dashboard.db import audit
from dashboard.db.accounts import admin_desks, admins, sessions, team
from dashboard.db.accounts.admin_desks import Desks
from dashboard.db.accounts.team import NewestThread
from dashboard.db.audit import Target, add
from dashboard.db.queues import admins as queue_admins
from dashboard.db.queues import definitions
from dashboard.db.threads import thread_rows
from dashboard.errors import NotFound
from dashboard.services import Services
from dashboard.web.admin.requests import EmptyRequest
from dashboard.web.admin.responses import SeenCustomers, Team
from dashboard.web.admin.routes import SUPERVISOR
from dashboard.web.http.audit import acting
from dashboard.web.http.identity import current
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import NO_CONTENT, done, route
from dashboard.web.http.seen_pages import SeenQuery, read_page
from presence.listing import Page, Position, Times
from presence.states import Viewer


class AdminPresence:
    """Answers the data of the presence panels; changes are pushed over the socket."""

    def __init__(self, services: Services):
        self._presence_service = services.presence_service
        self._database = services.database
        self._invalidate_sessions = services.sockets.invalidate_sessions
        self._cursors = services.cursors
        self._ranking = services.ranking

    @route(
        "GET",
        "/presence/online",
        "getSeenCustomers",
        summary="List customers of all sources by the time last seen",
        description="Customers with an open thread that the admin sees, or with one that was "
        "closed in the last 90 days; for a supervisor, all. A page counts as a look-up of "
        "`limit` customers.",
        query=SeenQuery,
        answers=done(SeenCustomers),
        problems=(429,),
    )
    def online(self, query: SeenQuery) -> Response:
        identity = current()
        viewer = Viewer(str(identity.admin_id), truth=identity.role == "supervisor")

        service, desks = self._presence_service, identity.desks
        known = few = None
        if desks is not None:
            few = service.known_customers.all_if_few(desks)
            known = service.known_customers.of_a_list(desks) if few is None else None

        def read(times: Times, limit: int, after: Position | None) -> Page:
            service.limit_look_ups(("admin", identity.admin_id), limit)
            return service.seen.page(times, limit, after, viewer, known=known, among=few)

        admin = f"admin {identity.admin_id}"
        page, next = read_page(query, self._cursors, admin, read)
        with self._database.read() as connection:
            people = [one.id for one in page.people]
            newest = team.newest_threads(connection, people, desks)
        nothing = NewestThread(name=None, avatar_url=None, thread_id=None)
        customers = [
            {
                "id": one.id,
                "last_seen": one.last_seen,
                "colour": one.colour,
                **newest.get(one.id, nothing),
            }
            for one in page.people
            # Answers cached for some seconds may name a customer who has gone to another desk.
            if desks is None or one.id in newest
        ]
        return json_response({"customers": customers, "next": next, "total": page.total})

    @route(
        "GET",
        "/team",
        "getTeam",
        summary="List the admins with the threads that they read and have, and the desks",
        answers=done(Team),
    )
    def team(self) -> Response:
        desks = current().desks
        inside: dict[int, set[int]] = defaultdict(set)
        for membership in self._presence_service.threads.memberships():
            inside[int(membership.person)].add(int(membership.room))
        with self._database.read() as connection:
            members, all_desks = team.members(connection), admin_desks.names(connection)
            roles = {member["id"]: member["role"] for member in members}
            desks_of = admin_desks.seen_by(connection, roles)
            ids = sorted(set().union(*inside.values()))
            rows = thread_rows.rows(connection, ids, desks)
            counts = None if desks is None else team.open_threads(connection, roles, desks)
            load = definitions.state(connection).load
            places = {admin.id: admin for admin in queue_admins.listing(connection, list(roles))}
            loads = queue_admins.loads(connection, list(roles), load, desks)
        assigned = self._assigned(roles) if counts is None else counts
        entries = []
        for member in members:
            id, at = member["id"], desks_of[member["id"]]
            opened = [thread_id for thread_id in sorted(inside.get(id, ())) if thread_id in rows]
            entries.append(
                {
                    **member,
                    "assigned": assigned.get(id, 0),
                    "load": loads[id],
                    "capacity": places[id].capacity if id in places else 0,
                    "accepting": id in places and places[id].accepting,
                    "given_at": self._given_at(places.get(id), desks),
                    # Null: all desks, as a supervisor.
                    "desks": None if at is None else sorted(at),
                    "threads": [{"id": id, "customer": rows[id]["customer"]} for id in opened],
                }
            )
        return json_response({"team": entries, "desks": all_desks})

    def _given_at(self, admin: queue_admins.QueueAdmin | None, desks: Desks) -> int | None:
        """Returns the time of the admin's last hand-out; None for a reader who does not see all
        threads of the admin: it may have been one of the others."""
        if admin is None or not (desks is None or (admin.seen is not None and admin.seen <= desks)):
            return None
        return admin.given_at

    def _assigned(self, admin_ids: Iterable[int]) -> dict[int, int | None]:
        """Returns the number of open threads by admin; None if Redis does not have the lists."""
        [state] = self._ranking.states(["arrival"], known={}).values()
        is_known = state.epoch is not None
        return {id: state.assigned.get(id, 0) if is_known else None for id in admin_ids}

    @route(
        "POST",
        "/team/{admin_id}/sign-out",
        "postSignOut",
        scope=SUPERVISOR,
        summary="End all sessions of an admin",
        description="The admin is offline at once.",
        body=(EmptyRequest,),
        answers=NO_CONTENT,
    )
    def sign_out(self, admin_id: int) -> Response:
        now = self._presence_service.clock()

        def write(connection: Connection) -> None:
            admin = admins.by_id(connection, admin_id)
            if admin is None:
                raise NotFound("There is no such admin.")
            details = {"count": len(sessions.end_all(connection, admin_id))}
            target = Target(admin.id, admin.email)
            add(connection, now, acting(), audit.SESSIONS_ENDED, target, details)

        self._database.write(write)
        self._invalidate_sessions()
        self._presence_service.sign_out(admin_id)
        return Response(status=204)
