"""The web application: blueprints of the bot API and the dashboard, sockets, and gates around."""

from collections.abc import Callable
from datetime import timedelta

from flask import Flask, Response, request
from redis.exceptions import RedisError
from werkzeug.middleware.proxy_fix import ProxyFix

from dashboard.store.keys import KeyRing
from dashboard.web import (
    admin_api,
    admin_presence,
    bot_api,
    bot_presence,
    openapi,
    pages,
    probes,
    problems,
    signin,
    webhook_api,
)
from dashboard.web.attempts import Attempts
from dashboard.web.bot_presence import BotPresence
from dashboard.web.callers import Callers
from dashboard.web.gate import Gate
from dashboard.web.identity import Identities
from dashboard.web.limits import BODY_BYTES
from dashboard.web.origins import Origins
from dashboard.web.pages import Pages
from dashboard.web.parts import Parts

#: Called under any name, for bots and probes know no origin.
_ANY_HOST_PATHS = ("/healthz", "/readyz", "/metrics")
_ANY_HOST_PREFIX = "/api/"

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def create_app(parts: Parts) -> Flask:
    """The WSGI application of a web process, sockets included where `parts` has them."""
    app = Flask(
        "lineup",
        root_path=str(parts.root),
        static_folder="static",
        template_folder="templates",
    )
    problems.install(app)
    app.config["MAX_CONTENT_LENGTH"] = BODY_BYTES
    # Files are asked for again each time, and answered with 304: a new version is seen at once.
    app.config["SEND_FILE_MAX_AGE_DEFAULT"] = timedelta(0)
    origins = Origins(parts.settings.origins, parts.port)
    assert parts.settings.secret_key is not None, "nobody can be signed in without a secret key"
    identities = Identities(parts.database, parts.clock, parts.settings.secret_key)
    app.before_request(lambda: _check_host(origins))
    app.after_request(_with_headers)
    _register_dashboard(app, parts, origins, identities)
    _register_bot_api(app, parts)
    if parts.sockets is not None:
        parts.sockets.attach(app)
        parts.sockets.measure(parts.metrics.watch)
    app.wsgi_app = _behind_proxies(  # type: ignore[method-assign]
        Gate(app.wsgi_app, origins, identities), parts.settings.trusted_proxies
    )
    return app


def _register_dashboard(app: Flask, parts: Parts, origins: Origins, identities: Identities) -> None:
    site = Pages(parts.database, parts.clock)
    attempts = Attempts(parts.redis, parts.settings.key_prefix, parts.clock)
    app.register_blueprint(pages.blueprint(site, identities))
    app.register_blueprint(signin.blueprint(parts, origins, identities, attempts, site))
    app.register_blueprint(admin_api.blueprint(parts, origins, identities, site))
    app.register_blueprint(admin_presence.blueprint(parts, origins, identities))
    app.register_blueprint(webhook_api.blueprint(parts.webhooks, origins, identities))
    app.register_blueprint(webhook_api.page_blueprint(site, identities))


def _register_bot_api(app: Flask, parts: Parts) -> None:
    callers = Callers(KeyRing(parts.database))
    presence = BotPresence(parts.attendance, parts.chatbots, callers, parts.metrics, parts.clock)
    app.register_blueprint(
        bot_api.blueprint(
            parts.database,
            parts.intake,
            parts.ranking,
            callers,
            parts.metrics,
            parts.clock,
            heard=presence.heard,
        )
    )
    app.register_blueprint(bot_presence.blueprint(presence))
    app.register_blueprint(openapi.blueprint())
    app.register_blueprint(
        probes.blueprint(parts.database, lambda: _is_there(parts), parts.metrics)
    )


def _is_there(parts: Parts) -> bool:
    try:
        return bool(parts.redis.ping())
    except RedisError:
        return False


def _check_host(origins: Origins) -> None:
    if request.path in _ANY_HOST_PATHS or request.path.startswith(_ANY_HOST_PREFIX):
        return
    origins.check_host(request.environ)


def _with_headers(response: Response) -> Response:
    # No route has its own: they are not looked for.
    response.headers.extend(_HEADERS)
    return response


def _behind_proxies(app: Callable, count: int) -> Callable:
    """Believes the address, scheme and host that so many proxies in front have noted."""
    if not count:
        return app
    return ProxyFix(app, x_for=count, x_proto=count, x_host=count, x_port=0, x_prefix=0)
