"""The routes below /admin/api: their blueprint, and the OpenAPI document of all of them."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from flask import Blueprint, Response, request
from redis.exceptions import RedisError

from dashboard.db.database import Database
from dashboard.db.threads import threads
from dashboard.errors import NotFound, Problem
from dashboard.validation.fields import INTEGER_MAX
from dashboard.web.http import openapi
from dashboard.web.http.bodies import document_or_empty, require_own_page, require_type
from dashboard.web.http.identity import COOKIE, Identities, current
from dashboard.web.http.origins import Origins
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import add_routes, current_route, routes_of
from dashboard.web.http.seen_pages import redis_unavailable

URL_PREFIX = "/admin/api"
#: The scope of routes that only supervisors may call.
SUPERVISOR = "supervisor"
_API = openapi.Api(
    title="Lineup dashboard API",
    about=(
        "The API of Lineup's pages. Every request that changes something needs an `Origin` of "
        "Lineup's own, and except for DELETE and files a JSON body. A `Host` other than an "
        "origin's is refused (400, `untrusted_host`). Times are milliseconds since 1970."
    ),
    url_prefix=URL_PREFIX,
    security={
        "type": "apiKey",
        "in": "cookie",
        "name": COOKIE,
        "description": "The session of an admin, begun by `POST /login`.",
    },
    problems={
        401: "Not signed in.",
        403: "The request is not from a page of Lineup, or the admin's role does not allow it.",
        409: "A conflict with another change; `code` has the reason.",
        429: "Over a limit, which `detail` names; try again after `Retry-After`.",
        507: "There is no room for files; nothing was stored.",
    },
    tags={
        "me": "The signed-in admin.",
        "threads": "Threads, their conversations, and acts on them.",
        "files": "Files that admins upload for their messages.",
        "archive": "Threads that were closed long ago.",
        "history": "Lists as they were.",
        "reports": "Numbers over time.",
        "search": "Threads by words and conditions.",
        "query": "The language of conditions.",
        "views": "Saved conditions, their lists and their order.",
        "sorts": "Orders of threads.",
        "calendars": "Opening hours.",
        "policies": "Promised reply times.",
        "canned": "Canned replies.",
        "customers": "Customers of all chatbots.",
        "presence": "Presence.",
        "team": "Admins, their threads and their sign-ins.",
        "profile": "The signed-in admin's account.",
        "accounts": "The accounts of admins.",
        "invitations": "Links by which admins join.",
        "keys": "API keys of chatbots.",
        "webhooks": "Webhooks and their deliveries.",
        "audit": "The audit log.",
        "tags": "Tags of threads.",
        "desks": "Desks, at which threads stand.",
        "settings": "Values that the forms of settings offer.",
        "health": "The health of Lineup.",
        "queue": "The threads that wait.",
        "queues": "Views that hand out their threads, and the admins who get them.",
    },
)


def blueprints(
    apis: Sequence[Any],
    about_presence: Any,
    database: Database,
    origins: Origins,
    identities: Identities,
) -> tuple[Blueprint, Blueprint]:
    """Returns two blueprints: `apis` and their document; presence, which needs Redis."""
    main = _blueprint("admin_api", apis, database, origins, identities)
    presence = _blueprint("admin_presence", [about_presence], database, origins, identities)
    presence.register_error_handler(RedisError, redis_unavailable)
    declared = routes_of(*map(type, (*apis, about_presence)))
    # Cached: making it takes 100 ms.
    described = cache(lambda: openapi.document(_API, declared))

    @main.get("/openapi.json")
    def machine_readable() -> Response:
        return json_response(described())

    return main, presence


def _blueprint(
    name: str, apis: Iterable[Any], database: Database, origins: Origins, identities: Identities
) -> Blueprint:
    """Makes routes for signed-in admins, called from our own pages.

    They decide whether a call is allowed before they say anything of its target or body.
    """
    routes = Blueprint(name, __name__, url_prefix=URL_PREFIX)
    routes.before_request(lambda: require_own_page(origins))
    routes.before_request(identities.require)
    routes.before_request(_check_role)
    routes.before_request(_check_ids)
    routes.before_request(lambda: _check_thread(database))
    routes.before_request(_check_type)
    add_routes(routes, apis, lambda declared: (), document_or_empty)
    return routes


def require_supervisor() -> None:
    """Raises Problem (403) for an admin of another role."""
    if current().role != SUPERVISOR:
        raise Problem(403, "forbidden", "Only supervisors may do this.")


def _check_role() -> None:
    declared = current_route()
    if declared is not None and declared.scope == SUPERVISOR:
        require_supervisor()


def _check_type() -> None:
    declared = current_route()
    require_type(declared is not None and declared.takes_file)


def _check_ids() -> None:
    """Raises NotFound for a number that no database holds: it is the id of nothing."""
    for value in (request.view_args or {}).values():
        if isinstance(value, int) and value > INTEGER_MAX:
            raise NotFound("There is no such object.")


def _check_thread(database: Database) -> None:
    """Raises NotFound for a thread at a desk that the admin does not see."""
    thread_id = (request.view_args or {}).get("thread_id")
    desks = current().desks
    if thread_id is None or desks is None:
        return
    with database.read() as connection:
        desk = threads.desks_of(connection, [thread_id]).get(thread_id)
    if desk not in desks:
        raise NotFound("There is no such thread.")
