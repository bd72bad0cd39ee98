"""The dashboard's calls that find threads: by words, and by whose they are."""

from flask import Response, request

from dashboard.errors import NotFound
from dashboard.store import customer_threads, search
from dashboard.store.database import Database
from dashboard.web import admin_forms, cursors
from dashboard.web.calls import answer

QUERY_MAX = 200
RESULTS_DEFAULT = 50
RESULTS_MAX = 100
#: How many of a customer's threads the panel shows.
PANEL_THREADS = 20
#: What stands in a search's cursor where others name their list.
_LIST = ("search", "newest")


class SearchApi:
    def __init__(self, database: Database):
        self._database = database

    def search(self) -> Response:
        """Threads by words, the newest match first."""
        query = admin_forms.text("q", QUERY_MAX)
        limit = admin_forms.number("limit", RESULTS_DEFAULT, 1, RESULTS_MAX)
        assert limit is not None
        cursor = request.args.get("cursor")
        after = search.Place(*cursors.place(cursor, *_LIST)) if cursor is not None else None
        with self._database.read() as connection:
            found = search.find(connection, query, limit, after)
        next = cursors.cursor(*_LIST, *found.next) if found.next else None
        return answer(found._asdict() | {"next": next})

    def customer(self, thread_id: int) -> Response:
        """Whose thread it is, and which others are theirs."""
        with self._database.read() as connection:
            found = customer_threads.panel(connection, thread_id, PANEL_THREADS)
        if found is None:
            raise NotFound("There is no such thread.")
        return answer(found)
