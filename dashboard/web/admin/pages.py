"""The pages: the dashboard with its settings, and the sign-in in front of it."""

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

from flask import Blueprint, Response, redirect, request

from dashboard import languages
from dashboard.db.accounts import admins, oidc_accounts
from dashboard.db.accounts.sessions import Identity
from dashboard.db.lists import sorts
from dashboard.db.lists.views import NAME_MAX, OWN_MAX, SHARED_MAX
from dashboard.db.queues import admins as queue_admins
from dashboard.db.queues import definitions
from dashboard.db.threads import events, threads
from dashboard.errors import NotFound, Problem
from dashboard.files.uploads import FILE_BYTES
from dashboard.ingest.snoozing import YEARS_MAX
from dashboard.live.requests import MORE_MAX, WATCH_MAX, ListName
from dashboard.presence.requests import TEXT_MAX
from dashboard.protocol import PROTOCOL
from dashboard.services import Services
from dashboard.validation.fields import ATTACHMENTS_MAX, BODY_MAX
from dashboard.validation.strict_json import JsonObject
from dashboard.web.admin.lists.seen_views import FirstList, ListedView, without_totals
from dashboard.web.admin.preferences import FILTERED_PLACES, PLACES, THEMES, complete, known
from dashboard.web.admin.requests import SHORTCUT_MAX
from dashboard.web.admin.sign_in.oidc_accounts import sign_in_methods
from dashboard.web.http.identity import Identities, Unauthorized
from dashboard.web.http.queries import IDS_MAX
from dashboard.web.http.responses import rendered
from scoring.conditions.fields import FIELDS
from scoring.conditions.language.parser import LENGTH_MAX
from scoring.conditions.tags import TAG_LENGTH_MAX
from scoring.sorts import BUILT_IN_SORTS
from scoring.views import VIEW_QUERIES

#: Cookie with the theme, for pages that are shown without a session.
THEME_COOKIE = "lineup_theme"
#: Saved views that come with the page; the others are read once its socket is connected.
SAVED_VIEWS_MAX = 50
#: A year.
_KEPT_SECONDS = 31_536_000
#: Limits that the page's scripts enforce, too; the server uses the same constants.
LIMITS = {
    "message_characters": BODY_MAX,
    "message_files": ATTACHMENTS_MAX,
    "file_bytes": FILE_BYTES,
    "shortcut_characters": SHORTCUT_MAX,
    "status_characters": TEXT_MAX,
    "list_ids": MORE_MAX,
    "watched_ids": WATCH_MAX,
    "row_ids": IDS_MAX,
    "query_characters": LENGTH_MAX,
    "view_name_characters": NAME_MAX,
    "own_views": OWN_MAX,
    "shared_views": SHARED_MAX,
    "snooze_years": YEARS_MAX,
    "tag_characters": TAG_LENGTH_MAX,
}
#: Folders of `static/i18n` with texts of parts that are loaded when they are needed.
_LATER = (
    "advice",
    "query",
    "views",
    "hours",
    "queues",
    "past",
    "reports",
    "settings",
    *(f"settings/{page}" for page in ("audit", "keys", "profile", "queues", "team", "webhooks")),
)
_FIELDS = {name: {"kind": field.kind, "words": [*field.words]} for name, field in FIELDS.items()}


