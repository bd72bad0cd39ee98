"""What an admin may choose for the dashboard, and what holds until then."""

from collections.abc import Mapping
from typing import Any

from dashboard.errors import FieldError, Invalid, quoted
from scoring.pages import FILTERS, PAGES
from scoring.sorts import SORTS

THEMES = ("system", "light", "dark")
LOCALES = ("en", "vi", "ja")

#: Fields with one value of a few, and fields with one a page.
_CHOICES: dict[str, tuple[str, ...]] = {
    "page": PAGES,
    "theme": THEMES,
    "locale": LOCALES,
    # Whether the list goes along with the open thread when it moves.
    "follow": ("off", "after_reply", "always"),
    "density": ("comfortable", "compact"),
    "send_key": ("ctrl_enter", "enter"),
}
_BY_PAGE: dict[str, tuple[str, ...]] = {"sorts": tuple(SORTS), "filters": FILTERS}
#: Switches of the calm list, by name.
_SWITCHES = "calm"
_SWITCH_NAME_CHARACTERS = 32
_SWITCHES_MAX = 20
#: How an admin is told of what happened, and of which pages.
_NOTICES = ("sound", "desktop", "title")
LIST_WIDTH_PX = (200, 2_000)


def complete(chosen: Mapping[str, Any], locale: str) -> dict[str, Any]:
    """All preferences: what was chosen, over what holds for everybody."""
    defaults: dict[str, Any] = {
        "sorts": {"arrival": "arrival", "not_respond": "longest_wait", "history": "arrival"},
        "filters": dict.fromkeys(PAGES, "all"),
        "page": "arrival",
        "theme": "system",
        "locale": locale,
        "calm": {},
        "follow": "off",
        "density": "comfortable",
        "send_key": "ctrl_enter",
        "single_keys": True,
        "notify": {"sound": False, "desktop": False, "title": True, "pages": ["not_respond"]},
        # As wide as the style says.
        "list_width": None,
    }
    return merged(defaults, chosen)


def merged(held: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """`held` with the change; objects are merged by key."""
    made = dict(held)
    for name, value in change.items():
        made[name] = made.get(name, {}) | value if isinstance(value, dict) else value
    return made


def check(change: Any) -> dict[str, Any]:
    """A change as it may be merged; raises Invalid with every single error."""
    if not isinstance(change, dict):
        raise Invalid([FieldError("", "wrong_type", "The body must be an object.")])
    errors = [error for name, value in change.items() for error in _errors(name, value)]
    if errors:
        raise Invalid(errors)
    return change


def _errors(name: str, value: Any) -> list[FieldError]:
    if name in _CHOICES:
        return _not_one_of(f"/{name}", value, _CHOICES[name])
    if name == "single_keys":
        return _not_a_switch("/single_keys", value)
    if name == "list_width":
        return _width_errors(value)
    if name not in (_SWITCHES, "notify", *_BY_PAGE):
        return [_unknown(f"/{name[:100]}")]
    if not isinstance(value, dict):
        return [FieldError(f"/{name}", "wrong_type", f"The field {name} must be an object.")]
    if name == _SWITCHES:
        return _switch_errors(value)
    if name == "notify":
        return _notice_errors(value)
    return _page_errors(name, value)


def _page_errors(name: str, by_page: dict[str, Any]) -> list[FieldError]:
    return [
        error
        for page, choice in by_page.items()
        for error in (
            _not_one_of(f"/{name}/{page}", choice, _BY_PAGE[name])
            if page in PAGES
            else [_unknown(f"/{name}/{page[:100]}")]
        )
    ]


def _switch_errors(switches: dict[str, Any]) -> list[FieldError]:
    if len(switches) > _SWITCHES_MAX:
        return [FieldError("/calm", "too_long", f"There are up to {_SWITCHES_MAX} switches.")]
    return [
        FieldError(f"/calm/{name[:100]}", "wrong_type", "A switch is true or false.")
        for name, value in switches.items()
        if not isinstance(value, bool) or len(name) > _SWITCH_NAME_CHARACTERS
    ]


def _notice_errors(notices: dict[str, Any]) -> list[FieldError]:
    errors: list[FieldError] = []
    for name, value in notices.items():
        if name in _NOTICES:
            errors += _not_a_switch(f"/notify/{name}", value)
        elif name != "pages":
            errors.append(_unknown(f"/notify/{name[:100]}"))
        elif not isinstance(value, list):
            errors.append(FieldError("/notify/pages", "wrong_type", "The pages must be a list."))
        elif len(value) > len(PAGES):
            errors.append(FieldError("/notify/pages", "too_long", "Each page stands there once."))
        else:
            for place, page in enumerate(value):
                errors += _not_one_of(f"/notify/pages/{place}", page, PAGES)
    return errors


def _width_errors(value: Any) -> list[FieldError]:
    low, high = LIST_WIDTH_PX
    if value is not None and type(value) is not int:
        return [FieldError("/list_width", "wrong_type", "A width is a whole number, or null.")]
    if value is None or low <= value <= high:
        return []
    detail = f"A width is {low} to {high} pixels."
    return [FieldError("/list_width", "number_out_of_range", detail)]


def _not_a_switch(pointer: str, value: Any) -> list[FieldError]:
    if isinstance(value, bool):
        return []
    return [FieldError(pointer, "wrong_type", "This must be true or false.")]


def _not_one_of(pointer: str, value: Any, allowed: tuple[str, ...]) -> list[FieldError]:
    if not isinstance(value, str):
        return [FieldError(pointer, "wrong_type", "This must be text.")]
    if value in allowed:
        return []
    return [FieldError(pointer, "unknown_value", f"{quoted(value)} is none of {_list(allowed)}.")]


def _unknown(pointer: str) -> FieldError:
    return FieldError(pointer, "unknown_field", "There is no such field.")


def _list(values: tuple[str, ...]) -> str:
    return ", ".join(values)
