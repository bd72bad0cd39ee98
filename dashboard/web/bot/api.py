"""The bot API: the caller, `POST /events`, the outbox, and the blueprints of all its calls."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from flask import Blueprint, Response, request
from pydantic import Field
from redis.exceptions import RedisError

from dashboard.db.accounts.api_keys import Caller, KeyRing
from dashboard.db.database import Database
from dashboard.db.outbox import outgoing
from dashboard.db.outbox.pushed_presence import ask, is_asked_anew
from dashboard.errors import FieldError, Problem
from dashboard.event_types import PRESENCE_TYPES
from dashboard.files.addresses import FileAddresses
from dashboard.ingest.ingest import Ingest
from dashboard.ingest.schema import BATCH_MAX, Batch, Event, Outcome, ParsedEvent, parse_request
from dashboard.ordering.list_keeper import ListKeeper
from dashboard.rate_limits import SharedLimiter, event_quota
from dashboard.turns import turns
from dashboard.validation.field_errors import field_error
from dashboard.validation.fields import ID_MAX
from dashboard.web.bot.lists import ListsApi, ReportsApi, ThreadsApi
from dashboard.web.bot.presence import BotPresenceApi
from dashboard.web.bot.responses import BatchResults, OutgoingEvents, Result
from dashboard.web.http.bodies import beside_others, document
from dashboard.web.http.metrics import Metrics
from dashboard.web.http.queries import DIGITS, Cursor, Cursors, Query
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import Documented, Route, add_routes, route, routes_of
from dashboard.web.http.seen_pages import redis_unavailable
from scoring.ranking import Ranking

_SCHEME = "bearer"


class Unauthorized(Problem):
    """The same answer for every wrong key: it reveals nothing about existing keys."""

    def __init__(self) -> None:
        super().__init__(
            401,
            "unauthorized",
            "A valid API key is required: “Authorization: Bearer KEY”.",
            headers={"WWW-Authenticate": 'Bearer realm="Lineup"'},
        )


def _forbidden(scope: str) -> Problem:
    return Problem(403, "forbidden_scope", f"This key does not have the scope “{scope}”.")


class Callers:
    """Finds callers by their keys, which are only read from the header."""

    def __init__(self, keys: KeyRing):
        self._keys = keys

    def require(self, authorization: str | None, scope: str) -> Caller:
        """Returns the key's owner. Raises Unauthorized, Problem (403) and StorageUnavailable."""
        scheme, _, key = (authorization or "").partition(" ")
        # A missing key is looked up, too, so that it takes as long as a wrong one.
        caller = self._keys.caller(key.strip() if scheme.lower() == _SCHEME else "")
        if caller is None:
            raise Unauthorized()
        if scope not in caller.scopes:
            raise _forbidden(scope)
        turns.known_as(("key", caller.key_id))
        return caller


_ID = re.compile(rf"[A-Za-z0-9._:-]{{1,{ID_MAX}}}")


def single_result(outcome: Outcome) -> tuple[dict[str, object], int, dict[str, str]]:
    """Returns body, status and headers for one event. Raises the outcome's problem."""
    if outcome.problem is not None:
        raise outcome.problem
    if outcome.status == "duplicate":
        return _stored(outcome), 200, {"Idempotent-Replay": "true"}
    return _stored(outcome), 201, {}


def batch_results(
    entries: Sequence[Any], outcomes: Sequence[Outcome | Problem], instance: str
) -> tuple[dict[str, object], int]:
    """Returns body and status for a batch: `entries` as posted, their outcomes, the path called."""
    results = [
        {"index": index} | _batch_entry(index, entry, outcome, instance)
        for index, (entry, outcome) in enumerate(zip(entries, outcomes, strict=True))
    ]
    rejected = sum(result["status"] == "rejected" for result in results)
    status = 200 if not rejected else 422 if rejected == len(results) else 207
    return {"results": results}, status


def _batch_entry(
    index: int, entry: Any, outcome: Outcome | Problem, instance: str
) -> dict[str, object]:
    problem = outcome if isinstance(outcome, Problem) else outcome.problem
    if problem is None:
        assert isinstance(outcome, Outcome)
        return _stored(outcome)
    errors = [_in_batch(error, f"/events/{index}") for error in problem.errors]
    rejected = Problem(problem.status, problem.code, problem.detail, errors)
    return {"status": "rejected", "id": _valid_id(entry), "problem": rejected.body(instance)}


def _in_batch(error: FieldError, prefix: str) -> FieldError:
    """Adds the event's place in the batch to a pointer, since ingest does not know it."""
    if error.pointer.startswith(prefix):
        return error
    return replace(error, pointer=prefix + error.pointer)


