"""Back-channel logout: who is out at the provider is off every screen."""

from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress

from flask import Blueprint, Response, request
from redis.exceptions import RedisError
from sqlalchemy import Connection

from dashboard.db.accounts import admins, oidc_accounts
from dashboard.db.accounts.oidc_accounts import Ended, Signed
from dashboard.db.accounts.sessions import connection_prefix
from dashboard.db.audit import entries
from dashboard.db.audit.entries import PROVIDER, Actor, Target, add
from dashboard.db.database import Database
from dashboard.errors import Problem
from dashboard.oidc.provider import Provider
from dashboard.oidc.refusals import InvalidLogoutToken
from dashboard.presence.service import PresenceService

PATH = "/login/oidc/logout"
_BODY_BYTES = 20 * 1024
_FORM = "application/x-www-form-urlencoded"


class BackChannelLogout:
    """The call that the provider makes, by itself: it has no session and no Origin of ours.

    What it may do is in the token, which the provider has signed, and nowhere else.
    """

    def __init__(
        self,
        provider: Provider,
        database: Database,
        clock: Callable[[], int],
        presence_service: PresenceService,
        invalidate_sessions: Callable[[], object],
    ):
        """`invalidate_sessions()` has the sockets look up their sessions again."""
        self._provider = provider
        self._database = database
        self._clock = clock
        self._presence_service = presence_service
        self._invalidate_sessions = invalidate_sessions

    def logout(self) -> Response:
        """Ends the sessions; sockets of all workers follow within two seconds."""
        request.max_content_length = _BODY_BYTES
        if request.mimetype != _FORM:
            raise Problem(415, "unsupported_media_type", f"Send {_FORM}.")
        tokens = request.form.getlist("logout_token")
        if len(tokens) != 1:
            raise InvalidLogoutToken()
        given = self._provider.logout(tokens[0])
        issuer = self._provider.settings.issuer
        signed = Signed(issuer, given.subject, given.sid, given.issued_at * 1000)
        address = request.remote_addr or ""

        def write(connection: Connection) -> list[Ended]:
            now = self._clock()
            if not oidc_accounts.take_token(connection, given.token_id, signed, now):
                raise InvalidLogoutToken()
            ended = oidc_accounts.end(connection, signed)
            _note(connection, now, address, ended)
            return ended

        ended = self._database.write(write)
        self._invalidate_sessions()
        with suppress(RedisError):
            for admin_id, session in ended:
                self._presence_service.sign_out(admin_id, connection_prefix(session))
        return Response(status=200, headers={"Cache-Control": "no-store"})


def _note(connection: Connection, now: int, address: str, ended: list[Ended]) -> None:
    """One entry of the audit log for each admin."""
    counts: dict[int, int] = defaultdict(int)
    for each in ended:
        counts[each.admin_id] += 1
    for admin_id, count in sorted(counts.items()):
        admin = admins.by_id(connection, admin_id)
        assert admin is not None, "sessions have an admin"
        by, target = Actor(PROVIDER, address=address), Target(admin.id, admin.email)
        add(connection, now, by, entries.SESSIONS_ENDED, target, {"count": count})


def add_route(blueprint: Blueprint, calls: BackChannelLogout) -> None:
    blueprint.add_url_rule(PATH, view_func=calls.logout, methods=["POST"], endpoint="logout")
