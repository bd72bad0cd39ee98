"""`GET /threads/T…`, `/lists/VIEW/SORT` and `/reports`: threads, their order, and numbers."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Annotated, NamedTuple

from flask import Response
from pydantic import Field
from redis.exceptions import RedisError
from sqlalchemy import Connection

from dashboard.db import archive
from dashboard.db.accounts.api_keys import Caller
from dashboard.db.archive import Part
from dashboard.db.database import Database
from dashboard.db.lists import named_lists, query_lists, sorts, views
from dashboard.db.lists.entries import Position
from dashboard.db.lists.named_lists import ListName, NamedList
from dashboard.db.lists.query_lists import TIMEZONE, ListedQuery, people_in
from dashboard.db.lists.views import number_of
from dashboard.db.queues import standing
from dashboard.db.queues.standing import NO_PLACE
from dashboard.db.threads import messages, thread_rows, threads
from dashboard.errors import Invalid, NotFound, StorageUnavailable
from dashboard.files.addresses import FileAddresses
from dashboard.ordering.list_keeper import ListKeeper
from dashboard.validation.field_errors import field_error
from dashboard.validation.fields import ID_MAX, is_id
from dashboard.web.bot.responses import List, ThreadMessages, ThreadPlace
from dashboard.web.http.queries import DIGITS, Cursor, Cursors, Query, RowId
from dashboard.web.http.reports import Reader, Report, ReportQuery, Reports
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import Documented, PathParameter, route
from dashboard.web.http.schemas import QueryProblem, Row
from scoring.conditions.language.query import QueryError
from scoring.ranking import Ranking, RankingLost
from scoring.reading import Entry, Head
from scoring.sorting.rules import NAME_PATTERN
from scoring.views import BUILT_IN_VIEWS, OWN_VIEWS, VIEW_QUERIES


class WalkedList(NamedTuple):
    """A list in one sort.

    Cursors are valid for lists of the same `cursors`: cursors of a saved view end when it or the
    rules of its sort change. `in_redis` is the list id; None if Redis does not have the list in
    order. `kept` maps the list id to its query if Redis keeps the list for a while.
    """

    named: NamedList
    cursors: str
    in_redis: str | None
    kept: Mapping[str, ListedQuery]


def _query(connection: Connection, view: str) -> ListedQuery | None:
    if view in OWN_VIEWS:
        return None
    if view in VIEW_QUERIES:
        return ListedQuery(VIEW_QUERIES[view], "", TIMEZONE)
    number = number_of(view)
    row = None if number is None else views.find(connection, number, None, frozenset())
    return None if row is None or people_in(row.query).me else row.listed(None)


def walked_list(connection: Connection, view: str, sort: str) -> WalkedList | None:
    """Returns the list of a view in a sort; None if chatbots cannot ask for it.

    A chatbot is no admin, so it cannot ask for a view that names `me`.
    """
    query = _query(connection, view)
    if query is None or sort not in sorts.known(connection):
        return None
    name, query = ListName(view, sort, "all"), query._replace(sort=sort)
    try:
        query_list = query_lists.list_of(connection, query)
    except QueryError:
        # The query names something that no longer exists, such as the address of an admin.
        return None
    list_id = name.standing_id or query_list.id
    epoch = named_lists.epoch_of(connection, list_id)
    named = NamedList(name, 0, list_id, query_list, query, False, epoch)
    if name.standing_id is not None:
        return WalkedList(named, f"{view}/{sort}", list_id, {})
    is_kept = list_id in query_lists.current(connection).lists
    in_redis = list_id if is_kept and epoch is not None else None
    return WalkedList(named, list_id, in_redis, {list_id: query} if is_kept else {})


LIMIT_DEFAULT = 100
LIMIT_MAX = 500
#: The position before every thread: ids begin at 1.
BEFORE_ALL: Position = (0, 0)
#: A built-in view, or the id of a saved one.
_VIEW_PATTERN = (
    f"^({'|'.join(view for view in BUILT_IN_VIEWS if view not in OWN_VIEWS)}|v[1-9][0-9]*)$"
)


_THREAD = PathParameter({"type": "string", "minLength": 1, "maxLength": ID_MAX}, "t-1")


class MessagesQuery(Query):
    """The part of a conversation to read; without `before` the newest messages."""

    before: Annotated[
        RowId | None, Field(description="Only messages before the one with this `id`.")
    ] = None
    limit: Annotated[int, Field(ge=1, le=LIMIT_MAX, examples=[100]), DIGITS] = LIMIT_DEFAULT


class ThreadsApi:
    """Reads threads of the caller, by the ids that the caller gave them."""

    def __init__(self, database: Database, addresses: FileAddresses):
        self._database = database
        self._addresses = addresses

    @route(
        "GET",
        "/threads/{thread}",
        "getThread",
        scope="read",
        summary="Read one of your threads, by your own id",
        description="",
        path_parameters={"thread": PathParameter({"type": "string"}, "t-42")},
        answers={200: Documented("The thread as dashboards show it.", (Row,))},
        problems=(404,),
    )
    def get_thread(self, caller: Caller, thread: str) -> Response:
        """Answers the row of one of the caller's threads, by the caller's own ids."""
        with self._database.read() as connection:
            id = self._id(connection, caller, thread)
            row = thread_rows.rows(connection, [id]).get(id)
        if row is None:
            raise NotFound("There is no such thread.")
        if row["customer"] is not None:
            row["customer"]["id"] = row["customer"]["id"].removeprefix(f"{caller.source}/")
        # The queue is for admins.
        return json_response({name: value for name, value in row.items() if name != "queue"})

    @route(
        "GET",
        "/threads/{thread}/messages",
        "getMessages",
        scope="read",
        summary="Read a conversation",
        description="Messages of the customer, the chatbot and admins, without notes. A chatbot "
        "that has lost its own data builds its page from them. For the messages before, call "
        "again with the first `id` as `before`. Addresses of admins' files are valid for 7 days.",
        path_parameters={"thread": _THREAD},
        query=MessagesQuery,
        answers={200: Documented("A part of the conversation.", (ThreadMessages,))},
        problems=(404,),
    )
    def get_messages(self, caller: Caller, thread: str, query: MessagesQuery) -> Response:
        with self._database.read() as connection:
            id = self._id(connection, caller, thread)
            part = messages.public(connection, id, query.before, query.limit)
            if part is None:
                raise field_error("/before", "unknown_value", "is no message of this thread")
            found, more = part
            names = messages.external_ids(connection, [message["id"] for message in found])
        documents = [
            self._addresses.for_chatbots({"data": message})["data"]
            | {"event": names.get(message["id"])}
            for message in found
        ]
        return json_response({"messages": documents, "more": more})

    @route(
        "GET",
        "/threads/{thread}/place",
        "getPlace",
        scope="read",
        summary="Read the place of a thread in line",
        description="The place in the first queue in which the thread waits; everything is null if "
        "it waits in none. `expected_seconds` is, for each thread up to this one, the median time "
        "between two of the queue's last fifty hand-outs: null with fewer than ten of them, and "
        "while no admin of the queue accepts threads. With `watch_place` in `thread.handoff` you "
        "get it as `thread.position`, at most every 15 s.",
        path_parameters={"thread": _THREAD},
        answers={200: Documented("The place.", (ThreadPlace,))},
        problems=(404,),
    )
    def get_place(self, caller: Caller, thread: str) -> Response:
        with self._database.read() as connection:
            place = standing.place(connection, self._id(connection, caller, thread))
        return json_response(NO_PLACE if place is None else place.to_json())

    def _id(self, connection: Connection, caller: Caller, thread: str) -> int:
        id = threads.id_of(connection, caller.source_id, thread) if is_id(thread) else None
        if id is None:
            raise NotFound("There is no such thread.")
        return id


class ListQuery(Query):
    """The part of a list to read."""

    limit: Annotated[int, Field(ge=1, le=LIMIT_MAX, examples=[100]), DIGITS] = LIMIT_DEFAULT
    cursor: Annotated[Cursor, Field(description="`next` of the previous answer.")] = None


class ListsApi:
    """Reads from Redis, and from SQL while Redis cannot answer."""

    def __init__(
        self,
        database: Database,
        ranking: Ranking,
        keeper: ListKeeper,
        cursors: Cursors,
        clock: Callable[[], int],
    ):
        self._database = database
        self._clock = clock
        self._ranking = ranking
        self._keeper = keeper
        self._cursors = cursors

    @route(
        "GET",
        "/lists/{view}/{sort}",
        "getList",
        scope="read",
        summary="Read a list in its order",
        description="A built-in view, or one that is saved for all (`v17`; not with `me` in its "
        "query), in a built-in sort or a saved one, with threads of all sources. Archived threads "
        "come last, in the same order; `total` does not count them. Reading to the end by `next` "
        "gives every thread that did not move meanwhile exactly once.",
        path_parameters={
            "view": PathParameter({"type": "string", "pattern": _VIEW_PATTERN}, "not_respond"),
            "sort": PathParameter({"type": "string", "pattern": NAME_PATTERN}, "longest_wait"),
        },
        query=ListQuery,
        answers={200: Documented("A part of the list.", (List,))},
        problems=(404,),
    )
    def get_list(self, caller: Caller, view: str, sort: str, query: ListQuery) -> Response:
        """Answers up to `limit` threads after a cursor, and the next cursor.

        A cursor is a (score, id) in the order, not a count: a thread that does not move is met
        exactly once. Raises NotFound for an unknown list and Invalid for a wrong cursor.
        """
        with self._database.read() as connection:
            walked = walked_list(connection, view, sort)
        if walked is None:
            raise NotFound("There is no such list.")
        with suppress(StorageUnavailable):
            # Keep the list in order while a chatbot walks it.
            self._keeper.keep_many(walked.kept)
        next: str | None
        is_archived, since = self._read(walked, query.cursor)
        # One entry more than asked for shows whether there is a next part.
        head = self._head(walked, sort, None if is_archived else since, query.limit + 1)
        entries = [] if is_archived else head.entries[: query.limit]
        if not is_archived and len(head.entries) > query.limit:
            next = self._cursors.encode(walked.cursors, _position(entries[-1]))
        else:
            old = self._archived(walked, query.limit - len(entries), since if is_archived else None)
            entries += old.entries
            next = self._cursors.encode(_archive(walked), old.next) if old.next else None
        return json_response(
            {
                "view": view,
                "sort": sort,
                "epoch": head.epoch or None,
                "version": head.version,
                "total": head.total,
                "threads": self._named(entries),
                "next": next,
            }
        )

    def _read(self, walked: WalkedList, cursor: str | None) -> tuple[bool, Position | None]:
        """Returns whether a cursor is one of archived threads, and its position. Raises Invalid."""
        if cursor is None:
            return False, None
        with suppress(Invalid):
            return True, self._cursors.decode(_archive(walked), cursor)
        return False, self._cursors.decode(walked.cursors, cursor)

    def _archived(self, walked: WalkedList, limit: int, after: Position | None) -> Part:
        """Returns archived threads after a position; for `limit` 0, only whether there are any."""
        with self._database.read() as connection:
            part = archive.part(
                connection, walked.named.query_list, self._clock(), max(1, limit), after
            )
        if limit == 0:
            return Part([], BEFORE_ALL if part.entries else None)
        return part

    def _head(self, walked: WalkedList, sort: str, since: Position | None, limit: int) -> Head:
        try:
            if walked.in_redis is not None:
                if since is None:
                    return self._ranking.head(walked.in_redis, sort, limit)
                return self._ranking.after(walked.in_redis, sort, *since, limit)
        except (RedisError, RankingLost):
            pass
        now = self._clock()
        with self._database.read() as connection:
            entries, total = walked.named.listed(connection, now, limit, since)
        return Head(epoch="", version=0, total=total, entries=entries)

    def _named(self, entries: Sequence[Entry]) -> list[dict[str, object]]:
        with self._database.read() as connection:
            names = threads.names(connection, [entry.id for entry in entries])
        return [
            {"id": id, "source": names[id].source, "thread": names[id].thread, "score": score}
            for id, score in entries
            if id in names
        ]


def _archive(walked: WalkedList) -> str:
    """Returns the name of a list in cursors of its archived threads."""
    return f"{walked.cursors}/archive"


def _position(entry: Entry) -> Position:
    return entry.score, entry.id


class ReportsApi:
    """Reads the numbers of the caller's source, which supervisors see for all sources."""

    def __init__(self, database: Database, clock: Callable[[], int]):
        self._reports = Reports(database, clock)

    @route(
        "GET",
        "/reports",
        "getReport",
        scope="reports",
        summary="Read a number over time, of your threads",
        description="Counted from the events and acts of your threads, by their own times: what "
        "comes late changes earlier numbers. Parts are by what a thread is now. Durations are "
        "exact, by nearest rank. The times of admins are for supervisors.",
        query=ReportQuery,
        answers={200: Documented("The number, and its parts.", (Report,))},
        problem=QueryProblem,
    )
    def get_report(self, caller: Caller, query: ReportQuery) -> Response:
        return json_response(self._reports.report(query, Reader(source_id=caller.source_id)))
