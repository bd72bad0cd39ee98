"""Saved views: routes, bodies, answers, and their audit log entries."""

from collections.abc import Callable
from functools import cache, partial
from typing import Annotated, Literal, NamedTuple, TypeVar

from flask import Response
from pydantic import AfterValidator, Field, StrictInt
from sqlalchemy import Connection

from dashboard import languages
from dashboard.db import audit
from dashboard.db.audit import Actor, Target, add, changes
from dashboard.db.lists import query_lists, views
from dashboard.db.lists.views import DESK, NAME_MAX, OWN_MAX, SHARED_MAX, Draft
from dashboard.db.lists.views import View as SavedView
from dashboard.errors import ChangedMeanwhile, NotFound, quoted
from dashboard.live.requests import ViewId
from dashboard.rate_limits import SAVED_CONDITIONS, RateLimiter
from dashboard.services import Services
from dashboard.validation.accounts import KeptTimezone, OwnTimezone
from dashboard.validation.field_errors import invalid_query
from dashboard.validation.fields import (
    INTEGER_MAX,
    Partial,
    Strict,
    check_characters,
    check_length,
    check_line,
    fault,
)
from dashboard.web.admin.lists.seen_views import ListedView, SeenViews, without_total
from dashboard.web.admin.preferences import timezone_of
from dashboard.web.admin.responses import Row
from dashboard.web.admin.routes import require_supervisor
from dashboard.web.http import schemas
from dashboard.web.http.audit import acting
from dashboard.web.http.identity import current
from dashboard.web.http.queries import DIGITS, Query
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import NO_CONTENT, Documented, PathParameter, done, route
from dashboard.web.http.schemas import Absent, Answer, Milliseconds
from scoring.conditions.language.parser import LENGTH_MAX
from scoring.conditions.language.query import QueryError as WrongQuery
from scoring.views import BUILT_IN_VIEWS

IDS_MAX = len(BUILT_IN_VIEWS) + OWN_MAX + SHARED_MAX


def _owner(text: str) -> str:
    check_length(check_characters(text), NAME_MAX)
    if text not in ("me", "all") and not text.startswith(DESK):
        raise fault("unknown_value", f"must be me, all or desk:NAME, not {quoted(text, 60)}")
    return text


_Name = Annotated[str, AfterValidator(lambda text: check_line(text, NAME_MAX))]
_Owner = Annotated[
    str,
    AfterValidator(_owner),
    Field(description="`me`, `desk:NAME` or `all`; the last two are for supervisors."),
]
#: The time of the last change that the sender knows.
_ChangedAt = Annotated[StrictInt, Field(ge=0, le=INTEGER_MAX)]


class ViewPreviewRequest(Strict):
    """Conditions and a sort to try."""

    query: str
    sort: str
    timezone: OwnTimezone = None


class NewViewRequest(ViewPreviewRequest):
    """A view to be saved."""

    name: _Name
    owner: _Owner = "me"


class ViewRequest(ViewPreviewRequest, Partial):
    """The new state of a view; omitted, `owner` and `timezone` stay as they are."""

    name: _Name
    owner: _Owner | None = None
    timezone: KeptTimezone = None
    changed_at: Annotated[
        _ChangedAt | None,
        Field(description="Its value as read: a view that has changed since is not overwritten."),
    ] = None


class ViewOrderRequest(Strict):
    """Ids of views in the admin's own order."""

    ids: Annotated[list[ViewId], Field(max_length=IDS_MAX)]


class CompletionQuery(Query):
    """A query that is being typed, and the place of the cursor, by default the end."""

    text: Annotated[
        str,
        AfterValidator(lambda text: check_length(text, LENGTH_MAX)),
        Field(json_schema_extra={"maxLength": LENGTH_MAX}),
    ] = ""
    at: Annotated[int, Field(ge=0, le=INTEGER_MAX), DIGITS] | None = None


class Mistake(Answer):
    """A mistake in a saved query, such as an address that no admin has any more."""

    at: schemas.MistakeAt
    expected: schemas.Expected


class View(Answer):
    """A view as the requesting admin sees it."""

    id: Annotated[str, Field(description="An id such as `arrival`, or `v17` for a saved view.")]
    name: str
    query: str
    sort: str
    owner: Annotated[str, Field(description="`me`, `desk:NAME`, `all` or `built-in`.")]
    timezone: Annotated[str | None, Field(description="Time zone of days; null if built-in.")]
    changed_at: Annotated[Milliseconds | None, Field(description="Null if built-in.")]
    total: Annotated[int | None, Field(description="Null while the list is being built.")]
    mistake: Mistake | None


