"""The pages and calls of the dashboard, each with what it needs."""

from collections.abc import Callable
from typing import Any

from flask import Blueprint

from dashboard.db.accounts.second_factor.codes import Codes
from dashboard.db.accounts.second_factor.sealing import Sealing
from dashboard.services import Services
from dashboard.web.admin import routes as admin_routes
from dashboard.web.admin import signin
from dashboard.web.admin.acting_admin import ActingAdmin
from dashboard.web.admin.api import AdminApi
from dashboard.web.admin.attempts import CODES, Attempts, Devices
from dashboard.web.admin.bulk import BulkApi
from dashboard.web.admin.canned import CannedApi
from dashboard.web.admin.customers.api import CustomersApi
from dashboard.web.admin.explain import Explainer
from dashboard.web.admin.first_list import FirstList
from dashboard.web.admin.health.api import HealthApi
from dashboard.web.admin.hours.calendars import CalendarsApi
from dashboard.web.admin.hours.policies import PoliciesApi
from dashboard.web.admin.hours.preview import PolicyPreviewApi
from dashboard.web.admin.presence import AdminPresence
from dashboard.web.admin.profile.api import ProfileApi
from dashboard.web.admin.profile.ended import EndedSessions
from dashboard.web.admin.profile.proof import Proof
from dashboard.web.admin.profile.second_factor import SecondFactorApi
from dashboard.web.admin.profile.sessions import SessionsApi
from dashboard.web.admin.search import SearchApi
from dashboard.web.admin.signin import Checks, SignIn
from dashboard.web.admin.signing_in.code_check import CodeCheck
from dashboard.web.admin.signing_in.password_check import PasswordCheck
from dashboard.web.admin.signing_in.pending import PendingSignIns
from dashboard.web.admin.site import pages, settings
from dashboard.web.admin.site.pages import Pages
from dashboard.web.admin.site.settings import SettingsPages
from dashboard.web.admin.sorts.api import SortsApi
from dashboard.web.admin.sorts.preview import SortPreviewApi
from dashboard.web.admin.views.api import ViewsApi
from dashboard.web.admin.views.queries import QueriesApi
from dashboard.web.admin.views.seen_views import SeenViews
from dashboard.web.admin.webhooks.api import WebhookApi
from dashboard.web.http.assets import Assets
from dashboard.web.http.identity import Identities
from dashboard.web.http.origins import Origins


def dashboard_blueprints(
    services: Services,
    origins: Origins,
    identities: Identities,
    assets: Assets,
    invalidate_sessions: Callable[[], object],
) -> tuple[Blueprint, ...]:
    """`/`, `/login`, `/logout`, the pages of settings, and `/admin/api`.

    `invalidate_sessions()` has the sockets look up their sessions again.
    """
    site = _pages(services, identities, assets)
    database, clock, presence = services.database, services.clock, services.presence_service
    checks, profile = _accounts(services, identities, site, invalidate_sessions)
    sign_in = SignIn(checks, presence, invalidate_sessions, origins, identities, site)
    explainer = Explainer(database, services.ranking, services.clock)
    admin = _acting_admin(services)
    apis = (
        AdminApi(database, admin, explainer, site),
        BulkApi(database, admin, services.undo),
        SearchApi(database, services.cursors, clock),
        CannedApi(database, clock),
        CustomersApi(services.erasing),
        *profile,
        HealthApi(services.ordering_status, lambda: services.reconciler.repairs),
        *_apis_of_lists(services),
        *_apis_of_hours(services),
        WebhookApi(services.webhooks),
    )
    people = AdminPresence(
        presence, database, invalidate_sessions, services.cursors, services.ranking
    )
    return (
        pages.blueprint(site, identities),
        signin.blueprint(sign_in),
        *admin_routes.blueprints(apis, people, database, origins, identities),
        settings.blueprint(SettingsPages(database, identities, site)),
    )


def _accounts(
    services: Services,
    identities: Identities,
    pages: Pages,
    invalidate_sessions: Callable[[], object],
) -> tuple[Checks, tuple[Any, ...]]:
    """What those who sign in have to show, and the routes of their own accounts."""
    database, clock, settings = services.database, services.clock, services.settings
    redis_client, secret_key = services.redis_client, settings.secret_key
    assert secret_key is not None, "nobody can be signed in without a secret key"
    pending, sealing = PendingSignIns(secret_key, clock), Sealing(secret_key)
    codes = Codes(sealing, clock)
    tries = Attempts(redis_client, settings.key_prefix, clock)
    tries_of_codes = Attempts(redis_client, settings.key_prefix, clock, CODES)
    passwords = PasswordCheck(
        database, identities, tries, Devices(secret_key), pending, services.offload
    )
    check = CodeCheck(database, identities, tries_of_codes, passwords, pending, codes)
    proof = Proof(passwords, tries_of_codes, codes)
    ended = EndedSessions(services.presence_service, invalidate_sessions)
    apis = (
        ProfileApi(database, clock, pages, services.placer, proof, ended),
        SecondFactorApi(database, clock, proof, sealing, ended, services.offload),
        SessionsApi(database, clock, ended),
    )
    return Checks(passwords, check), apis


def _acting_admin(services: Services) -> ActingAdmin:
    return ActingAdmin(
        services.ingest,
        services.actions,
        services.assigning,
        services.snoozing,
        services.tagging,
    )


def _apis_of_lists(services: Services) -> tuple[Any, ...]:
    """The routes of saved views and sorts."""
    database, clock = services.database, services.clock

    # Looked up at each change: without sockets nobody is told.
    def announce(admin_id: int | None = None) -> None:
        services.view_changes.announce(admin_id)

    def build(list_id: str) -> None:
        services.list_builder.build(list_id)

    return (
        ViewsApi(database, SeenViews(database, services.ranking, clock), clock, announce, build),
        QueriesApi(database, clock),
        SortsApi(database, clock, announce, build),
        SortPreviewApi(database, clock),
    )


def _apis_of_hours(services: Services) -> tuple[Any, ...]:
    """The routes of opening hours and policies."""
    database, clock = services.database, services.clock
    return (
        CalendarsApi(database, clock, services.recompute.wake),
        PoliciesApi(database, clock, services.recompute.wake),
        PolicyPreviewApi(database, clock),
    )


def _pages(services: Services, identities: Identities, assets: Assets) -> Pages:
    return Pages(
        services.database,
        services.clock,
        identities.storage_key,
        assets,
        FirstList(services.reads, services.ranking),
        services.settings.picture_hosts,
    )
