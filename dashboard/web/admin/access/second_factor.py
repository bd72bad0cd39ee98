"""The calls that set up a second factor, make new recovery codes, remove it and reset it."""

from collections.abc import Callable
from typing import Any

import segno
from flask import Response
from sqlalchemy import Connection

from dashboard.db import audit
from dashboard.db.accounts import admins, second_factor, sessions
from dashboard.db.accounts.second_factor import Sealing
from dashboard.db.audit import Target, add
from dashboard.errors import NotFound, Problem
from dashboard.services import Services
from dashboard.web.admin.access.profile import (
    ConfirmRequest,
    EndedSessions,
    Proof,
    ProvenRequest,
    RecoveryCodes,
    SetUp,
    SetUpRequest,
    note,
)
from dashboard.web.admin.requests import EmptyRequest
from dashboard.web.admin.routes import SUPERVISOR
from dashboard.web.http.audit import acting
from dashboard.web.http.identity import current
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import NO_CONTENT, Documented, done, route

#: The common beginning of the paths of these calls.
_PATH = "/profile/second-factor"
_QR_SCALE = 5


class SecondFactorApi:
    """Calls below /admin/api/profile/second-factor, and the reset by supervisors."""

    def __init__(self, services: Services, proof: Proof, sealing: Sealing):
        self._database = services.database
        self._clock = services.clock
        self._proof = proof
        self._sealing = sealing
        self._ended = EndedSessions(services)
        self._offload = services.offload

    @route(
        "POST",
        _PATH,
        "postSecondFactor",
        summary="Set up a second factor, active after confirmation by a code",
        description="Replaces an unconfirmed second factor.",
        body=(SetUpRequest,),
        example={"password": "correct horse battery"},
        answers={201: Documented("Shown once.", (SetUp,))},
        problems=(409, 429),
    )
    def set_up(self, body: SetUpRequest) -> Response:
        identity = current()
        password_hash = self._proof.require_password(body.password, "/password")
        secret = second_factor.new_secret()
        sealed = self._sealing.seal(identity.admin_id, secret)

        def write(connection: Connection) -> None:
            self._proof.hold_password(connection, password_hash, "/password")
            if not second_factor.begin(connection, identity.admin_id, sealed, self._clock()):
                raise Problem(409, "second_factor_on", "There is a second factor already.")

        self._database.write(write)
        uri = second_factor.uri(secret, identity.email)
        picture = self._offload(_qr_code, uri)
        response = json_response({"secret": secret, "uri": uri, "qr_code": picture}, 201)
        return _unstored(response)

    @route(
        "POST",
        f"{_PATH}/confirm",
        "postConfirmSecondFactor",
        summary="Confirm the second factor by its first code; ends all other sessions",
        body=(ConfirmRequest,),
        example={"code": "287082"},
        answers=done(RecoveryCodes),
        problems=(409, 429),
    )
    def confirm(self, body: ConfirmRequest) -> Response:
        identity = current()
        codes = second_factor.new_codes()

        def write(connection: Connection) -> list[bytes]:
            # Locked, so that no session begins with only the password while this is decided.
            admins.password_hash_of(connection, identity.admin_id, alone=True)
            if second_factor.has(connection, [identity.admin_id]):
                raise Problem(409, "second_factor_on", "There is a second factor already.")
            self._proof.confirm_code(connection, body.code)
            second_factor.replace_codes(connection, identity.admin_id, codes)
            note(connection, self._clock(), audit.SECOND_FACTOR_ENABLED)
            return sessions.end_all(connection, identity.admin_id, but=identity.session)

        ended = self._proof.write_with_code(write)
        self._ended.tell(identity.admin_id, ended)
        return _unstored(json_response({"recovery_codes": codes}))

    @route(
        "POST",
        f"{_PATH}/recovery-codes",
        "postRecoveryCodes",
        summary="Create new recovery codes; earlier ones become invalid",
        body=(ProvenRequest,),
        example={"password": "correct horse battery", "code": "287082"},
        answers=done(RecoveryCodes),
        problems=(409, 429),
    )
    def renew_codes(self, body: ProvenRequest) -> Response:
        codes = second_factor.new_codes()

        def write(connection: Connection, admin_id: int) -> None:
            second_factor.replace_codes(connection, admin_id, codes)
            note(connection, self._clock(), audit.RECOVERY_CODES_CREATED)

        self._proven(body, write)
        return _unstored(json_response({"recovery_codes": codes}))

    @route(
        "POST",
        f"{_PATH}/remove",
        "postRemoveSecondFactor",
        summary="Remove the second factor; ends all other sessions",
        body=(ProvenRequest,),
        example={"password": "correct horse battery", "code": "287082"},
        answers=NO_CONTENT,
        problems=(409, 429),
    )
    def remove(self, body: ProvenRequest) -> Response:
        identity = current()

        def write(connection: Connection, admin_id: int) -> list[bytes]:
            second_factor.remove(connection, admin_id)
            note(connection, self._clock(), audit.SECOND_FACTOR_DISABLED)
            return sessions.end_all(connection, admin_id, but=identity.session)

        self._ended.tell(identity.admin_id, self._proven(body, write))
        return Response(status=204)

    @route(
        "POST",
        "/team/{admin_id}/reset-second-factor",
        "postResetSecondFactor",
        scope=SUPERVISOR,
        summary="Remove the second factor of a colleague who has lost it",
        description="Ends all of their sessions. Your own: on the profile page (403 here).",
        body=(EmptyRequest,),
        answers=NO_CONTENT,
    )
    def reset(self, admin_id: int) -> Response:
        if admin_id == current().admin_id:
            raise Problem(403, "forbidden", "Remove your own second factor on your profile.")

        def write(connection: Connection) -> list[bytes]:
            admin = admins.by_id(connection, admin_id)
            if admin is None:
                raise NotFound("There is no such admin.")
            target = Target(admin.id, admin.email)
            add(connection, self._clock(), acting(), audit.SECOND_FACTOR_RESET, target)
            return second_factor.reset(connection, admin_id)[1]

        ended = self._database.write(write)
        self._ended.tell(admin_id, ended)
        return Response(status=204)

    def _proven(self, body: ProvenRequest, work: Callable[[Connection, int], Any]) -> Any:
        """Returns the result of `work`, which runs in the transaction that uses up the code."""
        admin_id = current().admin_id
        password_hash = self._proof.require_password(body.password, "/password")

        def write(connection: Connection) -> Any:
            self._proof.hold_password(connection, password_hash, "/password")
            if not second_factor.has(connection, [admin_id]):
                raise Problem(409, "second_factor_off", "There is no second factor.")
            self._proof.use_code(connection, body.code)
            return work(connection, admin_id)

        return self._proof.write_with_code(write)


def _qr_code(uri: str) -> str:
    """Returns a `data:` URL: an SVG as a picture needs no style and runs no script."""
    return segno.make(uri, error="m").svg_data_uri(scale=_QR_SCALE, light="#fff")


def _unstored(response: Response) -> Response:
    """Forbids caches to keep an answer that is shown once."""
    response.headers["Cache-Control"] = "no-store"
    return response
