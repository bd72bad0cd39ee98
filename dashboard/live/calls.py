"""What a browser may ask for: each call's one object, checked to the letter."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from dashboard.errors import FieldError, Invalid
from scoring import pages
from scoring.sorts import SORTS

OPEN_MAX = 500
MORE_MAX = 20_000
WATCH_MAX = 500
#: Whole numbers that every JSON reader holds exactly; scores are below it, too.
INTEGER_MAX = 2**53 - 1
_EPOCH_CHARACTERS_MAX = 64

Check = Callable[[str, Any], Any]


class ListName(NamedTuple):
    """A list as an admin calls it; `mine` is another list for each of them."""

    page: str
    sort: str
    filter: str

    def tag(self, admin_id: int) -> str:
        return pages.tag(self.page, self.filter, admin_id)


class Asked(dict[str, Any]):
    """A checked call: what may be left out is None."""

    @property
    def list(self) -> ListName:
        return ListName(self["page"], self["sort"], self["filter"] or "all")


class Form:
    """Which fields a call has; those of `optional` may be left out or null."""

    def __init__(self, required: dict[str, Check], optional: dict[str, Check] | None = None):
        self._required = required
        self._checks = required | (optional or {})

    def read(self, given: tuple[Any, ...]) -> Asked:
        """The call's fields. Raises Invalid with every single error."""
        if len(given) != 1 or not isinstance(given[0], dict):
            raise Invalid([FieldError("", "wrong_type", "A call takes one object.")])
        asked, errors = Asked(dict.fromkeys(self._checks)), list(self._unknown(given[0]))
        for name, check in self._checks.items():
            value = given[0].get(name)
            try:
                if value is not None:
                    asked[name] = check(f"/{name}", value)
                elif name in self._required:
                    raise _wrong(f"/{name}", "missing_field", f"The field {name} is missing.")
            except Invalid as problem:
                errors += problem.errors
        if errors:
            raise Invalid(errors)
        return asked

    def _unknown(self, given: dict[str, Any]) -> Iterator[FieldError]:
        for name in given:
            if name not in self._checks:
                shown = name[:60].encode("utf-8", "replace").decode()
                yield FieldError(f"/{shown}", "unknown_field", "There is no such field.")


def integer(low: int, high: int = INTEGER_MAX) -> Check:
    def check(pointer: str, value: Any) -> int:
        if type(value) is not int:
            raise _wrong(pointer, "wrong_type", "This must be a whole number.")
        if not low <= value <= high:
            raise _wrong(pointer, "number_out_of_range", f"This must be {low} to {high}.")
        return value

    return check


def one_of(allowed: tuple[str, ...]) -> Check:
    def check(pointer: str, value: Any) -> str:
        if not isinstance(value, str):
            raise _wrong(pointer, "wrong_type", "This must be text.")
        if value not in allowed:
            raise _wrong(pointer, "unknown_value", f"This must be one of {', '.join(allowed)}.")
        return value

    return check


def place(pointer: str, value: Any) -> tuple[int, int]:
    """`[score, id]`: where to go on."""
    if not isinstance(value, list) or len(value) != 2:
        raise _wrong(pointer, "wrong_type", "This must be [score, id].")
    return integer(0)(f"{pointer}/0", value[0]), integer(0)(f"{pointer}/1", value[1])


def ids(pointer: str, value: Any) -> list[int]:
    if not isinstance(value, list):
        raise _wrong(pointer, "wrong_type", "This must be a list of thread ids.")
    if len(value) > WATCH_MAX:
        raise _wrong(pointer, "too_long", f"There may be up to {WATCH_MAX} ids.")
    return [_id(f"{pointer}/{at}", entry) for at, entry in enumerate(value)]


def epoch(pointer: str, value: Any) -> str:
    if not isinstance(value, str):
        raise _wrong(pointer, "wrong_type", "This must be text.")
    return value[: _EPOCH_CHARACTERS_MAX + 1]


def _wrong(pointer: str, code: str, detail: str) -> Invalid:
    return Invalid([FieldError(pointer, code, detail)])


_id = integer(1)
_NAME = {"page": one_of(pages.PAGES), "sort": one_of(tuple(SORTS))}
_FILTER = {"filter": one_of(pages.FILTERS)}

LIST_OPEN = Form(_NAME | {"limit": integer(1, OPEN_MAX)}, _FILTER)
LIST_MORE = Form(
    _NAME | {"after": place}, _FILTER | {"limit": integer(1, MORE_MAX), "through": _id}
)
LIST_SYNC = Form(_NAME | {"version": integer(0), "epoch": epoch}, _FILTER)
LIST_CLOSE = Form(_NAME, _FILTER)
THREADS_WATCH = Form({}, {"add": ids, "del": ids})
THREAD = Form({"id": _id})
