"""Bodies of the calls of the profile page."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from dashboard.db.accounts.second_factor.codes import CODE_MAX
from dashboard.languages import LOCALES
from dashboard.validation.accounts import AccountName
from dashboard.validation.fields import Strict, check_characters, check_length
from dashboard.validation.timezones import Timezone
from dashboard.web.admin.preferences import NOT_NULL

_Code = Annotated[str, AfterValidator(lambda text: check_length(check_characters(text), CODE_MAX))]


class ProfileRequest(Strict):
    """What others see of an admin, and how pages are shown to the admin."""

    name: AccountName
    locale: Annotated[Literal[LOCALES], NOT_NULL]  # type: ignore[valid-type]
    timezone: Timezone | None = Field(description="Null: that of the browser.")


class PasswordRequest(Strict):
    """The password that there is, and the new one."""

    current: str
    password: str


class SetUpRequest(Strict):
    """The password, to set up a second factor."""

    password: str


class ConfirmRequest(Strict):
    """The first code that the app shows."""

    code: _Code


class ProvenRequest(Strict):
    """The password, and a code of the second factor."""

    password: str
    code: _Code