class Pages:
    """Renders the pages, each with the values that its script starts from."""

    def __init__(self, services: Services):
        self._database = services.database
        self._clock = services.clock
        self._assets = services.assets
        self._first_list = FirstList(services)
        self._storage_key = services.identities.storage_key
        self._picture_hosts = list(services.settings.picture_hosts)
        self._customer_page = services.settings.customer_page

    def dashboard(self, identity: Identity, *, is_settings: bool = False) -> Response:
        """Renders the dashboard; `is_settings`: its scripts begin with a page of settings."""
        chosen = self._chosen(identity)
        preferences = complete(chosen, languages.browsers_locale())
        response = rendered(
            "dashboard.html",
            self._picture_hosts,
            theme=preferences["theme"],
            locale=preferences["locale"],
            boot=self._boot(identity, preferences),
            customer_page=self._customer_page,
            places=PLACES,
            words=languages.page_texts(preferences["locale"]),
            script="js/main.js",
            area="settings" if is_settings else "",
            texts=self.text_urls(""),
            # URLs by part, for parts with scripts that are loaded only when they are needed.
            later={part: self.text_urls(f"{part}/") for part in _LATER},
        )
        return keep_for_signed_out(response, chosen)

    def _boot(self, identity: Identity, preferences: JsonObject) -> dict[str, object]:
        """Returns the values that the dashboard's scripts start from."""
        saved_views = self._saved_views(identity, preferences["saved"])
        return {
            "protocol": PROTOCOL,
            "signed_out": self._signed_out(identity),
            "admin": describe(identity),
            "preferences": preferences,
            "server_now": self._clock(),
            "view_queries": VIEW_QUERIES,
            **self._sorts(),
            "fields": _FIELDS,
            "limits": LIMITS,
            "picture_hosts": self._picture_hosts,
            "storage_key": self._storage_key(identity.admin_id),
            "settings": settings_of(identity),
            "has_events": self._has_events(identity),
            "queues": self._queues(identity),
            "saved_views": saved_views,
            "head": self._first_list.head(
                first_list(preferences, saved_views)._replace(desks=identity.desks),
                identity.admin_id,
            ),
        }

    def login(self, next: str, problem: Problem | None = None, email: str = "") -> Response:
        """Renders the sign-in page; `problem` is the reason why the last attempt failed."""
        return _card(
            "cards/login.html", "login", problem, next=next, email=email, methods=sign_in_methods()
        )

    def code(
        self, next: str, problem: Problem | None = None, *, by_recovery_code: bool = False
    ) -> Response:
        """Renders the page of a sign-in's second step."""
        more = {"next": next, "by_recovery_code": by_recovery_code}
        return _card("cards/login_code.html", "login.code", problem, **more)

    def preferences(self, identity: Identity) -> JsonObject:
        return complete(self._chosen(identity), languages.browsers_locale())

    def _sorts(self) -> dict[str, object]:
        """Returns the built-in sorts and the saved ones."""
        with self._database.read() as connection:
            all_sorts = sorts.known(connection)
        saved = [sort for sort in all_sorts.values() if sort.name not in BUILT_IN_SORTS]
        return {
            "sorts": list(BUILT_IN_SORTS),
            "saved_sorts": [
                {"name": sort.name, "title": sort.title, "changed_at": sort.changed_at}
                for sort in saved
            ],
            # On lists in these sorts, rows show waits below a minute, too.
            "sorts_by_wait": [name for name, sort in all_sorts.items() if sort.goes_by("oldest")],
        }

    def _signed_out(self, identity: Identity) -> str:
        """Returns where to go after signing out: to the provider if the session came from there."""
        if sign_in_methods().provider:
            with self._database.read() as connection:
                if oidc_accounts.is_noted(connection, identity.session):
                    return "/login/oidc/leave"
        return "/login"

    def _has_events(self, identity: Identity) -> bool:
        """Whether the admin sees any event; in the demo, whether its reader has written as a
        customer. If not, the page shows the first steps."""
        with self._database.read() as connection:
            if self._customer_page is not None:
                return threads.is_any_of(connection, self._customer_page.source)
            if identity.desks is not None:
                return threads.is_any_at(connection, identity.desks)
            return events.is_any(connection)

    def _queues(self, identity: Identity) -> list[str]:
        """Returns the modes of the queues that may give the admin threads; the page keeps room for
        their bar."""
        with self._database.read() as connection:
            queues = definitions.listing(connection)
            own = queue_admins.one(connection, identity.admin_id) if queues else None
        return sorted({queue.mode for queue in queues if own and queue.asks(own.desks)})

    def _saved_views(self, identity: Identity, last: Mapping[str, Any] | None) -> list[ListedView]:
        """Returns the first saved views, and always the one that was open last."""
        also = last["view"] if last else None
        with self._database.read() as connection:
            return without_totals(
                connection, identity.admin_id, identity.desks, SAVED_VIEWS_MAX, also
            )

    def _chosen(self, identity: Identity) -> Mapping[str, Any]:
        with self._database.read() as connection:
            return known(admins.preferences(connection, identity.admin_id))

    def text_urls(self, *folders: str) -> dict[str, list[str]]:
        """Returns the URLs of a page's texts by language; folders below i18n/ end with a slash."""
        return {
            locale: [self._assets.url(f"i18n/{folder}{locale}.json") for folder in folders]
            for locale in languages.LOCALES
        }


class SettingsPage(NamedTuple):
    """A page at `/settings/NAME`; `former` is the address that it had before the area of settings.

    The dashboard shows it by a module of `static/js/settings/`.
    """

    name: str
    for_supervisors: bool
    former: str = ""