class Views(Answer):
    """All views that the admin sees, in the admin's order."""

    views: list[View]


class ViewIds(Answer):
    """The ids of all views that the admin sees, in the admin's order."""

    ids: list[str]


class ViewPreview(Answer):
    """The number of threads that a view would have, and the first of them."""

    total: Annotated[
        int | None,
        Field(
            description="Null if counting takes too long; then `rows` has the first of the "
            "newest threads that were read."
        ),
    ]
    rows: Annotated[list[Row], Field(max_length=20)]


class Suggestion(Answer):
    """A text that may replace the characters [from, to)."""

    text: str
    from_: Annotated[int, Field(alias="from")]
    to: int
    kind: Literal["field", "value", "operator"]


class Suggestions(Answer):
    """Texts that may be written at the cursor, the likeliest first."""

    suggestions: list[Suggestion]


class ViewProblem(schemas.QueryProblem):
    """A problem with the place of a mistake in a query, or with the view as it is now."""

    view: Annotated[View, Field(description="With `changed_meanwhile`.")] = Absent


_FIELDS = ("name", "query", "sort", "timezone")


def audit_change(
    connection: Connection,
    at_ms: int,
    actor: Actor,
    before: SavedView | None,
    after: SavedView | None,
) -> None:
    """Adds the entry of a view that was made (`before` None), changed or deleted (`after` None).

    An admin's own view, which nobody else sees, gets no entry.
    """
    was_shared, is_shared = (view is not None and view.owner_id is None for view in (before, after))
    view = after or before
    assert view is not None, "a view was or is there"
    data: dict[str, object] = {"query": view.query, "sort": view.sort}
    if was_shared and is_shared:
        assert before is not None, "it was shared"
        action = audit.VIEW_CHANGED
        data = changes(_said(before), _said(view))
    elif is_shared:
        action, data = audit.VIEW_SHARED, data | {"owner": view.shared_with}
    elif was_shared:
        action = audit.VIEW_UNSHARED if after else audit.VIEW_DELETED
    if data and (was_shared or is_shared):
        add(connection, at_ms, actor, action, Target(view.public_id, view.name), data)


