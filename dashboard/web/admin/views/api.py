"""The routes of saved views: one's own, and for supervisors those of a desk and of all."""

import time
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from flask import Response
from sqlalchemy import Connection

from dashboard import languages
from dashboard.db.database import Database
from dashboard.db.lists import query_lists, view_changes, view_orders, views
from dashboard.db.lists.views import Draft, View
from dashboard.errors import ChangedMeanwhile, NotFound
from dashboard.rate_limits import SAVED_CONDITIONS, RateLimiter
from dashboard.validation.queries import invalid_query
from dashboard.web.admin.preferences import timezone_of
from dashboard.web.admin.routes import require_supervisor
from dashboard.web.admin.views import requests, responses
from dashboard.web.admin.views.audited import audit_change
from dashboard.web.admin.views.seen_views import SeenViews, without_total
from dashboard.web.http.audit.actors import acting
from dashboard.web.http.identity import current
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import NO_CONTENT, Documented, PathParameter, done, route
from scoring.conditions.language.errors import QueryError
from scoring.views import BUILT_IN_VIEWS

Result = TypeVar("Result")

_VIEW_ID = {
    "view_id": PathParameter(
        {"type": "string", "pattern": "^v[1-9][0-9]*$"}, "v17", "other_than(order, preview)"
    )
}
_EXAMPLE = {
    "name": "VIPs in Vietnamese",
    "query": "member:0,1 lang:vi waits:>10m",
    "sort": "longest_wait",
    "owner": "me",
    "timezone": "Asia/Ho_Chi_Minh",
}


