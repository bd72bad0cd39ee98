"""What the calls of the profile page answer."""

from typing import Annotated, Literal

from pydantic import Field

from dashboard.languages import LOCALES
from dashboard.web.admin.responses import AdminRole
from dashboard.web.http.schemas import Answer, Milliseconds


class SecondFactorState(Answer):
    """Whether sign-ins need a code, since when, and how many recovery codes are left."""

    enabled: bool
    since: Milliseconds | None
    recovery_codes: int


class Profile(Answer):
    """One's own account."""

    id: int
    name: str
    email: str
    role: AdminRole
    locale: Literal[LOCALES]  # type: ignore[valid-type]
    timezone: str | None
    second_factor: SecondFactorState


class SetUp(Answer):
    """What an authenticator app needs, shown once."""

    secret: Annotated[str, Field(description="Base32.")]
    uri: Annotated[str, Field(description="An `otpauth:` address.")]
    qr_code: Annotated[str, Field(description="The address as a QR code: an SVG as `data:` URL.")]


class RecoveryCodes(Answer):
    """The codes, shown once."""

    recovery_codes: list[str]


class Session(Answer):
    """A session; `browser` and `system` are null where they are not known."""

    id: str
    current: bool
    browser: str | None
    system: str | None
    address: str
    created_at: Milliseconds
    last_used_at: Milliseconds


class Sessions(Answer):
    """The one that was used last first."""

    sessions: list[Session]


class Ended(Answer):
    """How many sessions were ended."""

    ended: int
