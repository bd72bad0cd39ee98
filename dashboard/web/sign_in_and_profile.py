"""Builds the sign-in by password, and the profile page, which asks for password and code again."""

from collections.abc import Callable
from typing import Any

from flask import Blueprint

from dashboard.db.accounts.second_factor.codes import Codes
from dashboard.db.accounts.second_factor.sealing import Sealing
from dashboard.services import Services
from dashboard.web.admin.access.profile import EndedSessions, ProfileApi, Proof, SessionsApi
from dashboard.web.admin.access.second_factor import SecondFactorApi
from dashboard.web.admin.pages import Pages
from dashboard.web.admin.sign_in import calls
from dashboard.web.admin.sign_in.attempts import CODES, PASSWORDS, Attempts, Counts, Devices, Limits
from dashboard.web.admin.sign_in.calls import SignIn
from dashboard.web.admin.sign_in.checks import CodeCheck, PasswordCheck
from dashboard.web.admin.sign_in.guard import Guard
from dashboard.web.admin.sign_in.pending import PendingSignIns
from dashboard.web.http.identity import Identities
from dashboard.web.http.origins import Origins


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
