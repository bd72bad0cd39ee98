"""An admin's own profile, sessions and devices: routes, bodies, answers."""

import re
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from typing import Annotated, Any, Literal, TypeVar

from flask import Response
from pydantic import AfterValidator, Field, StrictBool
from redis.exceptions import RedisError
from sqlalchemy import Connection

from dashboard.db import audit
from dashboard.db.accounts import admins, oidc_accounts, second_factor, sessions
from dashboard.db.accounts.passwords import WeakPassword, require_strong
from dashboard.db.accounts.second_factor import CODE_MAX, Codes
from dashboard.db.accounts.sessions import Identity, connection_prefix
from dashboard.db.audit import Action, Target, add, changes
from dashboard.db.database import Database
from dashboard.db.lists import views
from dashboard.errors import FieldError, Invalid, NotFound
from dashboard.ingest.releases import renew_rows_of
from dashboard.languages import LOCALES
from dashboard.services import Services
from dashboard.validation.accounts import AccountName, Email, Timezone
from dashboard.validation.field_errors import field_error
from dashboard.validation.fields import Strict, check_characters, check_length
from dashboard.web.admin import preferences
from dashboard.web.admin.pages import Pages, describe, keep_for_signed_out
from dashboard.web.admin.preferences import NOT_NULL
from dashboard.web.admin.responses import AdminRole
from dashboard.web.admin.sign_in.checks import Guard, PasswordCheck
from dashboard.web.admin.sign_in.oidc_accounts import require_passwords
from dashboard.web.http.audit import WRONG_CODE, acting
from dashboard.web.http.identity import Unauthorized, current
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import NO_CONTENT, PathParameter, done, route
from dashboard.web.http.schemas import Answer, Milliseconds

_Code = Annotated[str, AfterValidator(lambda text: check_length(check_characters(text), CODE_MAX))]


class ProfileRequest(Strict):
    """An admin's name, and the language and time zone of their pages."""

    name: AccountName
    locale: Annotated[Literal[LOCALES], NOT_NULL]  # type: ignore[valid-type]
    timezone: Timezone | None = Field(description="Null: the browser's time zone.")


class PasswordRequest(Strict):
    """The current password, and the new one."""

    current: str
    password: str


class EmailRequest(Strict):
    """The password, and the new e-mail address."""

    password: str
    email: Email


class SetUpRequest(Strict):
    """The password, required to set up a second factor."""

    password: str


class ConfirmRequest(Strict):
    """The first code that the app shows."""

    code: _Code


class ProvenRequest(Strict):
    """The password, and a code of the second factor."""

    password: str
    code: _Code


class SecondFactorState(Answer):
    """Whether sign-ins need a code, since when, and how many recovery codes are left."""

    enabled: bool
    since: Milliseconds | None
    recovery_codes: int


class Profile(Answer):
    """The admin's own account."""

    id: int
    name: str
    email: str
    role: AdminRole
    locale: Literal[LOCALES]  # type: ignore[valid-type]
    timezone: str | None
    second_factor: SecondFactorState


class SetUp(Answer):
    """The values for an authenticator app, shown once."""

    secret: Annotated[str, Field(description="Base32.")]
    uri: Annotated[str, Field(description="An `otpauth:` address.")]
    qr_code: Annotated[str, Field(description="The address as a QR code: an SVG as `data:` URL.")]


class RecoveryCodes(Answer):
    """The codes, shown once."""

    recovery_codes: list[str]


class Session(Answer):
    """A session; `browser` and `system` are null if they are not known."""

    id: str
    current: bool
    browser: str | None
    system: str | None
    address: str
    created_at: Milliseconds
    last_used_at: Milliseconds


class Sessions(Answer):
    """All sessions, the last used one first."""

    sessions: list[Session]


class Ended(Answer):
    """The number of sessions that were ended."""

    ended: int


def note(
    connection: Connection, now_ms: int, action: Action, details: Mapping[str, Any] | None = None
) -> None:
    """Adds an entry about the signed-in admin, with the same admin as actor."""
    identity = current()
    target = Target(identity.admin_id, identity.email)
    add(connection, now_ms, acting(), action, target, details)


class EndedSessions:
    """Tells presence and sockets of ended sessions. Other workers notice within a second."""

    def __init__(self, services: Services):
        self._presence_service = services.presence_service
        self._invalidate_sessions = services.sockets.invalidate_sessions

    def tell(self, admin_id: int, ended: Collection[bytes]) -> None:
        """Called after the commit; `ended` are hashes of the tokens."""
        if not ended:
            return
        self._invalidate_sessions()
        # While Redis is away, presence ends later, when heartbeats of the sockets stop.
        with suppress(RedisError):
            for session in ended:
                self._presence_service.sign_out(admin_id, connection_prefix(session))


Result = TypeVar("Result")


class WrongCode(Invalid):
    """The code in the body is wrong."""

    def __init__(self) -> None:
        super().__init__(field_error("/code", "wrong_code", "is wrong or already used").errors)