def _stored(outcome: Outcome) -> dict[str, object]:
    result: dict[str, object] = {"status": outcome.status, "id": outcome.id}
    return result if outcome.thread_id is None else result | {"thread_id": outcome.thread_id}


def _valid_id(entry: Any) -> str | None:
    """Returns the id of a rejected event; None if it has no valid one."""
    id = entry.get("id") if isinstance(entry, dict) else None
    return id if isinstance(id, str) and _ID.fullmatch(id) else None


#: Called after each request, with its events and their outcomes.
OnEvents = Callable[[Caller, Sequence[ParsedEvent | Problem], Sequence[Outcome | Problem]], None]

_EXAMPLE = {
    "id": "m-1001",
    "type": "message",
    "thread": "t-42",
    "occurred_at": "2026-11-20T10:00:00.123Z",
    "customer": {"id": "c-7", "name": "Mai", "member_status": 2, "locale": "vi"},
    "role": "client",
    "body": "Xin chào",
}


class EventsApi:
    """Takes events, singly or in batches, within the quota of the caller's key."""

    def __init__(
        self, ingest: Ingest, rate_limiter: SharedLimiter, metrics: Metrics, on_events: OnEvents
    ):
        self._ingest = ingest
        self._rate_limiter = rate_limiter
        self._metrics = metrics
        self._on_events = on_events

    @route(
        "POST",
        "/events",
        "postEvents",
        scope="events",
        summary=f"Post one event, or a batch of up to {BATCH_MAX}",
        description="Valid events of a batch are stored even if others are rejected. A batch has "
        "a result for each event.",
        body=(Event, Batch),
        reads_body=False,
        example=_EXAMPLE,
        answers={
            200: Documented(
                "A duplicate, with the header `Idempotent-Replay: true`, or a batch without any "
                "rejected event.",
                (Result, BatchResults),
            ),
            201: Documented("The event was recorded.", (Result,)),
            207: Documented("A batch with some rejected events.", (BatchResults,)),
            422: Documented("For a batch: every event is rejected.", (BatchResults,)),
        },
        problems=(409, 410, 429),
    )
    def post_events(self, caller: Caller) -> Response:
        """Takes one event or a batch; good events of a bad batch are stored."""
        posted = document()
        parsed = beside_others(parse_request, posted)
        if caller.rate_per_second is not None:
            quota = event_quota(caller.rate_per_second)
            self._rate_limiter.require(quota, f"events|{caller.key_id}", len(parsed.items))
        outcomes = self._accept(caller.source_id, parsed.items)
        self._on_events(caller, parsed.items, outcomes)
        if parsed.batch:
            results = (batch_results, posted["events"], outcomes, request.path)
            return json_response(*beside_others(*results))
        outcome = outcomes[0]
        if isinstance(outcome, Problem):
            raise outcome
        return json_response(*single_result(outcome))

    def _accept(
        self, source_id: int, items: Sequence[ParsedEvent | Problem]
    ) -> list[Outcome | Problem]:
        good = [item for item in items if isinstance(item, ParsedEvent)]
        with self._metrics.time_accepting():
            accepted: Iterator[Outcome] = iter(self._ingest.accept(source_id, good) if good else ())
        outcomes = [item if isinstance(item, Problem) else next(accepted) for item in items]
        statuses = ("rejected" if isinstance(item, Problem) else item.status for item in outcomes)
        for status, count in Counter(statuses).items():
            self._metrics.count_event(status, count)
        return outcomes


LIMIT_DEFAULT = 100
LIMIT_MAX = 500
_LIST_NAME = "events"
PRESENCE_NAMES = tuple(type.name for type in PRESENCE_TYPES)


class OutboxQuery(Query):
    """The cursor to continue from; without `after` reading begins with the oldest kept event."""

    after: Annotated[Cursor, Field(description="`next` of the answer before.")] = None
    limit: Annotated[int, Field(ge=1, le=LIMIT_MAX, examples=[100]), DIGITS] = LIMIT_DEFAULT
    include: Annotated[
        list[Literal[PRESENCE_NAMES]],  # type: ignore[valid-type]
        Field(
            default_factory=list,
            description="Types of presence to read, too, once for each; the key needs the scope "
            "`presence`. Asks for them from now on, for an hour.",
            examples=[["presence.customer"]],
        ),
    ]


