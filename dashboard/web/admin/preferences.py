"""Preferences of an admin for the dashboard, and their defaults."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, StrictBool, StrictInt, create_model
from sqlalchemy import Connection

from dashboard.db.accounts import admins
from dashboard.db.lists import sorts
from dashboard.db.lists.query_lists import TIMEZONE
from dashboard.db.lists.views import number_of
from dashboard.errors import quoted
from dashboard.languages import LOCALES
from dashboard.validation.accounts import Timezone
from dashboard.validation.field_errors import field_error, validated
from dashboard.validation.fields import Partial, Strict, fault
from dashboard.validation.strict_json import JsonObject
from dashboard.web.http.schemas import Absent
from scoring.sorting.rules import NAME_PATTERN, is_sort_name
from scoring.views import BUILT_IN_VIEWS, FILTERS, OWN_VIEWS, QUERY_VIEWS, VIEWS

THEMES = ("system", "light", "dark")
LIST_WIDTH_PX = (200, 2_000)
#: The page's places that are a view with a filter. The others are views.
FILTERED_PLACES = {"mine": ("arrival", "mine"), "unassigned": ("arrival", "unassigned")}
#: The places in the order in which the page shows them.
PLACES = (*FILTERED_PLACES, "not_respond", "arrival", "snoozed", "mentions", "history")
assert {*PLACES} == {*FILTERED_PLACES, *BUILT_IN_VIEWS}


def _not_null(value: Any) -> Any:
    if value is None:
        raise fault("wrong_type", "may be omitted, but not be null")
    return value


NOT_NULL = BeforeValidator(_not_null)
_Switch = Annotated[StrictBool, NOT_NULL]


def _by_name(model: str, names: Iterable[str], choice: Any) -> Any:
    """Returns a model with one such field for each name."""
    fields: dict[str, Any] = dict.fromkeys(names, (Annotated[choice, NOT_NULL], Absent))
    return create_model(model, __base__=Partial, **fields)


def _sort_name(text: str) -> str:
    if not is_sort_name(text):
        raise fault("unknown_value", f"is not the name of a sort: {quoted(text, 60)}")
    return text


def _view_id(text: str) -> str:
    if number_of(text) is None:
        raise fault("unknown_value", f"is not the id of a saved view: {quoted(text, 60)}")
    return text


_SavedId = Annotated[
    str, AfterValidator(_view_id), Field(json_schema_extra={"pattern": "^v[1-9][0-9]*$"})
]
_SortName = Annotated[
    str, AfterValidator(_sort_name), Field(json_schema_extra={"pattern": NAME_PATTERN})
]
_Sorts = Annotated[_by_name("ChosenSorts", PLACES, _SortName), NOT_NULL]  # type: ignore[valid-type]
_FilterName = Literal[FILTERS]  # type: ignore[valid-type]
_Filters = Annotated[_by_name("ChosenFilters", BUILT_IN_VIEWS, _FilterName), NOT_NULL]  # type: ignore[valid-type]


class Notifications(Partial):
    """The ways to announce new requests, and the views for which they are announced."""

    sound: _Switch = Absent
    desktop: _Switch = Absent
    title: _Switch = Absent
    views: Annotated[
        list[Literal[VIEWS]],  # type: ignore[valid-type]
        Field(max_length=len(VIEWS)),
        NOT_NULL,
    ] = Absent


class SavedList(Strict):
    """The list of a saved view; without a sort it has the sort of the view."""

    view: _SavedId
    sort: Annotated[_SortName, NOT_NULL] = Absent
    filter: Annotated[Literal[FILTERS], NOT_NULL] = Absent  # type: ignore[valid-type]


class PreferencesRequest(Partial):
    """A change of preferences; omitted ones stay as they are."""

    #: The place that was open last; null before the first one: then it is `view`.
    place: Literal[PLACES] | None = None  # type: ignore[valid-type]
    #: A built-in view. The page stores `place`.
    view: Annotated[Literal[BUILT_IN_VIEWS], NOT_NULL] = Absent  # type: ignore[valid-type]
    #: The saved view that was open after it; null if none was.
    saved: SavedList | None = None
    sorts: _Sorts = Absent  # type: ignore[valid-type]
    filters: _Filters = Absent  # type: ignore[valid-type]
    theme: Annotated[Literal[THEMES], NOT_NULL] = Absent  # type: ignore[valid-type]
    locale: Annotated[Literal[LOCALES], NOT_NULL] = Absent  # type: ignore[valid-type]
    timezone: Annotated[
        Timezone | None,
        Field(description="Time zone of days and of picked moments; null: the browser's."),
    ] = None
    #: Whether the list scrolls with the open thread when it moves.
    follow: Annotated[Literal["off", "after_reply", "always"], NOT_NULL] = Absent
    density: Annotated[Literal["comfortable", "compact"], NOT_NULL] = Absent
    send_key: Annotated[Literal["ctrl_enter", "enter"], NOT_NULL] = Absent
    single_keys: _Switch = Absent
    notify: Annotated[Notifications, NOT_NULL] = Absent
    #: Whether a customer's message in a thread assigned to the admin is announced, too.
    notify_own: _Switch = Absent
    #: Whether desktop notifications show the customer's name and text.
    notify_text: _Switch = Absent
    #: Whether the page has yet to explain why the list stands still.
    list_hint: _Switch = Absent
    #: Whether the panel about the customer stands open where the window is wide.
    customer_panel: _Switch = Absent
    #: In pixels; null is the width of the stylesheet.
    list_width: Annotated[StrictInt, Field(ge=LIST_WIDTH_PX[0], le=LIST_WIDTH_PX[1])] | None = None


_DEFAULTS: Mapping[str, Any] = {
    "sorts": {
        **dict.fromkeys(FILTERED_PLACES, "longest_wait"),
        "arrival": "arrival",
        "not_respond": "longest_wait",
        **QUERY_VIEWS,
        **OWN_VIEWS,
        "history": "arrival",
    },
    "filters": dict.fromkeys(BUILT_IN_VIEWS, "all"),
    "place": None,
    "view": "not_respond",
    "saved": None,
    "theme": "system",
    "locale": "en",
    "timezone": None,
    "follow": "off",
    "density": "comfortable",
    "send_key": "ctrl_enter",
    "single_keys": True,
    "notify": {"sound": False, "desktop": False, "title": True, "views": ["not_respond"]},
    "notify_own": True,
    "notify_text": True,
    "list_hint": True,
    "customer_panel": True,
    "list_width": None,
}


def timezone_of(connection: Connection, admin_id: int, named: str | None) -> str:
    """Returns the time zone of days in an admin's query: the named one, the profile's, or UTC."""
    if named is not None:
        return named
    return known(admins.preferences(connection, admin_id)).get("timezone") or TIMEZONE


def complete(chosen: Mapping[str, Any], locale: str) -> JsonObject:
    """Returns all preferences: the chosen ones over the defaults."""
    return merged({**_DEFAULTS, "locale": locale}, known(chosen))


def known(chosen: Mapping[str, Any]) -> JsonObject:
    """Returns the chosen preferences, without names that no longer exist."""
    return _among(chosen, _DEFAULTS)


def _among(values: Mapping[str, Any], names: Mapping[str, Any]) -> JsonObject:
    return {
        name: _among(value, names[name]) if isinstance(names[name], dict) else value
        for name, value in values.items()
        if name in names
        and (names[name] is None or isinstance(value, dict) == isinstance(names[name], dict))
    }


def merged(old: Mapping[str, Any], change: Mapping[str, Any]) -> JsonObject:
    """Returns `old` with the change; objects are merged by key, except one that may be null."""
    values = dict(old)
    for name, value in change.items():
        is_merged = isinstance(_DEFAULTS[name], dict)
        values[name] = values.get(name, {}) | value if is_merged else value
    return values


def check_sorts(connection: Connection, change: Mapping[str, Any]) -> None:
    """Raises Invalid if a view is to be in an unknown sort."""
    all_sorts = sorts.known(connection)
    by_pointer = {f"/sorts/{view}": sort for view, sort in change.get("sorts", {}).items()}
    by_pointer["/saved/sort"] = (change.get("saved") or {}).get("sort")
    for pointer, sort in by_pointer.items():
        if sort is not None and sort not in all_sorts:
            raise field_error(pointer, "unknown_value", "is not the name of a sort")


def forget_sort(connection: Connection, name: str) -> None:
    """Called when a sort is deleted: views that admins had in it return to their first sort."""
    for admin in admins.listing(connection):
        if _without_sort(admins.preferences(connection, admin.id), name):
            admins.lock_for_change(connection, admin.id)
            old = admins.preferences(connection, admin.id)
            admins.save_preferences(connection, admin.id, old | _without_sort(old, name))


def _without_sort(old: JsonObject, name: str) -> JsonObject:
    """Returns the preferences that name a sort, as they are without it."""
    view_sorts, saved = old.get("sorts", {}), old.get("saved") or {}
    rest: JsonObject = {}
    if name in view_sorts.values():
        rest["sorts"] = {view: sort for view, sort in view_sorts.items() if sort != name}
    if saved.get("sort") == name:
        rest["saved"] = {field: saved[field] for field in saved if field != "sort"}
    return rest


def check(change: Any) -> JsonObject:
    """Returns a change that may be merged. Raises Invalid with every single error."""
    return validated(PreferencesRequest, change).model_dump(exclude_unset=True)
