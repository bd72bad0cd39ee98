"""The pages of settings, each with its own address, and the state of the lists."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from flask import Blueprint, Response, redirect, request
from sqlalchemy import Connection

from dashboard.db import audit
from dashboard.db.accounts import admin_desks, admins, api_keys, sources
from dashboard.errors import Problem
from dashboard.event_types import WEBHOOK_TYPES
from dashboard.services import Services
from dashboard.web.admin.access.keys import RATE_MAX
from dashboard.web.admin.pages import Pages
from dashboard.web.admin.responses import Answer, Milliseconds
from dashboard.web.admin.routes import SUPERVISOR
from dashboard.web.http.identity import Unauthorized
from dashboard.web.http.responses import json_response, rendered
from dashboard.web.http.routes import done, route


class SettingsPage(NamedTuple):
    """A page at `/NAME`.

    It shares its name with its template in `templates/settings/`, its script in
    `static/js/settings/` and its texts in `static/i18n/settings/`.
    """

    name: str
    for_supervisors: bool
    #: Further values that its template shows; the script fetches everything else.
    values: Callable[[Connection], Mapping[str, Any]] = lambda connection: {}


def _webhooks(connection: Connection) -> Mapping[str, Any]:
    return {"sources": sources.names(connection), "types": WEBHOOK_TYPES}


def _keys(connection: Connection) -> Mapping[str, Any]:
    named = {"sources": sources.names(connection), "desks": admin_desks.names(connection)}
    return named | {"scopes": api_keys.SCOPES, "rate_max": RATE_MAX}


def _team(connection: Connection) -> Mapping[str, Any]:
    return {"roles": admins.ROLES, "desks": admin_desks.names(connection)}


def _audit(connection: Connection) -> Mapping[str, Any]:
    return {"actors": audit.actors(connection), "actions": audit.GROUPS, "kinds": audit.KINDS}


#: The order in which the pages list each other.
SETTINGS_PAGES = (
    SettingsPage("profile", for_supervisors=False),
    SettingsPage("team", for_supervisors=True, values=_team),
    SettingsPage("keys", for_supervisors=True, values=_keys),
    SettingsPage("webhooks", for_supervisors=True, values=_webhooks),
    SettingsPage("audit", for_supervisors=True, values=_audit),
)


class SettingsPages:
    """Renders the pages; redirects a signed-out visitor to the sign-in page and back."""

    def __init__(self, services: Services):
        self._database = services.database
        self._identities = services.identities
        self._pages = Pages(services)

    def show(self, page: SettingsPage) -> Response:
        try:
            identity = self._identities.of(request.environ)
        except Unauthorized:
            return redirect(f"/login?next=/{page.name}", 302)  # type: ignore[return-value]
        is_supervisor = identity.role == SUPERVISOR
        if page.for_supervisors and not is_supervisor:
            raise Problem(403, "forbidden", "Only supervisors may do this.")
        preferences = self._pages.preferences(identity)
        with self._database.read() as connection:
            values = page.values(connection)
        return rendered(
            f"settings/{page.name}.html",
            theme=preferences["theme"],
            locale=preferences["locale"],
            timezone=preferences["timezone"],
            page=page.name,
            pages=[
                entry.name for entry in SETTINGS_PAGES if is_supervisor or not entry.for_supervisors
            ],
            script=f"js/settings/{page.name}.js",
            texts=self._pages.text_urls("", "settings/", f"settings/{page.name}/"),
            **values,
        )


def blueprint(pages: SettingsPages) -> Blueprint:
    """Returns the blueprint of all pages, each at its address."""
    routes = Blueprint("settings", __name__)
    for page in SETTINGS_PAGES:
        routes.add_url_rule(
            f"/{page.name}",
            endpoint=page.name,
            view_func=lambda page=page: pages.show(page),
        )
    return routes


class Health(Answer):
    """The state of the worker that answers; each worker compares the lists once a second."""

    late_since: Milliseconds | None
    compared_at: Milliseconds | None
    repairs: int


class HealthApi:
    """The route `/health`. `repairs()` returns how many places this worker has repaired so far."""

    def __init__(self, services: Services):
        self._status = services.ordering_status
        self._reconciler = services.reconciler

    @route(
        "GET",
        "/health",
        "getHealth",
        summary="Tell whether the lists equal the database",
        description="`late_since`: the time since which they may be out of date, else null; "
        "`compared_at`: the time of the last successful comparison, null before the first.",
        scope=SUPERVISOR,
        answers=done(Health),
    )
    def health(self) -> Response:
        return json_response(
            {
                "late_since": self._status.late_since,
                "compared_at": self._status.compared_at,
                "repairs": self._reconciler.repairs,
            }
        )