class ViewsApi:
    """The routes below /views.

    `announce()` lets all workers look for changed views; `build(list_id)` begins to build a list
    that Redis lacks.
    """

    def __init__(
        self,
        database: Database,
        seen_views: SeenViews,
        clock: Callable[[], int],
        announce: Callable[[], object],
        build: Callable[[str], object],
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self._limits = RateLimiter(monotonic)
        self._database = database
        self._seen_views = seen_views
        self._clock = clock
        self._announce = announce
        self._build = build

    @route(
        "GET",
        "/views",
        "getViews",
        summary="List the views that one sees",
        answers=done(responses.Views),
    )
    def listing(self) -> Response:
        identity, locale = current(), languages.browsers_locale()
        found = self._seen_views.of(identity.admin_id, locale, identity.desks)
        return json_response({"views": found})

    @route(
        "POST",
        "/views",
        "postView",
        summary="Save a view",
        description="Those of a desk and of all are saved by supervisors.",
        body=(requests.NewViewRequest,),
        example=_EXAMPLE,
        answers={201: Documented("Saved.", (responses.View,))},
        problems=(429,),
        problem=responses.ViewProblem,
    )
    def create(self, body: requests.NewViewRequest) -> Response:
        admin_id, now, owner = current().admin_id, self._clock(), _owner(body.owner)

        def write(connection: Connection) -> tuple[View, dict[str, Any]]:
            timezone = timezone_of(connection, admin_id, body.timezone)
            made = views.create(connection, _draft(body, owner, timezone), admin_id, now)
            self._charge(connection, made, admin_id)
            audit_change(connection, now, acting(), None, made)
            return made, without_total(connection, made, admin_id)

        made, shown = self._write(write)
        self._begin(made)
        self._announce()
        return json_response(shown, 201)

    @route(
        "PUT",
        "/views/{view_id}",
        "putView",
        summary="Change a view",
        path_parameters=_VIEW_ID,
        body=(requests.ViewRequest,),
        example={name: _EXAMPLE[name] for name in ("name", "query", "sort")},
        answers=done(responses.View),
        problems=(404, 409, 429),
        problem=responses.ViewProblem,
    )
    def change(self, view_id: str, body: requests.ViewRequest) -> Response:
        """Where `changed_at` is another than that of the view, it stays as it is (409)."""
        admin_id, now = current().admin_id, self._clock()

        def write(connection: Connection) -> tuple[View, View, dict[str, Any]]:
            view = _locked(connection, view_id)
            if body.changed_at not in (None, view.changed_at):
                raise ChangedMeanwhile("the view", view=without_total(connection, view, admin_id))
            before = _Owner(view.owner_id, view.desk)
            owner = before if body.owner is None else _owner(body.owner)
            draft = _draft(body, owner, body.timezone or view.timezone)
            changed = views.change(connection, view, draft, admin_id, now)
            if changed.list_id != view.list_id:
                self._charge(connection, changed, admin_id)
            audit_change(connection, now, acting(), view, changed)
            return view, changed, without_total(connection, changed, admin_id)

        before, changed, shown = self._write(write)
        if changed.list_id != before.list_id:
            self._begin(changed)
        self._announce()
        return json_response(shown)

    @route(
        "DELETE",
        "/views/{view_id}",
        "deleteView",
        summary="Delete a view",
        path_parameters=_VIEW_ID,
        answers=NO_CONTENT,
        problems=(404, 415),
    )
    def remove(self, view_id: str) -> Response:
        now = self._clock()

        def write(connection: Connection) -> None:
            view = _locked(connection, view_id)
            views.remove(connection, view, now)
            audit_change(connection, now, acting(), view, None)

        self._write(write)
        self._announce()
        return Response(status=204)

    @route(
        "PUT",
        "/views/order",
        "putViewOrder",
        summary="Set the order in which one has the views",
        description="Ids of views that are gone, or of others, are left out.",
        body=(requests.ViewOrderRequest,),
        example={"ids": ["not_respond", "v17", "arrival", "history"]},
        answers=done(responses.ViewIds),
    )
    def order(self, body: requests.ViewOrderRequest) -> Response:
        admin_id, desks = current().admin_id, current().desks

        def write(connection: Connection) -> list[str]:
            saved = [view.public_id for view in views.visible_to(connection, admin_id, desks)]
            seen = {*BUILT_IN_VIEWS, *saved}
            ids = [id for id in dict.fromkeys(body.ids) if id in seen]
            views.begin_change(connection)
            view_changes.note(connection, admin_id)
            view_orders.save(connection, admin_id, ids)
            return view_orders.ordered(connection, admin_id, BUILT_IN_VIEWS, saved)

        ordered = self._write(write)
        self._announce()
        return json_response({"ids": ordered})

    def _begin(self, view: View) -> None:
        if view.list_id is not None:
            self._build(view.list_id)

    def _charge(self, connection: Connection, view: View, admin_id: int) -> None:
        """Raises RateLimitExceeded for who has saved too much in a short time."""
        saved = query_lists.list_of(connection, view.listed(admin_id)).resolved
        self._limits.require(SAVED_CONDITIONS, admin_id, max(1, saved.conditions))

    def _write(self, work: Callable[[Connection], Result]) -> Result:
        """Runs `work` in one transaction. A wrong query, or no sort, is answered 422."""
        try:
            return self._database.write(work)
        except QueryError as error:
            raise invalid_query(error) from error


def _draft(
    body: requests.NewViewRequest | requests.ViewRequest, owner: "_Owner", timezone: str
) -> Draft:
    return Draft(body.name, body.query, body.sort, timezone, *owner)


class _Owner(NamedTuple):
    """An admin, a desk, or, without both, everybody."""

    admin_id: int | None
    desk: str | None


def _owner(owner: str) -> _Owner:
    """Raises Problem (403) where only supervisors may save such views."""
    if owner == "me":
        return _Owner(current().admin_id, None)
    require_supervisor()
    return _Owner(None, None if owner == "all" else owner.removeprefix(views.DESK))


def _locked(connection: Connection, view_id: str) -> View:
    """The view, which the caller may change. Raises NotFound and Problem (403)."""
    number, identity = views.number_of(view_id), current()
    view = None
    if number is not None:
        view = views.lock(connection, number, identity.admin_id, identity.desks)
    if view is None:
        raise NotFound("There is no such view.")
    if view.owner_id is None:
        require_supervisor()
    return view
