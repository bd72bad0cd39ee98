"""The routes of sorts: everybody reads them, supervisors save them."""

from collections.abc import Callable
from functools import partial
from typing import Any

from flask import Response
from sqlalchemy import Connection

from dashboard import languages
from dashboard.db.accounts import admins
from dashboard.db.audit import actions
from dashboard.db.audit.entries import Target, add, changes
from dashboard.db.database import Database
from dashboard.db.lists import allowances, sorts, view_changes, views
from dashboard.errors import ChangedMeanwhile, NotFound, Problem, quoted
from dashboard.validation.field_errors import field_error
from dashboard.web.admin import preferences
from dashboard.web.admin.routes import SUPERVISOR
from dashboard.web.admin.sorts import requests, responses
from dashboard.web.admin.sorts.checked import checked
from dashboard.web.admin.sorts.requests import CALLS
from dashboard.web.http.audit.actors import acting
from dashboard.web.http.identity import current
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import NO_CONTENT, Documented, PathParameter, done, route
from scoring.sorting.rules import NAME_PATTERN, Sort
from scoring.sorts import BUILT_IN, BUILT_IN_SORTS

_route = partial(route, scope=SUPERVISOR)
_NAME = {
    "name": PathParameter(
        {"type": "string", "pattern": NAME_PATTERN}, "vip", f"other_than({', '.join(CALLS)})"
    )
}
_EXAMPLE = {
    "name": "vip",
    "title": "VIPs first",
    "rules": [
        {"when": "member:0,1 is:waiting", "by": "waiting_since", "order": "oldest"},
        {"when": "", "by": "recent_at", "order": "newest", "split": "priority"},
    ],
}


class SortsApi:
    """The routes below /sorts.

    `announce()` tells all dashboards that sorts have changed; `build(list_id)` begins to build a
    list that Redis lacks.
    """

    def __init__(
        self,
        database: Database,
        clock: Callable[[], int],
        announce: Callable[[], object],
        build: Callable[[str], object],
    ):
        self._database = database
        self._clock = clock
        self._announce = announce
        self._build = build

    @route(
        "GET",
        "/sorts",
        "getSorts",
        summary="List the sorts",
        answers=done(responses.Sorts),
    )
    def listing(self) -> Response:
        with self._database.read() as connection:
            chosen = admins.preferences(connection, current().admin_id)
            found = sorts.known(connection)
        locale = preferences.complete(chosen, languages.browsers_locale())["locale"]
        return json_response({"sorts": [_json(sort, locale) for sort in found.values()]})

    @_route(
        "POST",
        "/sorts",
        "postSort",
        summary="Save a sort",
        body=(requests.NewSortRequest,),
        example=_EXAMPLE,
        answers={201: Documented("Saved.", (responses.Sort,))},
        problems=(409,),
        problem=responses.SortProblem,
    )
    def create(self, body: requests.NewSortRequest) -> Response:
        admin_id, now = current().admin_id, self._clock()
        self._check_ahead(partial(_new, body=body))

        def write(connection: Connection) -> Sort:
            views.begin_change(connection)
            view_changes.note(connection, None)
            sort = _new(connection, body)
            add(connection, now, acting(), actions.SORT_CREATED, _target(sort), _said(sort))
            made = sorts.create(connection, sort, admin_id, now)
            views.keep_anew(connection, made.name, now)
            return made

        made = self._database.write(write)
        self._announce()
        return json_response(_json(made), 201)

    @_route(
        "PUT",
        "/sorts/{name}",
        "putSort",
        summary="Change a sort",
        path_parameters=_NAME,
        body=(requests.SortRequest,),
        example={name: _EXAMPLE[name] for name in ("title", "rules")},
        answers=done(responses.Sort),
        problems=(404, 409),
        problem=responses.SortProblem,
    )
    def change(self, name: str, body: requests.SortRequest) -> Response:
        """Saved views in this sort and built-in ones get new lists, in the same transaction."""
        if body.name not in (None, name):
            text = f"must be left out or {quoted(name)}, as in the address: a sort keeps its name"
            raise field_error("/name", "invalid_name", text)
        admin_id, now = current().admin_id, self._clock()
        self._check_ahead(partial(_change, name=name, body=body))

        def write(connection: Connection) -> tuple[Sort, set[str]]:
            views.begin_change(connection)
            view_changes.note(connection, None)
            before, sort = _change(connection, name, body)
            changed = sorts.change(connection, before, sort, admin_id, now)
            differences = changes(_said(before), _said(changed))
            if differences:
                add(connection, now, acting(), actions.SORT_CHANGED, _target(sort), differences)
            if changed.id == before.id:
                return changed, set()
            return changed, views.keep_anew(connection, name, now)

        changed, list_ids = self._database.write(write)
        for list_id in list_ids:
            self._build(list_id)
        self._announce()
        return json_response(_json(changed))

    @_route(
        "DELETE",
        "/sorts/{name}",
        "deleteSort",
        summary="Delete a sort that no view has",
        path_parameters=_NAME,
        answers=NO_CONTENT,
        problems=(404, 409, 415),
        problem=responses.SortProblem,
    )
    def remove(self, name: str) -> Response:
        """Built-in views that an admin has in this sort are in their first one again."""
        admin_id, desks, now = current().admin_id, current().desks, self._clock()

        def write(connection: Connection) -> None:
            views.begin_change(connection)
            view_changes.note(connection, None)
            sort = _saved(connection, name)
            if views.uses_sort(connection, name):
                seen = views.visible_to(connection, admin_id, desks)
                users = [
                    {"id": view.public_id, "name": view.name} for view in seen if view.sort == name
                ]
                raise Problem(409, "in_use", "A view has this sort.", extra={"views": users})
            views.release_sort(connection, name, now)
            sorts.remove(connection, sort, now)
            add(connection, now, acting(), actions.SORT_DELETED, _target(sort), _said(sort))
            preferences.forget_sort(connection, name)

        self._database.write(write)
        self._announce()
        return Response(status=204)

    def _check_ahead(self, check: Callable[[Connection], object]) -> None:
        """Checks in a reading transaction what the writing one then checks again, in a moment.

        Events wait as long as a transaction that writes, and not for one that reads.
        """
        with self._database.read() as connection:
            check(connection)


