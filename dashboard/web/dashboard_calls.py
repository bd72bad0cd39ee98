"""Builds the pages and calls of the dashboard from their parts."""

from collections.abc import Callable
from typing import Any

from flask import Blueprint

from dashboard.db.accounts.second_factor import Codes, Sealing
from dashboard.ingest.accounts import Invitations
from dashboard.services import Services
from dashboard.web.admin import pages, settings
from dashboard.web.admin import routes as admin_routes
from dashboard.web.admin.access import accounts
from dashboard.web.admin.access.accounts import AccountsApi, InvitationsApi, Joining, TeamApi
from dashboard.web.admin.access.audit import AuditApi
from dashboard.web.admin.access.keys import KeysApi
from dashboard.web.admin.access.profile import EndedSessions, ProfileApi, Proof, SessionsApi
from dashboard.web.admin.access.second_factor import SecondFactorApi
from dashboard.web.admin.access.webhooks import WebhookApi
from dashboard.web.admin.api import AdminApi, CustomersApi, MentionsApi
from dashboard.web.admin.bulk import ActingAdmin, BulkApi
from dashboard.web.admin.canned import CannedApi
from dashboard.web.admin.files import FilesApi
from dashboard.web.admin.lists.archive import ArchiveApi
from dashboard.web.admin.lists.calendars import CalendarsApi
from dashboard.web.admin.lists.explain import Explainer
from dashboard.web.admin.lists.policies import PoliciesApi, PolicyPreviewApi
from dashboard.web.admin.lists.previews import QueriesApi, SortPreviewApi
from dashboard.web.admin.lists.search import SearchApi
from dashboard.web.admin.lists.seen_views import FirstList, SeenViews
from dashboard.web.admin.lists.sorts import SortsApi
from dashboard.web.admin.lists.views import ViewsApi
from dashboard.web.admin.pages import Pages
from dashboard.web.admin.presence import AdminPresence
from dashboard.web.admin.settings import HealthApi, SettingsPages
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
from dashboard.web.admin.sign_in.checks import CodeCheck, Guard, PasswordCheck
from dashboard.web.admin.sign_in.oidc_accounts import ProviderAccounts, SignInMethods, install
from dashboard.web.admin.sign_in.oidc_calls import BackChannelLogout, ProviderSignIn
from dashboard.web.admin.sign_in.pending import PendingSignIns
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
    """Builds `/`, `/login`, `/logout`, the pages of settings, and `/admin/api`.

    `invalidate_sessions()` makes the sockets look up their sessions again.
    """
    site = _pages(services, identities, assets)
    database = services.database
    people = AdminPresence(
        services.presence_service,
        database,
        invalidate_sessions,
        services.cursors,
        services.ranking,
    )
    sign_in, profile = sign_in_and_profile(services, origins, identities, site, invalidate_sessions)
    apis = (*_apis(services, identities, site, invalidate_sessions), *profile)
    return (
        pages.blueprint(site, identities),
        sign_in,
        _joining(services, origins, identities),
        oidc_blueprint(services, identities, site, invalidate_sessions),
        *admin_routes.blueprints(apis, people, database, origins, identities),
        settings.blueprint(SettingsPages(database, identities, site)),
    )


def _apis(
    services: Services,
    identities: Identities,
    site: Pages,
    invalidate_sessions: Callable[[], object],
) -> tuple[Any, ...]:
    """Returns the routes below /admin/api, except those of presence."""
    database, clock = services.database, services.clock
    explainer = Explainer(database, services.ranking, clock)
    admin = _acting_admin(services)
    return (
        AdminApi(database, admin, explainer, site),
        BulkApi(database, admin, services.undo),
        SearchApi(database, services.cursors, clock),
        CannedApi(database, clock),
        CustomersApi(services.erasing),
        MentionsApi(admin, services.mentioning),
        TeamApi(database),
        FilesApi(services.database, services.file_store, services.uploads),
        HealthApi(services.ordering_status, lambda: services.reconciler.repairs),
        *_apis_of_lists(services),
        *_apis_of_hours(services),
        *_apis_of_access(services, identities, invalidate_sessions),
    )


def _joining(services: Services, origins: Origins, identities: Identities) -> Blueprint:
    """Builds `/invitation`."""
    secret_key = services.settings.secret_key
    assert secret_key is not None, "nobody can be signed in without a secret key"
    counts = Counts(services.redis_client, services.settings.key_prefix, services.clock)
    return accounts.blueprint(
        Joining(
            Invitations(services.database, services.clock),
            InvitationAttempts(counts),
            Devices(secret_key, identities.cookie_names),
            origins,
            identities,
            services.offload,
        )
    )