class OutboxApi:
    """Reads the outbox of the caller's source."""

    def __init__(
        self,
        database: Database,
        clock: Callable[[], int],
        cursors: Cursors,
        addresses: FileAddresses,
    ):
        self._addresses = addresses
        self._database = database
        self._clock = clock
        self._cursors = cursors

    @route(
        "GET",
        "/events",
        "getEvents",
        scope="read",
        summary="Read the acts of admins in your threads",
        description="Events in the order of their commits, without gaps, kept for 30 days. Call "
        "again with `next` as `after`, also when the list was empty: a chatbot that was away "
        "catches up by itself, and events before `after` count as received. Webhooks get the same "
        "events, with the headers and signatures of Standard Webhooks; an `id` stays the same "
        "however often its event is sent, and `seq` counts within a thread. Notes are never sent. "
        "Only webhooks get `admin.typing`, while an admin writes a reply: without `seq`, with "
        "`data.by` and `data.until`, not kept. Presence is for those who name it: webhooks among "
        "their types, readers by `include`; it is kept for a day. When the customer has a message, "
        "post a `receipt` for `data.id`.",
        query=OutboxQuery,
        answers={200: Documented("Up to `limit` events.", (OutgoingEvents,))},
    )
    def get_events(self, caller: Caller, query: OutboxQuery) -> Response:
        """Answers up to `limit` events after a cursor, and the next cursor in any case.

        Raises Invalid for a wrong cursor and StorageUnavailable.
        """
        if query.include and "presence" not in caller.scopes:
            raise _forbidden("presence")
        self._ask(caller.source_id, query.include)
        position = 0
        if query.after is not None:
            position = self._cursors.decode(_LIST_NAME, query.after, "/after")
        self._assign_positions()
        with self._database.read() as connection:
            if position > outgoing.head(connection):
                # A cursor of another database: no event would ever come after it.
                raise field_error("/after", "unknown_value", "is not a cursor of this list")
            events, last = outgoing.after(
                connection, caller.source_id, position, query.limit, query.include
            )
            is_news = outgoing.read_to(connection, caller.source_id) < position
        if is_news:
            self._database.write(
                lambda connection: outgoing.save_read_position(
                    connection, caller.source_id, position, self._clock()
                ),
                is_idempotent=True,
            )
        next = self._cursors.encode(_LIST_NAME, last)
        documents = [self._addresses.for_chatbots(event.document()) for event in events]
        return json_response({"events": documents, "next": next})

    def _ask(self, source_id: int, types: Sequence[str]) -> None:
        """Notes, now and then, that the caller asks for presence of these types."""
        now = self._clock()
        with self._database.read() as connection:
            new = [one for one in types if is_asked_anew(connection, source_id, one, now)]
        if new:
            self._database.write(
                lambda connection: ask(connection, source_id, new, now), is_idempotent=True
            )

    def _assign_positions(self) -> None:
        """Assigns positions to all events committed by now, so that they can be read."""
        with self._database.read() as connection:
            if not outgoing.needs_positions(connection):
                return
        while self._database.write(
            lambda connection: outgoing.assign_positions(connection, self._clock()),
            is_idempotent=True,
        ):
            pass


URL_PREFIX = "/api/v1"
ROUTES = routes_of(EventsApi, OutboxApi, ThreadsApi, ListsApi, ReportsApi, BotPresenceApi)


def blueprints(
    database: Database,
    ingest: Ingest,
    ranking: Ranking,
    keeper: ListKeeper,
    presence: BotPresenceApi,
    *,
    callers: Callers,
    cursors: Cursors,
    addresses: FileAddresses,
    metrics: Metrics,
    clock: Callable[[], int],
    rate_limiter: SharedLimiter,
) -> tuple[Blueprint, Blueprint]:
    """Returns two blueprints: events and lists; presence, which needs Redis."""
    main = _blueprint(
        "bot_api",
        [
            EventsApi(ingest, rate_limiter, metrics, presence.on_events),
            OutboxApi(database, clock, cursors, addresses),
            ThreadsApi(database, addresses),
            ListsApi(database, ranking, keeper, cursors, clock),
            ReportsApi(database, clock),
        ],
        callers,
        metrics,
    )
    about_presence = _blueprint("bot_presence", [presence], callers, metrics)
    about_presence.register_error_handler(RedisError, redis_unavailable)
    return main, about_presence


def _blueprint(name: str, apis: Iterable[Any], callers: Callers, metrics: Metrics) -> Blueprint:
    """Adds the routes of these objects below /api/v1, each behind the scope of its API key."""
    routes = Blueprint(name, __name__, url_prefix=URL_PREFIX)

    def authenticate(route: Route) -> tuple[Caller]:
        return (callers.require(request.headers.get("Authorization"), route.scope),)

    add_routes(routes, apis, authenticate)

    @routes.after_request
    def count(response: Response) -> Response:
        metrics.count_answer(request.method, response.status_code)
        return response

    return routes
