"""Saved sorts: routes, bodies, answers, and the check of their rules."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Annotated, Literal

from flask import Response
from pydantic import AfterValidator, Field, StrictInt
from sqlalchemy import Connection

from dashboard import languages
from dashboard.db import audit
from dashboard.db.accounts import admins
from dashboard.db.audit import Target, add, changes
from dashboard.db.lists import allowances, sorts, views
from dashboard.errors import ChangedMeanwhile, FieldError, Invalid, NotFound, Problem, quoted
from dashboard.live.requests import ViewId
from dashboard.services import Services
from dashboard.validation.accounts import KeptTimezone, OwnTimezone
from dashboard.validation.field_errors import field_error, invalid_query, named
from dashboard.validation.fields import (
    INTEGER_MAX,
    Partial,
    Strict,
    check_length,
    check_line,
    fault,
)
from dashboard.web.admin import preferences
from dashboard.web.admin.routes import SUPERVISOR
from dashboard.web.http import schemas
from dashboard.web.http.audit import acting
from dashboard.web.http.identity import current
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import NO_CONTENT, Documented, PathParameter, done, route
from dashboard.web.http.schemas import Absent, Answer, Milliseconds, ThreadId
from scoring.composite import Direction
from scoring.conditions.language.parser import LENGTH_MAX
from scoring.sorting.checks import refusals
from scoring.sorting.resolved import ResolvedSort, RuleError, SortError
from scoring.sorting.rules import NAME_PATTERN, SAVED_BY, By, Split, is_sort_name
from scoring.sorting.rules import Rule as SortRule
from scoring.sorting.rules import Sort as SavedSort
from scoring.sorts import BUILT_IN, BUILT_IN_SORTS

NAME_MAX = 32
TITLE_MAX = 80
RULES_MAX = 20
#: Names of calls below /sorts; a sort with such a name could not be reached.
CALLS = ("preview",)


def _name(text: str) -> str:
    check_length(text, NAME_MAX)
    if not is_sort_name(text):
        raise fault("invalid_name", "must be one or more of the characters a-z, 0-9 and _")
    if text in BUILT_IN:
        raise fault("invalid_name", f"must differ from {quoted(text)}, which is built in")
    if text in CALLS:
        raise fault("invalid_name", f"must differ from {quoted(text)}, which is a call")
    return text


_Name = Annotated[
    str,
    AfterValidator(_name),
    Field(json_schema_extra={"pattern": NAME_PATTERN}, description="Not a built-in sort's name."),
]
_Title = Annotated[
    str, AfterValidator(lambda text: check_line(text, TITLE_MAX)), Field(max_length=TITLE_MAX)
]


class RuleRequest(Strict):
    """One rule. `when` selects threads among those that no earlier rule places; `by` and `order`
    sort them; `split` puts each value into a tier of its own."""

    when: Annotated[str, Field(description=f"A query of up to {LENGTH_MAX:,} characters.")]
    by: Literal[SAVED_BY]  # type: ignore[valid-type]
    order: Direction
    split: Split | None = None

    def rule(self) -> SortRule:
        return SortRule(self.when, self.by, self.order, self.split)


_Rules = Annotated[list[RuleRequest], Field(max_length=RULES_MAX)]


class NewSortRequest(Strict):
    """A sort to be saved."""

    name: _Name
    title: _Title
    rules: _Rules
    timezone: OwnTimezone = None


class SortRequest(Partial):
    """The new state of a sort; its name stays, and so does an omitted `timezone`."""

    name: Annotated[str | None, Field(description="The name in the URL; may be omitted.")] = None
    title: _Title
    rules: _Rules
    timezone: KeptTimezone = None
    changed_at: Annotated[
        Annotated[StrictInt, Field(ge=0, le=INTEGER_MAX)] | None,
        Field(description="Its value as read: a sort that has changed since is not overwritten."),
    ] = None


class SortPreviewRequest(Strict):
    """Rules that are being edited, and a view on which to try them."""

    rules: _Rules
    view: ViewId
    timezone: OwnTimezone = None


_Bits = Annotated[int, Field(description="The bits of the highest score, at most 53.", ge=1, le=53)]
_Tiers = Annotated[int, Field(description="The number of its tiers.", ge=1)]


class Rule(Answer):
    """A rule of a sort."""

    when: Annotated[str, Field(description="A query; empty: all remaining threads.")]
    by: By
    order: Direction
    split: Split = Absent


class Sort(Answer):
    """A sort; a built-in one cannot be changed."""

    name: str
    title: Annotated[str, Field(description="If built-in, in the language of the admin.")]
    rules: list[Rule]
    timezone: Annotated[str | None, Field(description="Time zone of days; null if built-in.")]
    built_in: bool
    changed_at: Annotated[Milliseconds | None, Field(description="Null if built-in.")]


class Sorts(Answer):
    """All sorts: first the built-in ones, then the saved ones by name."""

    sorts: list[Sort]


class SortPreview(Answer):
    """The effect of rules on a view."""

    bits: _Bits
    tiers: _Tiers
    moved: Annotated[int, Field(description="Number of threads with another place in `after`.")]
    of: Annotated[int, Field(description="The length of `after`, at most 200.")]
    before: Annotated[
        list[ThreadId], Field(max_length=200, description="The first threads in today's order.")
    ]
    after: Annotated[list[ThreadId], Field(max_length=200, description="The same, by the rules.")]
    whole: Annotated[
        bool, Field(description="False if time ran out: then only the newest threads were read.")
    ]


class UsedBy(Answer):
    """A view that uses the sort."""

    id: str
    name: str


class SortProblem(schemas.Problem):
    """A problem with the place of a mistake in a query, the sort as it is now, or its views."""

    errors: list[schemas.QueryError]  # type: ignore[assignment]
    pointer: Annotated[str, Field(description="With `invalid_query`.")] = Absent
    at: Annotated[int, Field(description="With `invalid_query`.")] = Absent
    expected: Annotated[list[str], Field(description="With `invalid_query`.")] = Absent
    sort: Annotated[Sort, Field(description="With `changed_meanwhile`.")] = Absent
    views: Annotated[
        list[UsedBy],
        Field(description="With `in_use`: the views that the caller sees; there may be more."),
    ] = Absent


def checked(
    connection: Connection, name: str, title: str, rules: Iterable[RuleRequest], timezone: str
) -> tuple[SavedSort, ResolvedSort]:
    """Returns the sort, unresolved and resolved.

    Raises Problem (422) with the place of each mistake. Reading and compiling new rules takes some
    milliseconds, and almost no time for rules that were checked before: so do it once before the
    write transaction that repeats it.
    """
    sort = SavedSort(name, tuple(rule.rule() for rule in rules), title, timezone)
    if not sort.rules:
        raise _refused([FieldError("/rules", "rest_missing", "need a last rule for all threads")])
    try:
        resolved = sorts.checked(connection, sort)
    except RuleError as error:
        raise invalid_query(error.error, f"/rules/{error.rule}/when") from error
    except SortError as error:
        text = "have tiers that do not fit into a score of 53 bits"
        raise _refused([FieldError("/rules", "sort_too_large", text)]) from error
    mistakes = [FieldError(*refusal) for refusal in refusals(resolved)]
    if mistakes:
        raise _refused(mistakes)
    return sort, resolved


def _refused(errors: Iterable[FieldError]) -> Invalid:
    return Invalid(
        [
            FieldError(error.pointer, error.code, f"{named(error.pointer)} {error.detail}.")
            for error in errors
        ]
    )


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

    `announce()` tells all dashboards that sorts have changed; `build(list_id)` starts building a
    list that Redis lacks.
    """

    def __init__(self, services: Services):
        self._services = services
        self._database = services.database
        self._clock = services.clock

    @route("GET", "/sorts", "getSorts", summary="List the sorts", answers=done(Sorts))
    def listing(self) -> Response:
        with self._database.read() as connection:
            chosen = admins.preferences(connection, current().admin_id)
            all_sorts = sorts.known(connection)
        locale = preferences.complete(chosen, languages.browsers_locale())["locale"]
        return json_response({"sorts": [_json(sort, locale) for sort in all_sorts.values()]})

    @_route(
        "POST",
        "/sorts",
        "postSort",
        summary="Save a sort",
        body=(NewSortRequest,),
        example=_EXAMPLE,
        answers={201: Documented("Saved.", (Sort,))},
        problems=(409,),
        problem=SortProblem,
    )
    def create(self, body: NewSortRequest) -> Response:
        admin_id, now = current().admin_id, self._clock()
        self._check_ahead(partial(_new, body=body))

        def write(connection: Connection) -> SavedSort:
            views.begin_change(connection)
            views.note(connection, None)
            sort = _new(connection, body)
            add(connection, now, acting(), audit.SORT_CREATED, _target(sort), _said(sort))
            new_sort = sorts.create(connection, sort, admin_id, now)
            views.keep_anew(connection, new_sort.name, now)
            return new_sort

        new_sort = self._database.write(write)
        self._services.view_changes.announce()
        return json_response(_json(new_sort), 201)

    @_route(
        "PUT",
        "/sorts/{name}",
        "putSort",
        summary="Change a sort",
        path_parameters=_NAME,
        body=(SortRequest,),
        example={name: _EXAMPLE[name] for name in ("title", "rules")},
        answers=done(Sort),
        problems=(404, 409),
        problem=SortProblem,
    )
    def change(self, name: str, body: SortRequest) -> Response:
        """Changes the sort. Views in it get new lists in the same transaction."""
        if body.name not in (None, name):
            text = f"must be omitted or {quoted(name)}, as in the URL: a sort keeps its name"
            raise field_error("/name", "invalid_name", text)
        admin_id, now = current().admin_id, self._clock()
        self._check_ahead(partial(_change, name=name, body=body))

        def write(connection: Connection) -> tuple[SavedSort, set[str]]:
            views.begin_change(connection)
            views.note(connection, None)
            before, sort = _change(connection, name, body)
            changed = sorts.change(connection, before, sort, admin_id, now)
            differences = changes(_said(before), _said(changed))
            if differences:
                add(connection, now, acting(), audit.SORT_CHANGED, _target(sort), differences)
            if changed.id == before.id:
                return changed, set()
            return changed, views.keep_anew(connection, name, now)

        changed, list_ids = self._database.write(write)
        for list_id in list_ids:
            self._services.list_builder.build(list_id)
        self._services.view_changes.announce()
        return json_response(_json(changed))

    @_route(
        "DELETE",
        "/sorts/{name}",
        "deleteSort",
        summary="Delete a sort that no view uses",
        path_parameters=_NAME,
        answers=NO_CONTENT,
        problems=(404, 409),
        problem=SortProblem,
    )
    def remove(self, name: str) -> Response:
        """Deletes the sort. Built-in views that admins have in it return to their first sort."""
        admin_id, desks, now = current().admin_id, current().desks, self._clock()

        def write(connection: Connection) -> None:
            views.begin_change(connection)
            views.note(connection, None)
            sort = _saved(connection, name)
            if views.uses_sort(connection, name):
                rows = views.visible_to(connection, admin_id, desks)
                users = [
                    {"id": view.public_id, "name": view.name} for view in rows if view.sort == name
                ]
                raise Problem(409, "in_use", "A view uses this sort.", extra={"views": users})
            views.release_sort(connection, name, now)
            sorts.remove(connection, sort, now)
            add(connection, now, acting(), audit.SORT_DELETED, _target(sort), _said(sort))
            preferences.forget_sort(connection, name)

        self._database.write(write)
        self._services.view_changes.announce()
        return Response(status=204)

    def _check_ahead(self, check: Callable[[Connection], object]) -> None:
        """Checks in a read transaction, so that the write transaction can repeat the check quickly.

        Events wait for a transaction that writes, but not for one that reads.
        """
        with self._database.read() as connection:
            check(connection)