class Proof:
    """Checks passwords and codes; wrong ones count like those of a sign-in."""

    def __init__(self, database: Database, passwords: PasswordCheck, guard: Guard, codes: Codes):
        """`guard` limits the attempts with codes."""
        self._database = database
        self.passwords = passwords
        self._guard = guard
        self._codes = codes

    def require_password(self, password: str, pointer: str) -> str:
        """Returns its hash. Raises Invalid at the pointer if it is wrong, and RateLimitExceeded."""
        require_passwords()
        try:
            return self.passwords.check(current().email, password).password_hash
        except Unauthorized:
            raise _wrong_password(pointer) from None

    def hold_password(self, connection: Connection, password_hash: str, pointer: str) -> None:
        """Locks the account. Raises Invalid if the password was changed meanwhile."""
        saved_hash = admins.password_hash_of(connection, current().admin_id, alone=True)
        if saved_hash != password_hash:
            raise _wrong_password(pointer)

    def write_with_code(self, work: Callable[[Connection], Result]) -> Result:
        """Runs the work, which uses a code, in one transaction; counts it as an attempt.

        Raises WrongCode and RateLimitExceeded.
        """
        attempt = self._guard.begin(current().email)
        try:
            done = self._database.write(work)
        except WrongCode:
            self._guard.failed(attempt, WRONG_CODE)
            raise
        self._guard.succeeded(attempt)
        return done

    def use_code(self, connection: Connection, code: str) -> None:
        """Uses up the code. Raises WrongCode."""
        if self._codes.use(connection, current().admin_id, code) is None:
            raise WrongCode()

    def confirm_code(self, connection: Connection, code: str) -> None:
        """Activates the second factor that was set up. Raises WrongCode."""
        if not self._codes.confirm(connection, current().admin_id, code):
            raise WrongCode()


def _wrong_password(pointer: str) -> Invalid:
    return field_error(pointer, "wrong_password", "is not the password of this account")


#: The order matters: most browsers also name the browsers they descend from.
_BROWSERS = (
    ("Edge", re.compile(r"\bEdg(e|A|iOS)?/")),
    ("Opera", re.compile(r"\bOPR/")),
    ("Samsung Internet", re.compile(r"\bSamsungBrowser/")),
    ("Firefox", re.compile(r"\b(Firefox|FxiOS)/")),
    ("Chrome", re.compile(r"\b(Headless)?(Chrome|CriOS)/")),
    ("Safari", re.compile(r"\bVersion/\S+ (Mobile/\S+ )?Safari/")),
)
_SYSTEMS = (
    ("Windows", re.compile(r"\bWindows\b")),
    ("Android", re.compile(r"\bAndroid\b")),
    ("iOS", re.compile(r"\biP(hone|ad|od)\b")),
    ("macOS", re.compile(r"\bMac OS X\b")),
    ("ChromeOS", re.compile(r"\bCrOS\b")),
    ("Linux", re.compile(r"\bLinux\b")),
)


def browser_of(user_agent: str) -> str | None:
    return _first(_BROWSERS, user_agent)


def system_of(user_agent: str) -> str | None:
    return _first(_SYSTEMS, user_agent)


def _first(patterns: tuple[tuple[str, re.Pattern[str]], ...], user_agent: str) -> str | None:
    return next((name for name, pattern in patterns if pattern.search(user_agent)), None)


_ID = PathParameter(
    {"type": "string", "pattern": "^[0-9a-f]{32}$"}, "0f3ac6b1d2e4958770a1b2c3d4e5f607"
)


class SignOutRequest(Strict):
    """Whether to end the session of this request, too."""

    this_too: StrictBool = False


class SessionsApi:
    """Calls below /admin/api/profile, about the sessions of the signed-in admin."""

    def __init__(self, services: Services):
        self._database = services.database
        self._clock = services.clock
        self._ended = EndedSessions(services)

    @route(
        "GET",
        "/profile/sessions",
        "getSessions",
        summary="List your sessions",
        description="The time of last use is updated at most once a minute.",
        answers=done(Sessions),
    )
    def listing(self) -> Response:
        identity = current()
        with self._database.read() as connection:
            rows = sessions.listing(connection, identity.admin_id, self._clock())
        return json_response(
            {
                "sessions": [
                    {
                        "id": row.id,
                        "current": row.session == identity.session,
                        "browser": browser_of(row.user_agent),
                        "system": system_of(row.user_agent),
                        "address": row.address,
                        "created_at": row.created_at,
                        "last_used_at": row.last_used_at,
                    }
                    for row in rows
                ]
            }
        )

    @route(
        "DELETE",
        "/profile/sessions/{id}",
        "deleteSession",
        summary="End one of your sessions",
        path_parameters={"id": _ID},
        answers=NO_CONTENT,
        problems=(404,),
    )
    def end(self, id: str) -> Response:
        admin_id = current().admin_id

        def write(connection: Connection) -> bytes:
            ended = sessions.end_own(connection, admin_id, id, self._clock())
            if ended is None:
                raise NotFound("There is no such session.")
            note(connection, self._clock(), audit.SESSIONS_ENDED, {"count": 1})
            return ended

        ended = self._database.write(write)
        self._ended.tell(admin_id, [ended])
        return Response(status=204)

    @route(
        "POST",
        "/profile/sign-out-everywhere",
        "postSignOutEverywhere",
        summary="End all of your sessions, with or without this one",
        body=(SignOutRequest,),
        example={"this_too": False},
        answers=done(Ended),
    )
    def sign_out_everywhere(self, body: SignOutRequest) -> Response:
        identity = current()
        session = None if body.this_too else identity.session

        def write(connection: Connection) -> list[bytes]:
            ended = sessions.end_all(connection, identity.admin_id, but=session)
            if ended:
                note(connection, self._clock(), audit.SESSIONS_ENDED, {"count": len(ended)})
            return ended

        ended = self._database.write(write)
        self._ended.tell(identity.admin_id, ended)
        return json_response({"ended": len(ended)})


