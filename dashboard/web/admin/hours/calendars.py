"""The routes of calendars, for supervisors."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from flask import Response
from sqlalchemy import Connection

from dashboard.db.audit import actions
from dashboard.db.audit.entries import Target, add, changes
from dashboard.db.hours import calendars
from dashboard.db.hours.calendars import CALENDARS_MAX, SavedCalendar
from dashboard.db.lists import versions
from dashboard.errors import ChangedMeanwhile, NotFound, Problem
from dashboard.validation.field_errors import field_error
from dashboard.web.admin.hours import requests, responses
from dashboard.web.admin.hours.api import HoursApi
from dashboard.web.admin.routes import SUPERVISOR
from dashboard.web.http.audit.actors import acting
from dashboard.web.http.identity import current
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import NO_CONTENT, Documented, done, route

_route = partial(route, scope=SUPERVISOR)
_EXAMPLE = {
    "name": "Office",
    "timezone": "Asia/Ho_Chi_Minh",
    "week": {"mon": [["09:00", "12:00"], ["22:00", "06:00"]], "tue": [["09:00", "17:30"]]},
    "exceptions": [{"date": "2026-12-25", "intervals": []}],
}


class CalendarsApi(HoursApi):
    """The routes below /calendars."""

    @_route(
        "GET",
        "/calendars",
        "getCalendars",
        summary="List the opening hours",
        answers=done(responses.Calendars),
    )
    def listing(self) -> Response:
        with self._database.read() as connection:
            saved, users = calendars.listing(connection), calendars.users(connection)
        return json_response({"calendars": [_json(each, users.get(each.id, ())) for each in saved]})

    @_route(
        "POST",
        "/calendars",
        "postCalendar",
        summary="Save opening hours",
        body=(requests.NewCalendarRequest,),
        example=_EXAMPLE,
        answers={201: Documented("Saved.", (responses.OneCalendar,))},
        problems=(409,),
        problem=responses.HoursProblem,
    )
    def create(self, body: requests.NewCalendarRequest) -> Response:
        admin_id, now = current().admin_id, self._clock()

        def write(connection: Connection) -> dict[str, Any]:
            if calendars.count(connection) >= CALENDARS_MAX:
                most = f"{CALENDARS_MAX} calendars are saved, which is the most"
                raise field_error("/name", "too_many_calendars", f"cannot be saved: {most}")
            made = calendars.create(connection, body.draft(), admin_id, now)
            add(connection, now, acting(), actions.CALENDAR_CREATED, _target(made), _said(made))
            return _json(made, ())

        return json_response({"calendar": self._write_named(_taken(body), write)}, 201)

    @_route(
        "PUT",
        "/calendars/{calendar_id}",
        "putCalendar",
        summary="Change opening hours",
        description="The threads of policies that use them get other times soon afterwards.",
        body=(requests.CalendarRequest,),
        example=_EXAMPLE,
        answers=done(responses.OneCalendar),
        problems=(404, 409),
        problem=responses.HoursProblem,
    )
    def change(self, calendar_id: int, body: requests.CalendarRequest) -> Response:
        admin_id, now = current().admin_id, self._clock()

        def write(connection: Connection) -> dict[str, Any]:
            before = _locked(connection, calendar_id)
            names = calendars.users(connection).get(calendar_id, [])
            if body.changed_at not in (None, before.changed_at):
                raise ChangedMeanwhile("the opening hours", calendar=_json(before, names))
            changed = calendars.change(connection, before, body.draft(), admin_id, now)
            _audit_change(connection, now, before, changed)
            if names:
                versions.grow_policies(connection)
            return _json(changed, names)

        changed = self._write_named(_taken(body), write)
        self._wake()
        return json_response({"calendar": changed})

    @_route(
        "DELETE",
        "/calendars/{calendar_id}",
        "deleteCalendar",
        summary="Delete opening hours that no policy uses",
        answers=NO_CONTENT,
        problems=(404, 409, 415),
        problem=responses.HoursProblem,
    )
    def remove(self, calendar_id: int) -> Response:
        now = self._clock()

        def write(connection: Connection) -> None:
            calendar = _locked(connection, calendar_id)
            names = calendars.users(connection).get(calendar_id)
            if names:
                detail = "A policy uses these opening hours."
                raise Problem(409, "in_use", detail, extra={"policies": names})
            calendars.remove(connection, calendar_id)
            said = _said(calendar)
            add(connection, now, acting(), actions.CALENDAR_DELETED, _target(calendar), said)

        self._database.write(write)
        return Response(status=204)


def _taken(body: requests.NewCalendarRequest) -> str:
    return f"There are opening hours “{body.name}” already."


def _locked(connection: Connection, id: int) -> SavedCalendar:
    """A calendar, while no other transaction changes it or makes a policy use it. Raises
    NotFound."""
    found = calendars.lock(connection, id)
    if found is None:
        raise NotFound("There are no such opening hours.")
    return found


def _audit_change(
    connection: Connection, now: int, before: SavedCalendar, after: SavedCalendar
) -> None:
    names = {"name": before.name}, {"name": after.name}
    differences = changes(names[0] | _said(before), names[1] | _said(after))
    if differences:
        add(connection, now, acting(), actions.CALENDAR_CHANGED, _target(after), differences)


def _target(calendar: SavedCalendar) -> Target:
    return Target(calendar.id, calendar.name)


def _said(calendar: SavedCalendar) -> dict[str, Any]:
    """What the audit log says of a calendar, besides its name."""
    return {name: getattr(calendar, name) for name in ("timezone", "week", "exceptions")}


def _json(calendar: SavedCalendar, policies: Sequence[str]) -> dict[str, Any]:
    return calendar._asdict() | {"policies": list(policies)}
