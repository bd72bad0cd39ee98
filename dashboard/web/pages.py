"""The pages: the dashboard, the sign-in in front of it, and the webhooks beside it."""

import json
import secrets
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from flask import (
    Blueprint,
    Response,
    current_app,
    make_response,
    redirect,
    render_template,
    request,
    url_for,
)

from dashboard.errors import Problem
from dashboard.protocol import PROTOCOL
from dashboard.store import admins
from dashboard.store.database import Database
from dashboard.store.outgoing_document import TYPES, TYPING
from dashboard.store.sessions import Identity
from dashboard.web import modules
from dashboard.web.identity import Identities, Unauthorized
from dashboard.web.preferences import LOCALES, THEMES, complete
from scoring.pages import PAGES
from scoring.sorts import SORTS

#: Remembers the theme for the sign-in page, where nobody is known yet.
THEME_COOKIE = "lineup_theme"


class Pages:
    """Renders them, each with what the script needs to begin."""

    def __init__(self, database: Database, clock: Callable[[], int]):
        self._database = database
        self._clock = clock

    def dashboard(self, identity: Identity) -> Response:
        preferences = self.preferences(identity)
        boot = {
            "protocol": PROTOCOL,
            "admin": describe(identity),
            "preferences": preferences,
            "server_now": self._clock(),
            "pages": list(PAGES),
            "sorts": list(SORTS),
        }
        return _rendered(
            "dashboard.html",
            theme=preferences["theme"],
            locale=preferences["locale"],
            boot=boot,
            scripts=_scripts("js/main.js"),
        )

    def login(self, next: str, problem: Problem | None = None, email: str = "") -> Response:
        """The sign-in page, in the browser's language; `problem` is what went wrong."""
        theme = request.cookies.get(THEME_COOKIE, "")
        locale = preferred_locale()
        texts = _login_texts(_static(), locale)
        return _rendered(
            "login.html",
            theme=theme if theme in THEMES else "system",
            locale=locale,
            texts=texts,
            error=problem and _told(problem, texts),
            next=next,
            email=email,
        )

    def webhooks(self, identity: Identity) -> Response:
        preferences = self.preferences(identity)
        return _rendered(
            "webhooks.html",
            theme=preferences["theme"],
            locale=preferences["locale"],
            types=(*TYPES, TYPING),
            scripts=_scripts("js/webhooks.js"),
        )

    def preferences(self, identity: Identity) -> dict[str, Any]:
        with self._database.read() as connection:
            chosen = admins.preferences(connection, identity.admin_id)
        return complete(chosen, preferred_locale())


def blueprint(pages: Pages, identities: Identities) -> Blueprint:
    """`/`."""
    site = Blueprint("pages", __name__)

    @site.get("/")
    def dashboard() -> Response:
        try:
            identity = identities.of(request.environ)
        except Unauthorized:
            return redirect("/login", 302)  # type: ignore[return-value]
        return pages.dashboard(identity)

    return site


def describe(identity: Identity) -> dict[str, Any]:
    """The admin as the page knows them."""
    return {
        "id": identity.admin_id,
        "name": identity.name,
        "email": identity.email,
        "role": identity.role,
    }


def preferred_locale() -> str:
    """The browser's language, as far as we speak it."""
    return request.accept_languages.best_match(LOCALES, "en")


def _scripts(first: str) -> dict[str, Any]:
    """URLs: of the page's own module, of all that it brings, and what bare names stand for."""

    def url(path: str) -> str:
        return url_for("static", filename=path)

    return {
        "first": url(first),
        "brought": [url(path) for path in modules.brought_by(_static(), first)],
        "imports": {name: url(path) for name, path in modules.IMPORTS.items()},
    }


def _static() -> Path:
    return Path(str(current_app.static_folder))


@cache
def _login_texts(static: Path, locale: str) -> dict[str, str]:
    path = static / "i18n" / "login" / f"{locale}.json"
    texts: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return texts


def _told(problem: Problem, texts: dict[str, str]) -> str:
    text = texts.get(f"login.{problem.code}", problem.detail)
    return text.replace("{seconds}", problem.headers.get("Retry-After", ""))


def _rendered(template: str, **values: Any) -> Response:
    nonce = secrets.token_urlsafe(16)
    response = make_response(render_template(template, csp_nonce=nonce, **values))
    response.headers["Cache-Control"] = "no-store"
    response.headers["Content-Security-Policy"] = _policy(nonce)
    return response


def _policy(nonce: str) -> str:
    """What the page may load and do; `'self'` alone does not allow WebSockets in every browser."""
    sockets = f"{'wss' if request.is_secure else 'ws'}://{request.host}"
    return "; ".join(
        (
            "default-src 'self'",
            "img-src 'self' data:",
            "style-src 'self'",
            f"script-src 'self' 'nonce-{nonce}'",
            f"connect-src 'self' {sockets}",
            "object-src 'none'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
            "form-action 'self'",
        )
    )