class ProfileApi:
    """Calls below /admin/api/profile, about the signed-in admin."""

    def __init__(self, services: Services, proof: Proof):
        self._database = services.database
        self._clock = services.clock
        self._pages = Pages(services)
        self._placer = services.placer
        self._proof = proof
        self._ended = EndedSessions(services)

    @route("GET", "/profile", "getProfile", summary="Read your account", answers=done(Profile))
    def read(self) -> Response:
        return json_response(self._described(current()))

    @route(
        "PUT",
        "/profile",
        "putProfile",
        summary="Change your name, language and time zone",
        body=(ProfileRequest,),
        example={"name": "Mai", "locale": "vi", "timezone": "Asia/Ho_Chi_Minh"},
        answers=done(Profile),
    )
    def change(self, body: ProfileRequest) -> Response:
        """Changes the profile. Rows with the admin's name are sent again; a page keeps its zone."""
        identity = current()
        chosen = {"locale": body.locale, "timezone": body.timezone}

        def write(connection: Connection) -> None:
            # This locks the row: of two changes at once the later one keeps what the other has set.
            admins.set_name(connection, identity.admin_id, body.name, self._clock())
            old = preferences.known(admins.preferences(connection, identity.admin_id))
            before = {"name": identity.name} | {name: old.get(name) for name in chosen}
            changed = changes(before, {"name": body.name} | chosen)
            if changed:
                note(connection, self._clock(), audit.ACCOUNT_CHANGED, changed)
            admins.save_preferences(connection, identity.admin_id, preferences.merged(old, chosen))

        self._database.write(write)
        if body.name != identity.name:
            for placements in renew_rows_of(self._database, identity.admin_id, self._clock()):
                self._placer.place(placements)
        described = self._described(identity._replace(name=body.name))
        return keep_for_signed_out(json_response(described), chosen)

    @route(
        "POST",
        "/profile/email",
        "postEmail",
        summary="Change your e-mail address; ends all other sessions",
        body=(EmailRequest,),
        example={"password": "correct horse battery", "email": "mai@example.com"},
        answers=done(Ended),
        problems=(409, 429),
    )
    def set_email(self, body: EmailRequest) -> Response:
        identity = current()
        password_hash = self._proof.require_password(body.password, "/password")

        def write(connection: Connection) -> list[bytes]:
            views.lock_for_addresses(connection)
            self._proof.hold_password(connection, password_hash, "/password")
            changed = changes({"email": identity.email}, {"email": body.email})
            if not changed:
                raise admins.EmailTaken()
            oidc_accounts.require_own_email(connection, identity.admin_id)
            now = self._clock()
            note(connection, now, audit.ACCOUNT_CHANGED, changed)
            ended = admins.set_email(
                connection, identity.admin_id, body.email, now, but=identity.session
            )
            views.follow_addresses(connection, [identity.email, body.email], now)
            return ended

        ended = self._database.write(write)
        self._ended.tell(identity.admin_id, ended)
        return json_response({"ended": len(ended)})

    @route(
        "POST",
        "/profile/password",
        "postPassword",
        summary="Change your password; ends all other sessions",
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
            note(connection, self._clock(), audit.ACCOUNT_PASSWORD_CHANGED)
            return admins.set_password(
                connection, identity.admin_id, new_hash, but=identity.session
            )

        ended = self._database.write(write)
        self._ended.tell(identity.admin_id, ended)
        return json_response({"ended": len(ended)})

    def _described(self, identity: Identity) -> dict[str, object]:
        chosen = self._pages.preferences(identity)
        with self._database.read() as connection:
            factor = second_factor.of(connection, identity.admin_id)
            codes = second_factor.codes_left(connection, identity.admin_id)
        since = None if factor is None else factor.confirmed_at
        return describe(identity) | {
            "locale": chosen["locale"],
            "timezone": chosen["timezone"],
            "second_factor": {
                "enabled": since is not None,
                "since": since,
                "recovery_codes": codes,
            },
        }