def _new(connection: Connection, body: requests.NewSortRequest) -> Sort:
    """The sort that is to be saved. Raises Problem where it cannot be."""
    known = sorts.known(connection)
    if body.name in known:
        raise Problem(409, "name_taken", f"There is a sort “{body.name}” already.")
    if len(known) - len(BUILT_IN_SORTS) >= sorts.SORTS_MAX:
        most = f"{sorts.SORTS_MAX} sorts are saved, which is the most"
        raise field_error("/name", "too_many_sorts", f"cannot be saved: {most}")
    timezone = preferences.timezone_of(connection, current().admin_id, body.timezone)
    sort, _ = checked(connection, body.name, body.title, body.rules, timezone)
    _check_cost(connection, sort)
    return sort


def _change(connection: Connection, name: str, body: requests.SortRequest) -> tuple[Sort, Sort]:
    """A saved sort, and what it is to become. Raises Problem where it cannot."""
    before = _saved(connection, name)
    if body.changed_at not in (None, before.changed_at):
        raise ChangedMeanwhile("the sort", sort=_json(before))
    timezone = body.timezone or before.timezone
    sort, _ = checked(connection, name, body.title, body.rules, timezone)
    _check_cost(connection, sort)
    return before, sort


def _check_cost(connection: Connection, sort: Sort) -> None:
    """Raises Invalid where events would ask too many conditions of sorts."""
    before = {name: each for name, each in sorts.known(connection).items() if name not in BUILT_IN}
    after = before | {sort.name: sort}
    asked = (
        [rule.when for each in some.values() for rule in each.rules] for some in (before, after)
    )
    allowances.check_rules("/rules", "sorts", *asked)


def _saved(connection: Connection, name: str) -> Sort:
    """A saved sort. Raises NotFound, and Problem (409) for a built-in one."""
    if name in BUILT_IN_SORTS:
        raise Problem(409, "built_in", "A built-in sort cannot be changed.")
    found = sorts.known(connection).get(name)
    if found is None:
        raise NotFound("There is no such sort.")
    return found


def _target(sort: Sort) -> Target:
    return Target(sort.name, sort.title)


def _said(sort: Sort) -> dict[str, Any]:
    """What the audit log says of a sort."""
    return {
        "title": sort.title,
        "rules": sorts.rules_json(sort.rules),
        "timezone": sort.timezone,
    }


def _json(sort: Sort, locale: str = "en") -> dict[str, Any]:
    is_built_in = sort.name in BUILT_IN_SORTS
    texts = languages.page_texts(locale) if is_built_in else {}
    return {
        "name": sort.name,
        "title": texts[f"sort.{sort.name}"] if is_built_in else sort.title,
        "rules": sorts.rules_json(sort.rules),
        "timezone": None if is_built_in else sort.timezone,
        "built_in": is_built_in,
        "changed_at": sort.changed_at,
    }
