"""The routes of the audit log: supervisors read and export it; nobody changes it."""

from collections.abc import Callable
from functools import partial
from typing import Any

from flask import Response

from dashboard.db.audit import actions, reading
from dashboard.db.audit.entries import Target, add
from dashboard.db.audit.files import csv_lines, json_lines
from dashboard.db.audit.reading import Entry, Filters, Position
from dashboard.db.database import Database
from dashboard.web.admin.audit import requests, responses
from dashboard.web.admin.routes import SUPERVISOR
from dashboard.web.http.audit.actors import acting
from dashboard.web.http.cursors import Cursors
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import done, route

#: Entries in one part of an export.
EXPORTED = 1_000
_LIST = "audit"
_EXPORT = "audit export"
_route = partial(route, scope=SUPERVISOR)


class AuditApi:
    """The routes below /audit. `clock` gives milliseconds."""

    def __init__(self, database: Database, cursors: Cursors, clock: Callable[[], int]):
        self._database = database
        self._cursors = cursors
        self._clock = clock

    @_route(
        "GET",
        "/audit",
        "getAudit",
        summary="Read a part of the audit log, newest first",
        description="`action` is one, or a group such as `webhook`; `actor` an e-mail address or a "
        "name; `target` a kind, `KIND:ID`, or a name.",
        query=requests.AuditQuery,
        answers=done(responses.AuditEntries),
    )
    def read(self, query: requests.AuditQuery) -> Response:
        after = None
        if query.cursor is not None:
            after = Position(*self._cursors.decode(_LIST, query.cursor))
        with self._database.read() as connection:
            found = reading.page(connection, requests.filters_of(query), query.limit + 1, after)
        shown = found[: query.limit]
        next = self._cursors.encode(_LIST, shown[-1].position) if len(found) > len(shown) else None
        return json_response({"entries": [_json(entry) for entry in shown], "next": next})

    @_route(
        "POST",
        "/audit/export",
        "postAuditExport",
        summary="Export the audit log as CSV or JSON lines",
        description="The first call says what; an entry of the log says that it was exported. "
        "Further ones send `cursor` alone.",
        body=(requests.ExportRequest,),
        example={"from": 0, "action": "webhook", "format": "csv"},
        answers=done(responses.AuditExport),
    )
    def export(self, body: requests.ExportRequest) -> Response:
        filters, format, after = requests.filters_of(body), body.format or "csv", None
        if body.cursor is not None:
            given, format, place = self._cursors.decode(_EXPORT, body.cursor)
            filters, after = Filters(*given), Position(*place)
        now = self._clock()
        # Outside of the transaction that writes: others would wait for its lock.
        with self._database.read() as connection:
            found = reading.page(connection, filters, EXPORTED + 1, after)
        if after is None:
            said = {"format": format, "filters": _given(filters)}
            exported = (now, acting(), actions.EXPORT_MADE, Target(None, "audit"), said)
            self._database.write(lambda connection: add(connection, *exported))
        part = found[:EXPORTED]
        next = None
        if len(found) > len(part):
            next = self._cursors.encode(_EXPORT, (filters, format, part[-1].position))
        is_csv = format == "csv"
        text = csv_lines(part, with_head=after is None) if is_csv else json_lines(part)
        return json_response({"text": text, "entries": len(part), "next": next})


def _given(filters: Filters) -> dict[str, Any]:
    # Not “from” and “to”, which say that something changed.
    names = ("since", "until", "action", "actor", "target")
    return {name: value for name, value in zip(names, filters, strict=True) if value is not None}


def _json(entry: Entry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "at": entry.at,
        "action": entry.action,
        "actor": {
            "via": entry.via,
            "admin_id": entry.admin_id,
            "name": entry.actor_name,
            "email": entry.actor_email,
            "address": entry.address,
            "user_agent": entry.user_agent,
        },
        "target": {"kind": entry.target_kind, "id": entry.target_id, "name": entry.target_name},
        "data": entry.data,
    }
