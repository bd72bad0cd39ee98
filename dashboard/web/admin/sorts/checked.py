"""Rules as supervisors write them, checked."""

from collections.abc import Iterable
from functools import lru_cache

from sqlalchemy import Connection

from dashboard.db.lists import sorts
from dashboard.errors import FieldError, Invalid
from dashboard.validation.field_errors import named
from dashboard.validation.queries import invalid_query
from dashboard.web.admin.sorts.requests import RuleRequest
from scoring.sorting.checks import refusals
from scoring.sorting.resolved import ResolvedSort, RuleError, SortError
from scoring.sorting.rules import Sort


def checked(
    connection: Connection,
    name: str,
    title: str,
    rules: Iterable[RuleRequest],
    timezone: str,
) -> tuple[Sort, ResolvedSort]:
    """The sort, and what it says.

    Raises Problem (422) with the place of each mistake. Takes up to some tens of milliseconds, and
    next to nothing for rules that it has checked before: so check before a write transaction what
    is checked in it.
    """
    sort = Sort(name, tuple(rule.rule() for rule in rules), title, timezone)
    if not sort.rules:
        raise _refused([FieldError("/rules", "rest_missing", "need a last rule for all threads")])
    try:
        resolved = sorts.checked(connection, sort)
    except RuleError as error:
        raise invalid_query(error.error, f"/rules/{error.rule}/when") from error
    except SortError as error:
        text = "have tiers that do not fit into a score of 53 bits"
        raise _refused([FieldError("/rules", "sort_too_large", text)]) from error
    found = _mistakes(resolved)
    if found:
        raise _refused(found)
    return sort, resolved


# Equal rules are one object as long as they are asked for again and again.
@lru_cache(maxsize=64)
def _mistakes(resolved: ResolvedSort) -> tuple[FieldError, ...]:
    return tuple(FieldError(*refusal) for refusal in refusals(resolved))


def _refused(errors: Iterable[FieldError]) -> Invalid:
    return Invalid(
        [
            FieldError(error.pointer, error.code, f"{named(error.pointer)} {error.detail}.")
            for error in errors
        ]
    )
