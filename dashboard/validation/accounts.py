"""Names and e-mail addresses of accounts, for commands and requests."""

from typing import Annotated

from pydantic import AfterValidator, WithJsonSchema

from dashboard.errors import quoted
from dashboard.validation.fields import TEXT_PATTERN, check_length, check_line, fault
from dashboard.validation.visible import hides_something

EMAIL_MAX_CHARACTERS = 254
NAME_MAX_CHARACTERS = 128


def is_email(text: str) -> bool:
    """Whether the text is an e-mail address; capital letters count as small ones."""
    name, at, host = text.rpartition("@")
    is_plain = text.isprintable() and not hides_something(text) and " " not in text
    return bool(name and at and host) and is_plain and len(text) <= EMAIL_MAX_CHARACTERS


def is_account_name(text: str) -> bool:
    """Whether the name is one line of characters that others can see."""
    is_shown = text.isprintable() and not hides_something(text)
    return 1 <= len(text.strip()) <= NAME_MAX_CHARACTERS and is_shown


def check_email(text: str) -> str:
    """Returns the address in the form in which it is stored."""
    if not is_email(text.strip()):
        raise fault("unknown_value", f"{quoted(text, 60)} is no e-mail address")
    return text.strip().lower()


def check_account_name(text: str) -> str:
    """Returns the name without blanks around it."""
    name = check_line(check_length(text.strip(), NAME_MAX_CHARACTERS), NAME_MAX_CHARACTERS)
    if not is_account_name(name):
        raise fault("forbidden_character", "holds a character that is not shown")
    return name


Email = Annotated[
    str,
    AfterValidator(check_email),
    WithJsonSchema({"type": "string", "format": "email", "maxLength": EMAIL_MAX_CHARACTERS}),
]
AccountName = Annotated[
    str,
    AfterValidator(check_account_name),
    WithJsonSchema({"type": "string", "maxLength": NAME_MAX_CHARACTERS, "pattern": TEXT_PATTERN}),
]
