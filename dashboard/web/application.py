"""Builds the web application: blueprints of the bot API and the dashboard, sockets, and gates."""

from collections.abc import Callable
from datetime import timedelta

from flask import Blueprint, Flask, Response, request
from redis.exceptions import RedisError
from werkzeug.middleware.proxy_fix import ProxyFix

from dashboard import ROOT
from dashboard.db import files
from dashboard.db.database import Database
from dashboard.errors import NotFound
from dashboard.files.addresses import SIGNED_PATH, FileAddresses
from dashboard.files.store import FileStore
from dashboard.services import Services
from dashboard.web.bot import api as bot_api
from dashboard.web.bot import openapi
from dashboard.web.bot.api import Callers
from dashboard.web.bot.presence import BotPresenceApi
from dashboard.web.dashboard_calls import dashboard_blueprints
from dashboard.web.gauges import watch_process, watch_queue, watch_queues, watch_server
from dashboard.web.http import problems
from dashboard.web.http.bodies import BODY_BYTES, OFFLOAD
from dashboard.web.http.files import file_response
from dashboard.web.http.identity import ReadableRequest
from dashboard.web.http.origins import Origins
from dashboard.web.http.routes import AsciiInteger, OtherThan
from dashboard.web.server.gate import Gate, probes
from dashboard.web.server.state import ServerState


def signed_files(database: Database, store: FileStore, addresses: FileAddresses) -> Blueprint:
    routes = Blueprint("signed_files", __name__)

    @routes.get(f"{SIGNED_PATH}<text>")
    def signed_file(text: str) -> Response:
        id = addresses.id_of(text)
        with database.read() as connection:
            row = files.find(connection, id)
        if row is None or row.event_id is None:
            raise NotFound("There is no such file.")
        return file_response(row.file, store.open(id))

    return routes


#: Answered under any Host: bots and probes need not use one of the origins.
_ANY_HOST_PATHS = ("/healthz", "/readyz", "/metrics")
_ANY_HOST_PREFIXES = ("/api/", SIGNED_PATH)

#: How long browsers should use only https: a year.
_HTTPS_SECONDS = 31_536_000
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def create_app(
    services: Services,
    port: int,
    *,
    with_sockets: bool = True,
    server_state: ServerState | None = None,
) -> Flask:
    """Builds the WSGI application of a web process that serves `port`.

    `with_sockets` False leaves Socket.IO out, for tests of the HTTP part.
    """
    app = new_flask()
    app.config[OFFLOAD] = services.offload
    settings = services.settings
    origins = services.origins = Origins(settings.origins, port)
    app.before_request(lambda: _check_host(origins))
    app.after_request(lambda response: _with_headers(response, origins))
    for blueprint in dashboard_blueprints(services):
        app.register_blueprint(blueprint)
    register_bot_api(app, services)
    _register_probes(app, services, server_state or ServerState())
    if with_sockets:
        services.connect_sockets()
        services.sockets.attach(app)
        watch_process(services)
    services.assets.install(app)
    app.wsgi_app = _behind_proxies(  # type: ignore[method-assign]
        Gate(app.wsgi_app, origins, services.identities), settings.trusted_proxies
    )
    return app


def new_flask() -> Flask:
    """Makes an application without routes, which answers errors as problems (RFC 9457)."""
    app = Flask("lineup", root_path=str(ROOT), static_folder="static", template_folder="templates")
    app.request_class = ReadableRequest
    # Numbers in a path have one spelling: Flask's `int` would take the digits of every script.
    app.url_map.converters["int"] = AsciiInteger
    app.url_map.converters["other_than"] = OtherThan
    # Otherwise `//api//v1` would be redirected, by HTML that contains the caller's Host.
    app.url_map.merge_slashes = False
    problems.install(app)
    app.config["MAX_CONTENT_LENGTH"] = BODY_BYTES
    # Browsers revalidate files of the source each time and get 304 if they did not change. Files of
    # the bundle are cached for good (`Assets`).
    app.config["SEND_FILE_MAX_AGE_DEFAULT"] = timedelta(0)
    return app


def register_bot_api(app: Flask, services: Services) -> None:
    """Adds `/api/v1` and its documentation."""
    presence = BotPresenceApi(
        services.presence_service, services.bot_presence, services.cursors, services.clock
    )
    for blueprint in bot_api.blueprints(
        services.database,
        services.ingest,
        services.ranking,
        services.list_keeper,
        presence,
        callers=Callers(services.key_ring),
        cursors=services.cursors,
        addresses=services.file_addresses,
        metrics=services.metrics,
        clock=services.clock,
        rate_limiter=services.shared_limiter,
    ):
        app.register_blueprint(blueprint)
    app.register_blueprint(openapi.blueprint())
    app.register_blueprint(
        signed_files(services.database, services.file_store, services.file_addresses)
    )


def _register_probes(app: Flask, services: Services, state: ServerState) -> None:
    app.register_blueprint(
        probes(
            services.database,
            lambda: _is_there(services),
            services.metrics,
            services.shared_clock,
            state.is_accepting,
            services.settings.metrics_token,
        )
    )
    watch_queue(services)
    watch_queues(services)
    watch_server(services, state)


def _is_there(services: Services) -> bool:
    try:
        return bool(services.redis_client.ping())
    except RedisError:
        return False


def _check_host(origins: Origins) -> None:
    if request.path in _ANY_HOST_PATHS or request.path.startswith(_ANY_HOST_PREFIXES):
        return
    origins.check_host(request.environ)


def _with_headers(response: Response, origins: Origins) -> Response:
    # No route sets one of these headers itself, so nothing is looked up.
    response.headers.extend(_HEADERS)
    if request.path.startswith(SIGNED_PATH):
        # A chatbot may show these to customers in a page of its own.
        response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    if origins.is_https(request.environ):
        response.headers["Strict-Transport-Security"] = f"max-age={_HTTPS_SECONDS}"
    return response


def _behind_proxies(app: Callable, count: int) -> Callable:
    """Takes address, scheme and host from the headers of the `count` proxies in front."""
    if not count:
        return app
    return ProxyFix(app, x_for=count, x_proto=count, x_host=count, x_port=0, x_prefix=0)
