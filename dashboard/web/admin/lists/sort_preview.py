"""The route that previews the effect of rules on a view, before they are saved."""

import time
from collections.abc import Callable, Sequence

from flask import Response
from sqlalchemy import Connection

from dashboard.clock import time_limit
from dashboard.db.accounts import admins
from dashboard.db.database import Database
from dashboard.db.lists import named_lists, views
from dashboard.db.lists.entries import look_through
from dashboard.db.lists.named_lists import ListName
from dashboard.db.lists.query_lists import QueryList
from dashboard.errors import NotFound
from dashboard.languages import browsers_locale
from dashboard.web.admin import preferences
from dashboard.web.admin.lists.sorts import SortPreview, SortPreviewRequest, SortProblem, checked
from dashboard.web.admin.routes import SUPERVISOR
from dashboard.web.http.identity import current
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import done, route
from scoring.views import BUILT_IN_VIEWS

#: Most threads that are shown.
SHOWN = 200
#: How long a preview searches for threads; it searches once for each order.
SECONDS = 1.5


class SortPreviewApi:
    """The route `/sorts/preview`."""

    def __init__(
        self,
        database: Database,
        clock: Callable[[], int],
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self._database = database
        self._clock = clock
        self._monotonic = monotonic

    @route(
        "POST",
        "/sorts/preview",
        "postSortPreview",
        scope=SUPERVISOR,
        summary="Show what rules would do to the first 200 threads of a view",
        body=(SortPreviewRequest,),
        example={
            "rules": [{"when": "", "by": "created_at", "order": "oldest"}],
            "view": "not_respond",
        },
        answers=done(SortPreview),
        problems=(404,),
        problem=SortProblem,
    )
    def preview(self, body: SortPreviewRequest) -> Response:
        admin_id, now = current().admin_id, self._clock()
        with self._database.read() as connection:
            name = ListName(body.view, _sort_of(connection, body.view, admin_id), "all")
            known = named_lists.find(connection, name, admin_id)
            timezone = preferences.timezone_of(connection, admin_id, body.timezone)
            _, resolved = checked(connection, "", "", body.rules, timezone)
            tried = QueryList("", known.query_list.resolved, "", resolved)
            before, is_whole = self._first(connection, known.query_list, now)
            after, is_whole_after = self._first(connection, tried, now)
        return json_response(
            {
                "bits": resolved.bits,
                "tiers": resolved.tiers,
                "moved": moved(before, after),
                "of": len(after),
                "before": before,
                "after": after,
                "whole": is_whole and is_whole_after,
            }
        )

    def _first(
        self, connection: Connection, query_list: QueryList, now: int
    ) -> tuple[list[int], bool]:
        """Returns the first threads of a list, and whether all threads were looked at."""
        is_over = time_limit(SECONDS, self._monotonic)
        found = look_through(connection, query_list, now, SHOWN, is_over)
        return [entry.id for entry in found.entries], found.total is not None


def moved(before: Sequence[int], after: Sequence[int]) -> int:
    """Returns the number of threads that stand at another place than before."""
    places = {id: place for place, id in enumerate(before)}
    return sum(places.get(id) != place for place, id in enumerate(after))


def _sort_of(connection: Connection, view: str, admin_id: int) -> str:
    """Returns the sort that a view has now for this admin. Raises NotFound."""
    if view in BUILT_IN_VIEWS:
        chosen = preferences.complete(admins.preferences(connection, admin_id), browsers_locale())
        sort: str = chosen["sorts"][view]
        return sort
    number = views.number_of(view)
    found = None if number is None else views.find(connection, number, admin_id, desks=None)
    if found is None:
        raise NotFound("There is no such view.")
    return found.sort