def _acting_admin(services: Services) -> ActingAdmin:
    return ActingAdmin(
        services.ingest,
        services.actions,
        services.assigning,
        services.snoozing,
        services.tagging,
    )


def _apis_of_lists(services: Services) -> tuple[Any, ...]:
    """Returns the routes of saved views and sorts."""
    database, clock = services.database, services.clock

    # Looked up at each change: without sockets there is nobody to tell.
    def announce() -> None:
        services.view_changes.announce()

    def build(list_id: str) -> None:
        services.list_builder.build(list_id)

    return (
        ViewsApi(database, SeenViews(database, services.ranking, clock), clock, announce, build),
        QueriesApi(database, clock),
        SortsApi(database, clock, announce, build),
        SortPreviewApi(database, clock),
        ArchiveApi(database, clock),
    )


def _apis_of_hours(services: Services) -> tuple[Any, ...]:
    """Returns the routes of opening hours and policies."""
    database, clock = services.database, services.clock
    return (
        CalendarsApi(database, clock, services.recompute.wake),
        PoliciesApi(database, clock, services.recompute.wake),
        PolicyPreviewApi(database, clock),
    )


def _apis_of_access(
    services: Services, identities: Identities, invalidate_sessions: Callable[[], object]
) -> tuple[Any, ...]:
    """Returns the routes of accounts, keys and webhooks, and of the audit log."""
    database, accounts, clock = services.database, services.accounts, services.clock
    presence = services.presence_service
    return (
        AccountsApi(database, accounts, presence, clock, invalidate_sessions),
        InvitationsApi(Invitations(database, clock), identities),
        KeysApi(services.api_keys),
        WebhookApi(services.webhooks),
        AuditApi(database, services.cursors, clock),
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


def sign_in_and_profile(
    services: Services,
    origins: Origins,
    identities: Identities,
    pages: Pages,
    invalidate_sessions: Callable[[], object],
) -> tuple[Blueprint, tuple[Any, ...]]:
    """Returns the pages and calls of the sign-in, and the routes of the profile page."""
    database, clock, settings = services.database, services.clock, services.settings
    secret_key = settings.secret_key
    assert secret_key is not None, "nobody can be signed in without a secret key"
    pending = PendingSignIns(secret_key, clock)
    devices = Devices(secret_key, identities.cookie_names)
    sealing = Sealing(secret_key)
    codes = Codes(sealing, clock)

    counts = Counts(services.redis_client, settings.key_prefix, clock)

    def guard(limits: Limits) -> Guard:
        return Guard(Attempts(counts, limits), devices, identities, services.failed_sign_ins)

    passwords = PasswordCheck(database, identities, guard(PASSWORDS), pending, services.offload)
    of_codes = guard(CODES)
    check = CodeCheck(database, identities, of_codes, pending, codes)
    proof = Proof(database, passwords, of_codes, codes)
    presence = services.presence_service
    ended = EndedSessions(presence, invalidate_sessions)
    apis = (
        ProfileApi(database, clock, pages, services.placer, proof, ended),
        SecondFactorApi(database, clock, proof, sealing, ended, services.offload),
        SessionsApi(database, clock, ended),
    )
    sign_in = SignIn(passwords, check, presence, invalidate_sessions, origins, identities, pages)
    return calls.blueprint(sign_in), apis


def oidc_blueprint(
    services: Services,
    identities: Identities,
    site: Pages,
    invalidate_sessions: Callable[[], object],
) -> Blueprint:
    """Builds `/login/oidc` and the paths below it; without a provider they do not exist."""
    settings, provider = services.settings, services.oidc_provider
    if settings.oidc is None or provider is None:
        made = Blueprint("oidc", __name__)
        install(made, SignInMethods())
        return made
    secret_key = settings.secret_key
    assert secret_key is not None, "nobody can be signed in without a secret key"
    accounts = ProviderAccounts(
        settings.oidc.issuer, services.database, services.clock, services.placer, services.offload
    )
    sign_in = ProviderSignIn(
        provider,
        accounts,
        oidc_calls.PendingSignIns(secret_key, services.clock, identities.cookie_names),
        services.failed_sign_ins,
        services.shared_limiter,
        identities,
        site,
    )
    made = oidc_calls.routes(sign_in)
    leaving = BackChannelLogout(
        provider,
        services.database,
        services.clock,
        services.presence_service,
        invalidate_sessions,
    )
    oidc_calls.add_route(made, leaving)
    install(made, SignInMethods(settings.sign_in == "password", settings.oidc.name))
    return made