def _said(view: SavedView) -> dict[str, str | None]:
    return {name: getattr(view, name) for name in _FIELDS} | {"owner": view.shared_with}


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

    `announce()` makes all workers look for changed views; `build(list_id)` starts building a list
    that Redis lacks.
    """

    def __init__(self, services: Services):
        self._services = services
        self._limits = RateLimiter(services.monotonic)
        self._database = services.database
        self._seen_views = SeenViews(services)
        self._clock = services.clock

    @route("GET", "/views", "getViews", summary="List your views", answers=done(Views))
    def listing(self) -> Response:
        identity, locale = current(), languages.browsers_locale()
        rows = self._seen_views.of(identity.admin_id, locale, identity.desks)
        return json_response({"views": rows})

    @route(
        "POST",
        "/views",
        "postView",
        summary="Save a view",
        description="Only supervisors save views of a desk or of all.",
        body=(NewViewRequest,),
        example=_EXAMPLE,
        answers={201: Documented("Saved.", (View,))},
        problems=(429,),
        problem=ViewProblem,
    )
    def create(self, body: NewViewRequest) -> Response:
        admin_id, now, owner = current().admin_id, self._clock(), _owner_of(body.owner)
        # The write may run again, after a conflict; the limit counts it once.
        charge = cache(partial(self._limits.require, SAVED_CONDITIONS, admin_id))

        def write(connection: Connection) -> tuple[SavedView, ListedView]:
            timezone = timezone_of(connection, admin_id, body.timezone)
            view = views.create(connection, _draft(body, owner, timezone), admin_id, now)
            query_list = query_lists.list_of(connection, view.listed(admin_id))
            charge(query_list.resolved.conditions or 1)
            audit_change(connection, now, acting(), None, view)
            return view, without_total(connection, view, admin_id)

        view, answer = self._write(write)
        self._begin(view)
        self._services.view_changes.announce()
        return json_response(answer, 201)

    @route(
        "PUT",
        "/views/{view_id}",
        "putView",
        summary="Change a view",
        path_parameters=_VIEW_ID,
        body=(ViewRequest,),
        example={name: _EXAMPLE[name] for name in ("name", "query", "sort")},
        answers=done(View),
        problems=(404, 409, 429),
        problem=ViewProblem,
    )
    def change(self, view_id: str, body: ViewRequest) -> Response:
        """Answers 409 and changes nothing if the view's `changed_at` is another one."""
        admin_id, now = current().admin_id, self._clock()
        # The write may run again, after a conflict; the limit counts it once.
        charge = cache(partial(self._limits.require, SAVED_CONDITIONS, admin_id))

        def write(connection: Connection) -> tuple[SavedView, SavedView, ListedView]:
            view = _locked(connection, view_id)
            if body.changed_at not in (None, view.changed_at):
                raise ChangedMeanwhile("the view", view=without_total(connection, view, admin_id))
            before = _ViewOwner(view.owner_id, view.desk)
            owner = before if body.owner is None else _owner_of(body.owner)
            draft = _draft(body, owner, body.timezone or view.timezone)
            changed = views.change(connection, view, draft, admin_id, now)
            if changed.list_id != view.list_id:
                query_list = query_lists.list_of(connection, changed.listed(admin_id))
                charge(query_list.resolved.conditions or 1)
            audit_change(connection, now, acting(), view, changed)
            return view, changed, without_total(connection, changed, admin_id)

        before, changed, answer = self._write(write)
        if changed.list_id != before.list_id:
            self._begin(changed)
        self._services.view_changes.announce()
        return json_response(answer)

    @route(
        "DELETE",
        "/views/{view_id}",
        "deleteView",
        summary="Delete a view",
        path_parameters=_VIEW_ID,
        answers=NO_CONTENT,
        problems=(404, 409),
    )
    def remove(self, view_id: str) -> Response:
        now = self._clock()

        def write(connection: Connection) -> None:
            view = _locked(connection, view_id)
            views.remove(connection, view, now)
            audit_change(connection, now, acting(), view, None)

        self._write(write)
        self._services.view_changes.announce()
        return Response(status=204)

    @route(
        "PUT",
        "/views/order",
        "putViewOrder",
        summary="Set the order of your views",
        description="Ids of deleted and of other admins' views are ignored.",
        body=(ViewOrderRequest,),
        example={"ids": ["not_respond", "v17", "arrival", "history"]},
        answers=done(ViewIds),
    )
    def order(self, body: ViewOrderRequest) -> Response:
        admin_id, desks = current().admin_id, current().desks

        def write(connection: Connection) -> list[str]:
            saved = [view.public_id for view in views.visible_to(connection, admin_id, desks)]
            visible_ids = {*BUILT_IN_VIEWS, *saved}
            ids = [id for id in dict.fromkeys(body.ids) if id in visible_ids]
            views.begin_change(connection)
            views.note(connection, admin_id)
            views.save(connection, admin_id, ids)
            return views.ordered(connection, admin_id, BUILT_IN_VIEWS, saved)

        ordered = self._write(write)
        self._services.view_changes.announce()
        return json_response({"ids": ordered})

    def _begin(self, view: SavedView) -> None:
        if view.list_id is not None:
            self._services.list_builder.build(view.list_id)

    def _write(self, work: Callable[[Connection], Result]) -> Result:
        """Runs `work` in one transaction. Answers 422 for a wrong query or an unknown sort."""
        try:
            return self._database.write(work)
        except WrongQuery as error:
            raise invalid_query(error) from error


def _draft(body: NewViewRequest | ViewRequest, owner: "_ViewOwner", timezone: str) -> Draft:
    return Draft(body.name, body.query, body.sort, timezone, *owner)


class _ViewOwner(NamedTuple):
    """An admin, a desk, or, without either, everybody."""

    admin_id: int | None
    desk: str | None


def _owner_of(owner: str) -> _ViewOwner:
    """Returns the parsed owner. Raises Problem (403) if only supervisors may save such views."""
    if owner == "me":
        return _ViewOwner(current().admin_id, None)
    require_supervisor()
    return _ViewOwner(None, None if owner == "all" else owner.removeprefix(views.DESK))


def _locked(connection: Connection, view_id: str) -> SavedView:
    """Returns the view if the caller may change it. Raises NotFound and Problem (403)."""
    number, identity = views.number_of(view_id), current()
    view = None
    if number is not None:
        view = views.lock(connection, number, identity.admin_id, identity.desks)
    if view is None:
        raise NotFound("There is no such view.")
    if view.owner_id is None:
        require_supervisor()
    return view
