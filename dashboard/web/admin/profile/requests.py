"""Bodies of the calls of the profile page."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from dashboard.db.accounts.second_factor.codes import CODE_MAX
from dashboard.languages import LOCALES
from dashboard.validation.fields import Strict, check_characters, check_length, check_line, fault
from dashboard.validation.timezones import Timezone
from dashboard.validation.visible import hides_something
from dashboard.web.admin.preferences import NOT_NULL

PERSON_NAME_MAX = 128


def check_person_name(text: str) -> str:
    """The name of an admin, as others see it."""
    name = check_line(text.strip(), PERSON_NAME_MAX)
    if not name.isprintable() or hides_something(name):
        raise fault("forbidden_character", "holds a character that cannot be seen")
    return name


PersonName = Annotated[str, AfterValidator(check_person_name)]
_Code = Annotated[str, AfterValidator(lambda text: check_length(check_characters(text), CODE_MAX))]


class ProfileRequest(Strict):
    """What others see of an admin, and how pages are shown to the admin."""

    name: PersonName
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
