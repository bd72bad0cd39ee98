"""`presence/online` of both APIs: people by the time when they were last seen, in pages."""

from collections.abc import Callable
from typing import Annotated

from flask import Response
from pydantic import Field

from dashboard.presence.service import PresenceUnavailable
from dashboard.validation.fields import INTEGER_MAX
from dashboard.web.http import problems
from dashboard.web.http.queries import DIGITS, Cursor, Cursors, Query, excluded
from presence.listing import Page, Position, Times

WITHIN_DEFAULT_SECONDS = 900
WITHIN_MAX_SECONDS = 86_400
LIMIT_DEFAULT, LIMIT_MAX = 100, 500

_Milliseconds = Annotated[int, Field(ge=0, le=INTEGER_MAX), DIGITS]


class SeenQuery(Query):
    """The last `within` seconds, or `from` and `to` in ms since 1970."""

    within: Annotated[
        Annotated[int, Field(ge=1, le=WITHIN_MAX_SECONDS), DIGITS] | None,
        Field(
            description="Seconds until now, 900 by default; not with `from` or `to`.",
            examples=[900],
        ),
    ] = None
    first: Annotated[_Milliseconds | None, Field(alias="from")] = None
    last: Annotated[_Milliseconds | None, Field(alias="to")] = None
    limit: Annotated[int, Field(ge=1, le=LIMIT_MAX, examples=[100]), DIGITS] = LIMIT_DEFAULT
    cursor: Cursor = None

    def times(self) -> Times:
        """Returns the period. Raises Invalid for both kinds of times at once."""
        if self.first is None and self.last is None:
            return (self.within or WITHIN_DEFAULT_SECONDS) * 1_000
        if self.within is not None:
            raise excluded("within", "from and to")
        return self.first or 0, INTEGER_MAX if self.last is None else self.last


def redis_unavailable(error: Exception) -> Response:
    """Returns the answer of a presence call while Redis is away."""
    return problems.problem_response(PresenceUnavailable())


def read_page(
    query: SeenQuery,
    cursors: Cursors,
    viewer: str,
    read: Callable[[Times, int, Position | None], Page],
) -> tuple[Page, str | None]:
    """Returns the page that `read(times, limit, after)` gives, and the cursor of the next one.

    Cursors are valid only for `viewer`. Raises Invalid and RedisError.
    """
    list_name, after = f"seen by {viewer}", None
    if query.cursor is not None:
        after = Position(*cursors.decode(list_name, query.cursor))
    page = read(query.times(), query.limit, after)
    return page, None if page.next is None else cursors.encode(list_name, page.next)
