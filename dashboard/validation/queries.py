"""Refuses texts that are not queries of the condition language, with the place of the mistake."""

from dataclasses import dataclass
from typing import Any

from dashboard.errors import FieldError, Problem
from dashboard.validation.field_errors import field_error, named
from scoring.conditions.language.query import QueryError
from scoring.sorting.rules import UnknownSort


@dataclass(frozen=True)
class QueryFieldError(FieldError):
    """A mistake in a query: `at` counts characters from 0, `expected` is what may stand there."""

    at: int
    expected: tuple[str, ...]


def invalid_query(error: QueryError, pointer: str = "/query") -> Problem:
    """Returns the problem (422) of a wrong query or an unknown sort; `pointer` names its place.

    The place stands beside the standard members and in `errors`.
    """
    if isinstance(error, UnknownSort):
        return unknown_sort()
    # People count characters from 1.
    place_said = f"at character {error.at + 1}"
    detail = f"{named(pointer)} cannot be read {place_said}."
    if error.reason:
        detail = f"{named(pointer)} cannot ask what stands {place_said}. {error.reason}"
    place: dict[str, Any] = {"at": error.at, "expected": error.expected}
    return Problem(
        422,
        "invalid_query",
        detail,
        [QueryFieldError(pointer, "invalid_query", detail, **place)],
        extra={"pointer": pointer, "at": error.at, "expected": list(error.expected)},
    )


def unknown_sort() -> Problem:
    """Returns the problem (422) of a request that names an unknown sort."""
    return field_error("/sort", "unknown_value", "names no sort")
