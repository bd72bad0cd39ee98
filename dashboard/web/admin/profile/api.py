"""The calls of the profile page about name, language, time zone and password."""

from collections.abc import Callable
from typing import Any

from flask import Response
from sqlalchemy import Connection

from dashboard.db.accounts import admins
from dashboard.db.accounts.password_rules import WeakPassword, require_strong
from dashboard.db.accounts.second_factor import factors, recovery
from dashboard.db.accounts.sessions import Identity
from dashboard.db.audit import actions
from dashboard.db.audit.entries import changes
from dashboard.db.database import Database
from dashboard.errors import FieldError, Invalid
from dashboard.ingest.assignment.renames import renew_rows_of
from dashboard.ordering.placer import Placer
from dashboard.web.admin import preferences
from dashboard.web.admin.profile.ended import EndedSessions
from dashboard.web.admin.profile.noted import note
from dashboard.web.admin.profile.proof import Proof
from dashboard.web.admin.profile.requests import PasswordRequest, ProfileRequest
from dashboard.web.admin.profile.responses import Ended, Profile
from dashboard.web.admin.site.pages import Pages, describe, keep_for_signed_out
from dashboard.web.http.identity import current
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import done, route


class ProfileApi:
    """Calls below /admin/api/profile, about the signed-in admin."""

    def __init__(
        self,
        database: Database,
        clock: Callable[[], int],
        pages: Pages,
        placer: Placer,
        proof: Proof,
        ended: EndedSessions,
    ):
        self._database = database
        self._clock = clock
        self._pages = pages
        self._placer = placer
        self._proof = proof
        self._ended = ended

    @route("GET", "/profile", "getProfile", summary="Read one's own account", answers=done(Profile))
    def read(self) -> Response:
        return json_response(self._described(current()))

    @route(
        "PUT",
        "/profile",
        "putProfile",
        summary="Change one's own name, language and time zone",
        body=(ProfileRequest,),
        example={"name": "Mai", "locale": "vi", "timezone": "Asia/Ho_Chi_Minh"},
        answers=done(Profile),
    )
    def change(self, body: ProfileRequest) -> Response:
        """Rows that name the admin are sent anew; a new time zone counts from the next page."""
        identity = current()
        chosen = {"locale": body.locale, "timezone": body.timezone}

        def write(connection: Connection) -> None:
            admins.set_name(connection, identity.admin_id, body.name)
            held = preferences.known(admins.preferences(connection, identity.admin_id))
            before = {"name": identity.name} | {name: held.get(name) for name in chosen}
            changed = changes(before, {"name": body.name} | chosen)
            if changed:
                note(connection, self._clock(), actions.ACCOUNT_CHANGED, changed)
            admins.save_preferences(connection, identity.admin_id, preferences.merged(held, chosen))

        self._database.write(write)
        if body.name != identity.name:
            for placements in renew_rows_of(self._database, identity.admin_id, self._clock()):
                self._placer.place(placements)
        described = self._described(identity._replace(name=body.name))
        return keep_for_signed_out(json_response(described), chosen)

    @route(
        "POST",
        "/profile/password",
        "postPassword",
        summary="Change one's own password; ends all other sessions",
        body=(PasswordRequest,),
        example={"current": "correct horse battery", "password": "staple of a new horse"},
        answers=done(Ended),
        problems=(429,),
    )
    def set_password(self, body: PasswordRequest) -> Response:
        identity = current()
        password_hash = self._proof.require_password(body.current, "/current")
        passwords = self._proof.passwords
        try:
            passwords.offload(require_strong, body.password, identity.email, identity.name)
        except WeakPassword as weak:
            raise Invalid([FieldError("/password", weak.code, weak.detail)]) from None
        new_hash = passwords.hash_of(body.password)

        def write(connection: Connection) -> list[bytes]:
            self._proof.hold_password(connection, password_hash, "/current")
            note(connection, self._clock(), actions.ACCOUNT_PASSWORD_CHANGED)
            return admins.set_password(
                connection, identity.admin_id, new_hash, but=identity.session
            )

        ended = self._database.write(write)
        self._ended.tell(identity.admin_id, ended)
        return json_response({"ended": len(ended)})

    def _described(self, identity: Identity) -> dict[str, Any]:
        chosen = self._pages.preferences(identity)
        with self._database.read() as connection:
            factor = factors.of(connection, identity.admin_id)
            left = recovery.left(connection, identity.admin_id)
        since = None if factor is None else factor.confirmed_at
        return describe(identity) | {
            "locale": chosen["locale"],
            "timezone": chosen["timezone"],
            "second_factor": {
                "enabled": since is not None,
                "since": since,
                "recovery_codes": left,
            },
        }