def _new(connection: Connection, body: NewSortRequest) -> SavedSort:
    """Returns the sort to be saved. Raises Problem if it cannot be saved."""
    all_sorts = sorts.known(connection)
    if body.name in all_sorts:
        raise Problem(409, "name_taken", f"There is a sort “{body.name}” already.")
    if len(all_sorts) - len(BUILT_IN_SORTS) >= sorts.SORTS_MAX:
        most = f"the limit of {sorts.SORTS_MAX} sorts is reached"
        raise field_error("/name", "too_many_sorts", f"cannot be saved: {most}")
    timezone = preferences.timezone_of(connection, current().admin_id, body.timezone)
    sort, _ = checked(connection, body.name, body.title, body.rules, timezone)
    _check_cost(connection, sort)
    return sort


def _change(connection: Connection, name: str, body: SortRequest) -> tuple[SavedSort, SavedSort]:
    """Returns a saved sort, and its new state. Raises Problem if it cannot be changed so."""
    before = _saved(connection, name)
    if body.changed_at not in (None, before.changed_at):
        raise ChangedMeanwhile("the sort", sort=_json(before))
    timezone = body.timezone or before.timezone
    sort, _ = checked(connection, name, body.title, body.rules, timezone)
    _check_cost(connection, sort)
    return before, sort


def _check_cost(connection: Connection, sort: SavedSort) -> None:
    """Raises Invalid if events would have to check too many conditions of sorts."""
    before = {name: row for name, row in sorts.known(connection).items() if name not in BUILT_IN}
    after = before | {sort.name: sort}
    rules = ([rule.when for row in some.values() for rule in row.rules] for some in (before, after))
    allowances.check_rules("/rules", "sorts", *rules)


def _saved(connection: Connection, name: str) -> SavedSort:
    """Returns a saved sort. Raises NotFound, and Problem (409) for a built-in one."""
    if name in BUILT_IN_SORTS:
        raise Problem(409, "built_in", "A built-in sort cannot be changed.")
    sort = sorts.known(connection).get(name)
    if sort is None:
        raise NotFound("There is no such sort.")
    return sort


def _target(sort: SavedSort) -> Target:
    return Target(sort.name, sort.title)


def _said(sort: SavedSort) -> dict[str, object]:
    """Returns the data of a sort for the audit log."""
    return {"title": sort.title, "rules": sorts.rules_json(sort.rules), "timezone": sort.timezone}


def _json(sort: SavedSort, locale: str = "en") -> dict[str, object]:
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