#: All pages, in the order in which the area lists them.
SETTINGS_PAGES = (
    SettingsPage("profile", for_supervisors=False, former="profile"),
    SettingsPage("appearance", for_supervisors=False),
    SettingsPage("notifications", for_supervisors=False),
    SettingsPage("keyboard", for_supervisors=False),
    SettingsPage("views", for_supervisors=False),
    SettingsPage("sorts", for_supervisors=True),
    SettingsPage("canned", for_supervisors=False),
    SettingsPage("tags", for_supervisors=False),
    SettingsPage("desks", for_supervisors=True),
    SettingsPage("hours", for_supervisors=True),
    SettingsPage("policies", for_supervisors=True),
    SettingsPage("queues", for_supervisors=True),
    SettingsPage("accounts", for_supervisors=True, former="team"),
    SettingsPage("keys", for_supervisors=True, former="keys"),
    SettingsPage("webhooks", for_supervisors=True, former="webhooks"),
    SettingsPage("reports", for_supervisors=True),
    SettingsPage("audit", for_supervisors=True, former="audit"),
    SettingsPage("health", for_supervisors=True),
)
_BY_NAME = {page.name: page for page in SETTINGS_PAGES}
_AREA = "/settings"


def settings_of(identity: Identity) -> list[str]:
    """Returns the names of the pages of settings that the admin may open."""
    is_supervisor = identity.role == admins.SUPERVISOR
    return [page.name for page in SETTINGS_PAGES if is_supervisor or not page.for_supervisors]


def blueprint(pages: Pages, identities: Identities) -> Blueprint:
    """Returns the blueprint of `/` and of the pages of settings, which the dashboard shows, too."""
    site = Blueprint("pages", __name__)

    def show(name: str | None = None) -> Response:
        try:
            identity = identities.of(request.environ)
        except Unauthorized:
            return _found(f"/login?next={quote(request.path + _query())}")
        # Without a name, the area begins with its first page.
        page = _BY_NAME.get(name or SETTINGS_PAGES[0].name)
        if page is None:
            raise NotFound("There is no such page.")
        if page.for_supervisors and identity.role != admins.SUPERVISOR:
            raise Problem(403, "forbidden", "Only supervisors may do this.")
        return pages.dashboard(identity, is_settings=True)

    @site.get("/")
    def dashboard() -> Response:
        try:
            return pages.dashboard(identities.of(request.environ))
        except Unauthorized:
            return _found("/login")

    site.add_url_rule(_AREA, view_func=show, endpoint="settings")
    site.add_url_rule(f"{_AREA}/<name>", view_func=show, endpoint="settings_page")
    for page in filter(lambda page: page.former, SETTINGS_PAGES):
        site.add_url_rule(
            f"/{page.former}",
            endpoint=f"former_{page.former}",
            view_func=lambda page=page: _found(f"{_AREA}/{page.name}{_query()}"),
        )
    return site


def _found(address: str) -> Response:
    return redirect(address, 302)  # type: ignore[return-value]


def _query() -> str:
    """Returns the query of the request, with its question mark."""
    text = request.query_string.decode("latin-1")
    return f"?{text}" if text else ""


def describe(identity: Identity) -> dict[str, object]:
    """Describes the admin for the JSON of the page and the API."""
    return {
        "id": identity.admin_id,
        "name": identity.name,
        "email": identity.email,
        "role": identity.role,
    }


def first_list(preferences: JsonObject, saved_views: list[ListedView]) -> ListName:
    """Returns the admin's last list; the page opens it unless its address names another one.

    If its saved view no longer exists, returns the list of the last place.
    """
    saved = preferences["saved"] or {}
    for row in saved_views:
        if row["id"] == saved.get("view"):
            return ListName(row["id"], saved.get("sort", row["sort"]), "all")
    place = preferences["place"] or preferences["view"]
    view, filter = FILTERED_PLACES.get(place, (place, "all"))
    return ListName(view, preferences["sorts"][place], filter)


def chosen_theme() -> str:
    """Returns the theme chosen in the request's browser, for pages without a session."""
    theme = request.cookies.get(THEME_COOKIE, "")
    return theme if theme in THEMES else "system"


def keep_for_signed_out(response: Response, chosen: Mapping[str, Any]) -> Response:
    """Sets cookies of theme and language, for pages that are shown without a session."""
    for name, cookie in (("theme", THEME_COOKIE), ("locale", languages.LOCALE_COOKIE)):
        if name in chosen:
            response.set_cookie(
                cookie, chosen[name], max_age=_KEPT_SECONDS, samesite="Lax", httponly=True
            )
    return response


def _card(template: str, name: str, problem: Problem | None, **values: Any) -> Response:
    """Renders a page without a session; the texts of its problems begin with `name`."""
    locale = languages.preferred_locale()
    return rendered(
        template,
        theme=chosen_theme(),
        locale=locale,
        texts=languages.texts(locale),
        error=problem and _error_text(problem, name, locale),
        **values,
    )


def _error_text(problem: Problem, name: str, locale: str) -> str:
    text = languages.refusal(locale, f"{name}.{problem.code}", f"error.{problem.code}")
    return text.replace("{seconds}", problem.headers.get("Retry-After", ""))
