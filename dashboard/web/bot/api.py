"""The bot API's blueprints."""

from collections.abc import Callable, Iterable
from typing import Any

from flask import Blueprint, Response, request
from redis.exceptions import RedisError

from dashboard.db.accounts.api_keys import Caller
from dashboard.db.database import Database
from dashboard.files.addresses import FileAddresses
from dashboard.ingest.ingest import Ingest
from dashboard.ordering.list_keeper import ListKeeper
from dashboard.shared_limits.buckets import SharedLimiter
from dashboard.web.bot.callers import Callers
from dashboard.web.bot.events import EventsApi, OutboxApi
from dashboard.web.bot.lists import ListsApi
from dashboard.web.bot.presence import BotPresenceApi
from dashboard.web.http.metrics.registry import Metrics
from dashboard.web.http.queries import Cursors
from dashboard.web.http.routes import Route, add_routes, routes_of
from dashboard.web.http.seen_pages import redis_unavailable
from scoring.ranking import Ranking

URL_PREFIX = "/api/v1"
ROUTES = routes_of(EventsApi, OutboxApi, ListsApi, BotPresenceApi)


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
    """Blueprints of the bot API: of events and lists; of presence, which needs Redis."""
    main = _blueprint(
        "bot_api",
        [
            EventsApi(ingest, rate_limiter, metrics, presence.on_events),
            OutboxApi(database, clock, cursors, addresses),
            ListsApi(database, ranking, keeper, cursors, clock),
        ],
        callers,
        metrics,
    )
    about_presence = _blueprint("bot_presence", [presence], callers, metrics)
    about_presence.register_error_handler(RedisError, redis_unavailable)
    return main, about_presence


def _blueprint(name: str, apis: Iterable[Any], callers: Callers, metrics: Metrics) -> Blueprint:
    """Adds the routes of these objects below /api/v1, each behind the scope of its API key."""
    made = Blueprint(name, __name__, url_prefix=URL_PREFIX)

    def authenticate(route: Route) -> tuple[Caller]:
        return (callers.require(request.headers.get("Authorization"), route.scope),)

    add_routes(made, apis, authenticate)

    @made.after_request
    def count(response: Response) -> Response:
        metrics.count_answer(request.method, response.status_code)
        return response

    return made
