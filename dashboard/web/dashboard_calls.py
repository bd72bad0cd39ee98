"""Builds the pages and calls of the dashboard from their parts."""

from typing import Any

from flask import Blueprint

from dashboard.db.accounts.second_factor import Codes, Sealing
from dashboard.services import Services
from dashboard.web.admin import pages
from dashboard.web.admin import routes as admin_routes
from dashboard.web.admin.access import accounts
from dashboard.web.admin.access.accounts import AccountsApi, InvitationsApi, Joining, TeamApi
from dashboard.web.admin.access.audit import AuditApi
from dashboard.web.admin.access.keys import KeysApi
from dashboard.web.admin.access.profile import ProfileApi, Proof, SessionsApi
from dashboard.web.admin.access.second_factor import SecondFactorApi
from dashboard.web.admin.access.webhooks import WebhookApi
from dashboard.web.admin.api import AdminApi, MentionsApi
from dashboard.web.admin.bulk import BulkApi
from dashboard.web.admin.canned import CannedApi
from dashboard.web.admin.customers import CustomersApi
from dashboard.web.admin.files import FilesApi
from dashboard.web.admin.lists.calendars import CalendarsApi
from dashboard.web.admin.lists.hand_outs import HandOutsApi
from dashboard.web.admin.lists.history import HistoryApi
from dashboard.web.admin.lists.policies import PoliciesApi, PolicyPreviewApi
from dashboard.web.admin.lists.previews import QueriesApi, SortPreviewApi
from dashboard.web.admin.lists.queues import QueuesApi
from dashboard.web.admin.lists.reports import ReportsApi
from dashboard.web.admin.lists.search import ArchiveApi, SearchApi
from dashboard.web.admin.lists.seen_views import QueueApi
from dashboard.web.admin.lists.sorts import SortsApi
from dashboard.web.admin.lists.views import ViewsApi
from dashboard.web.admin.pages import Pages
from dashboard.web.admin.presence import AdminPresence
from dashboard.web.admin.settings import ChoicesApi, DeskApi, HealthApi
from dashboard.web.admin.sign_in import calls, oidc_calls
from dashboard.web.admin.sign_in.attempts import (
    CODES,
    PASSWORDS,
    Attempts,
    Counts,
    Devices,
    InvitationAttempts,
    Limits,
)
from dashboard.web.admin.sign_in.calls import SignIn
from dashboard.web.admin.sign_in.checks import CodeCheck, Guard, PasswordCheck, PendingSignIns
from dashboard.web.admin.sign_in.oidc_accounts import ProviderAccounts, SignInMethods, install
from dashboard.web.admin.sign_in.oidc_calls import BackChannelLogout, ProviderSignIn

#: The routes below /admin/api that need no more than the parts of the process.
APIS = (
    AdminApi,
    BulkApi,
    SearchApi,
    CannedApi,
    CustomersApi,
    MentionsApi,
    TeamApi,
    FilesApi,
    ChoicesApi,
    DeskApi,
    HealthApi,
    QueueApi,
    ViewsApi,
    QueriesApi,
    SortsApi,
    SortPreviewApi,
    ArchiveApi,
    HistoryApi,
    ReportsApi,
    CalendarsApi,
    PoliciesApi,
    PolicyPreviewApi,
    QueuesApi,
    HandOutsApi,
    AccountsApi,
    InvitationsApi,
    KeysApi,
    WebhookApi,
    AuditApi,
    SessionsApi,
)


def dashboard_blueprints(services: Services) -> tuple[Blueprint, ...]:
    """Builds `/` and `/settings`, `/login`, `/logout`, and `/admin/api`."""
    database, origins, identities = services.database, services.origins, services.identities
    sign_in, profile = sign_in_and_profile(services)
    apis = [*(api(services) for api in APIS), *profile]
    return (
        pages.blueprint(Pages(services), identities),
        sign_in,
        _joining(services),
        oidc_blueprint(services),
        *admin_routes.blueprints(apis, AdminPresence(services), database, origins, identities),
    )


def _joining(services: Services) -> Blueprint:
    """Builds `/invitation`."""
    counts = Counts(services.redis_client, services.settings.key_prefix, services.clock)
    devices = Devices(services.secret_key, services.identities.cookie_names)
    return accounts.blueprint(Joining(services, InvitationAttempts(counts), devices))


def sign_in_and_profile(services: Services) -> tuple[Blueprint, tuple[Any, ...]]:
    """Returns the pages and calls of the sign-in, and the routes of the profile page."""
    database, clock, identities = services.database, services.clock, services.identities
    secret_key = services.secret_key
    pending = PendingSignIns(secret_key, clock)
    devices = Devices(secret_key, identities.cookie_names)
    sealing = Sealing(secret_key)
    codes = Codes(sealing, clock)

    counts = Counts(services.redis_client, services.settings.key_prefix, clock)

    def guard(limits: Limits) -> Guard:
        return Guard(Attempts(counts, limits), devices, identities, services.failed_sign_ins)

    passwords = PasswordCheck(database, identities, guard(PASSWORDS), pending, services.offload)
    of_codes = guard(CODES)
    check = CodeCheck(database, identities, of_codes, pending, codes)
    proof = Proof(database, passwords, of_codes, codes)
    apis = ProfileApi(services, proof), SecondFactorApi(services, proof, sealing)
    return calls.blueprint(SignIn(services, passwords, check)), apis


def oidc_blueprint(services: Services) -> Blueprint:
    """Builds `/login/oidc` and the paths below it; without a provider they do not exist."""
    settings, provider = services.settings, services.oidc_provider
    if settings.oidc is None or provider is None:
        routes = Blueprint("oidc", __name__)
        install(routes, SignInMethods())
        return routes
    accounts = ProviderAccounts(
        settings.oidc.issuer, services.database, services.clock, services.placer, services.offload
    )
    sign_in = ProviderSignIn(
        provider,
        accounts,
        oidc_calls.PendingSignIns(
            services.secret_key, services.clock, services.identities.cookie_names
        ),
        services.failed_sign_ins,
        services.shared_limiter,
        services.identities,
        Pages(services),
    )
    routes = oidc_calls.routes(sign_in)
    leaving = BackChannelLogout(
        provider,
        services.database,
        services.clock,
        services.presence_service,
        services.sockets.invalidate_sessions,
    )
    oidc_calls.add_route(routes, leaving)
    install(routes, SignInMethods(settings.sign_in == "password", settings.oidc.name))
    return routes
