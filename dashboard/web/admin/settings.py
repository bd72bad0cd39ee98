"""Desks, tags, the choices of forms, and the health, as the pages of settings show them."""

from typing import Annotated

from flask import Response
from pydantic import Field
from sqlalchemy import Connection

from dashboard.db import audit, conditions
from dashboard.db.accounts import admin_desks, admins, api_keys, sources
from dashboard.db.audit import Target, add
from dashboard.errors import Problem
from dashboard.event_types import WEBHOOK_TYPES
from dashboard.services import Services
from dashboard.validation.fields import DeskName, Strict
from dashboard.web.admin.access.keys import RATE_MAX
from dashboard.web.admin.responses import Answer, Milliseconds
from dashboard.web.admin.routes import SUPERVISOR
from dashboard.web.http.audit import acting
from dashboard.web.http.identity import current
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import Documented, done, route


class Choices(Answer):
    """The values that the forms of supervisors offer."""

    sources: list[str]
    desks: list[str]
    roles: list[str]
    scopes: list[str]
    event_types: list[str]
    rate_max: Annotated[int, Field(description="The highest limit of an API key.")]
    actors: Annotated[list[str], Field(description="The addresses in the audit log.")]
    actions: Annotated[
        dict[str, list[str]], Field(description="The acts of the audit log, by group.")
    ]
    kinds: Annotated[list[str], Field(description="The kinds of targets in the audit log.")]


class ChoicesApi:
    """The route `/settings/choices`."""

    def __init__(self, services: Services):
        self._database = services.database

    @route(
        "GET",
        "/settings/choices",
        "getSettingsChoices",
        summary="List the values that the forms of supervisors offer",
        scope=SUPERVISOR,
        answers=done(Choices),
    )
    def choices(self) -> Response:
        with self._database.read() as connection:
            known: dict[str, object] = {
                "sources": sources.names(connection),
                "desks": admin_desks.names(connection),
                "actors": audit.actors(connection),
            }
        return json_response(
            known
            | {
                "roles": admins.ROLES,
                "scopes": api_keys.SCOPES,
                "event_types": WEBHOOK_TYPES,
                "rate_max": RATE_MAX,
                "actions": audit.GROUPS,
                "kinds": audit.KINDS,
            }
        )


class Tag(Answer):
    """A tag, and how many threads have it."""

    tag: str
    threads: int


class TagCounts(Answer):
    """The tags, the most frequent first; `counted` threads were read, the newest with any tag."""

    tags: list[Tag]
    counted: int


class Desk(Answer):
    """A desk: the sources with new threads there, and how many accounts belong to it."""

    name: str
    sources: list[str]
    accounts: int


class Desks(Answer):
    """All desks, `main` first."""

    desks: list[Desk]


class DeskRequest(Strict):
    """A new desk; a name cannot be changed."""

    name: DeskName


class DeskApi:
    """The routes `/tags` and `/desks`."""

    def __init__(self, services: Services):
        self._database = services.database
        self._clock = services.clock
        self._invalidate_sessions = services.sockets.invalidate_sessions

    @route(
        "GET",
        "/tags",
        "getTags",
        summary="Count the threads of each tag",
        description=f"Among the newest {conditions.THREADS} threads with tags that you see.",
        answers=done(TagCounts),
    )
    def tags(self) -> Response:
        with self._database.read() as connection:
            counts, counted = conditions.tag_counts(connection, current().desks)
        rows = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
        return json_response(
            {"tags": [{"tag": tag, "threads": count} for tag, count in rows], "counted": counted}
        )

    @route(
        "GET", "/desks", "getDesks", summary="List the desks", scope=SUPERVISOR, answers=done(Desks)
    )
    def desks(self) -> Response:
        with self._database.read() as connection:
            begin, accounts = sources.by_desk(connection), admin_desks.accounts(connection)
            names = admin_desks.names(connection)
        return json_response(
            {
                "desks": [
                    {
                        "name": name,
                        "sources": begin.get(name, []),
                        "accounts": accounts.get(name, 0),
                    }
                    for name in names
                ]
            }
        )

    @route(
        "POST",
        "/desks",
        "postDesk",
        summary="Create a desk, to which threads can be handed over",
        description="Only supervisors see its threads until accounts belong to it.",
        scope=SUPERVISOR,
        body=(DeskRequest,),
        example={"name": "billing"},
        answers={201: Documented("Created.", (Desk,))},
        problems=(409,),
    )
    def create(self, body: DeskRequest) -> Response:
        now = self._clock()

        def write(connection: Connection) -> bool:
            added = admin_desks.add(connection, body.name, now)
            if added:
                add(connection, now, acting(), audit.DESK_CREATED, Target(None, body.name))
            return added

        if not self._database.write(write):
            raise Problem(409, "name_taken", f"There is a desk “{body.name}” already.")
        # An admin of all desks is now one of some.
        self._invalidate_sessions()
        return json_response({"name": body.name, "sources": [], "accounts": 0}, 201)


class Health(Answer):
    """The state of the worker that answers; each worker compares the lists once a second."""

    late_since: Milliseconds | None
    compared_at: Milliseconds | None
    repairs: int


class HealthApi:
    """The route `/health`. `repairs()` returns how many places this worker has repaired so far."""

    def __init__(self, services: Services):
        self._status = services.ordering_status
        self._reconciler = services.reconciler

    @route(
        "GET",
        "/health",
        "getHealth",
        summary="Tell whether the lists equal the database",
        description="`late_since`: the time since which they may be out of date, else null; "
        "`compared_at`: the time of the last successful comparison, null before the first.",
        scope=SUPERVISOR,
        answers=done(Health),
    )
    def health(self) -> Response:
        return json_response(
            {
                "late_since": self._status.late_since,
                "compared_at": self._status.compared_at,
                "repairs": self._reconciler.repairs,
            }
        )
