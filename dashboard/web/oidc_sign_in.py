"""Builds the sign-in by a provider of accounts, if one is set, from its parts."""

from collections.abc import Callable

from flask import Blueprint

from dashboard.services import Services
from dashboard.web.admin.pages import Pages
from dashboard.web.admin.sign_in import oidc_calls
from dashboard.web.admin.sign_in.methods import SignInMethods, install
from dashboard.web.admin.sign_in.oidc_accounts import ProviderAccounts
from dashboard.web.admin.sign_in.oidc_calls import BackChannelLogout, PendingSignIns, ProviderSignIn
from dashboard.web.http.identity import Identities


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
        PendingSignIns(secret_key, services.clock, identities.cookie_names),
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
