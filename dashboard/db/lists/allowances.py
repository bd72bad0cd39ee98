"""Limits on views, sorts, policies and lists on screens, by what they cost each event.

A limit on their number says little about their cost: a query may have one condition or hundreds.
Objects saved before there was such a limit stay as they are; only additions are refused.
"""

from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from sqlalchemy import Connection, select

from dashboard.db.lists import kept_lists, query_lists
from dashboard.db.lists.query_lists import ListedQuery, QueryList
from dashboard.db.models.views import views
from dashboard.errors import Invalid
from dashboard.validation.field_errors import field_error
from scoring.conditions.language.parser import parse
from scoring.conditions.language.query import QueryError
from scoring.conditions.resolved import Cost, Resolved, together

#: Conditions of one query in its normal form: see `Resolved.form`.
QUERY_MAX = 256


class Most(NamedTuple):
    """Limits for lists together: their conditions, the weight of their moments (see `Cost`), and
    the lists with a time below ten minutes in `quiet:`."""

    conditions: int
    weight: int
    quiet: int


class Allowance(NamedTuple):
    """A limit on the cost of lists together."""

    owner: str
    most: Most

    def refusal(self, was: Cost, would: Cost) -> str | None:
        """Returns the reason why the cost may not grow from `was` to `would`; None: it may."""
        if would.conditions > max(self.most.conditions, was.conditions):
            return (
                f"would bring {self.owner} to {would.conditions:,} conditions; the limit is"
                f" {self.most.conditions:,}; remove some conditions, or delete another view"
            )
        if would.weight > max(self.most.weight, was.weight):
            return (
                f"has a time that {self.owner} do not use yet, and their limit on different times"
                " is reached; use a common time, such as 5m, 10m, 30m, 1h or 1d"
            )
        if would.quiet > max(self.most.quiet, was.quiet):
            return (
                f"would bring {self.owner} to {would.quiet:,} lists with a time below ten minutes"
                f" in `quiet:`; the limit is {self.most.quiet:,}; use a longer time, or delete"
                " another view"
            )
        return None


#: Limits on one admin's own views; on all admins' own views; on all views.
OWN = Allowance("your own views", Most(1_500, 24, 60))
OWN_OF_ALL = Allowance("all admins' own views", Most(6_000, 40, 120))
SAVED = Allowance("all saved views", Most(12_000, 48, 200))
#: Limits on lists that are kept while they are open: for one admin, and for all together.
LOOKED_AT = Allowance("the lists that you have open", Most(1_500, 16, 20))
TEMPORARY = Allowance("all open lists", Most(8_000, 24, 60))
#: Maximum number of conditions of all saved sorts, and of all policies: no index serves them.
RULES_MAX = 400


def query_refusal(resolved: Resolved) -> str | None:
    """Returns the reason why a query costs too much to be kept as a list; None: it may be kept."""
    if resolved.form is None:
        return "has too many nested alternatives for a list that is kept up to date; simplify it"
    if resolved.conditions > QUERY_MAX:
        return (
            f"has {resolved.conditions:,} conditions in its normal form; the limit is"
            f" {QUERY_MAX}; simplify it, or split it into two views"
        )
    return None


def check_view(
    connection: Connection, new: QueryList, owner_id: int | None, view_id: int | None
) -> None:
    """Raises Invalid if a view of this list costs too much. `view_id`: the view that gets the list;
    None: a new one. Call it before the list is added."""
    if reason := query_refusal(new.resolved):
        raise _too_costly("/query", reason)
    lists = query_lists.current(connection).lists
    columns = (views.c.id, views.c.owner_id, views.c.list_id)
    rows = connection.execute(select(*columns).where(views.c.list_id.in_(lists))).all()
    for allowance in (OWN, OWN_OF_ALL, SAVED) if owner_id is not None else (SAVED,):
        view_rows = [
            row
            for row in rows
            if allowance is SAVED
            or row.owner_id == owner_id
            or (allowance is OWN_OF_ALL and row.owner_id is not None)
        ]
        other_ids = {row.list_id for row in view_rows if row.id != view_id}
        rest = together(lists[id].resolved for id in other_ids)
        replaced = {row.list_id for row in view_rows} - other_ids
        was = rest.and_([lists[id].resolved for id in replaced])
        would = rest if new.id in other_ids else rest.and_([new.resolved])
        if reason := allowance.refusal(was, would):
            raise _too_costly("/query", reason)


def with_room(
    connection: Connection, new: Mapping[str, ListedQuery], beside: Collection[str] = ()
) -> list[str]:
    """Returns the ids of the lists that may be kept while an admin has them open.

    `beside`: the lists that the admin has open already. A query with a mistake is left out. Call it
    before any list is added.
    """
    lists = query_lists.current(connection).lists
    temporary = kept_lists.temporary(connection)
    of_all = together(lists[id].resolved for id in temporary if id in lists)
    of_one = together(lists[id].resolved for id in temporary.intersection(beside) if id in lists)
    ids: list[str] = []
    for id, listed in new.items():
        try:
            resolved = listed.resolved(connection)
        except QueryError:
            continue
        refusals = (
            query_refusal(resolved),
            LOOKED_AT.refusal(of_one, of_one.and_([resolved])),
            TEMPORARY.refusal(of_all, of_all.and_([resolved])),
        )
        if not any(refusals):
            ids.append(id)
            of_all = of_all.and_([resolved])
    return ids


def check_rules(pointer: str, what: str, before: Iterable[str], after: Iterable[str]) -> None:
    """Raises Invalid if the queries of all sorts, or of all policies, would cost too much."""
    was, would = (sum(map(_terms, queries)) for queries in (before, after))
    if would > max(RULES_MAX, was):
        reason = f"would bring all {what} to {would:,} conditions; the limit is {RULES_MAX}"
        raise _too_costly(pointer, reason)


@lru_cache(maxsize=4_096)
def _terms(query: str) -> int:
    try:
        return sum(1 for _ in parse(query).terms())
    except QueryError:
        return 0


def _too_costly(pointer: str, reason: str) -> Invalid:
    return field_error(pointer, "too_costly", reason)
