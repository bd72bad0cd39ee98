"""The types of values in the lines of an export, besides those of requests."""

import re
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import AfterValidator

from dashboard.db.accounts.sources import NAME as SOURCE_NAME
from dashboard.validation.accounts import is_email
from dashboard.validation.fields import check_characters, check_length, fault

#: Precedes the id of an event of the dashboard; no id of a chatbot's event begins with it.
OF_DASHBOARD = "/"
_REFERENCE = re.compile(r"/?[A-Za-z0-9._:-]{1,256}")


def _checked(good: Callable[[str], object], what: str) -> Any:
    def check(text: str) -> str:
        if not good(text):
            raise fault("unknown_value", f"is no {what}")
        return text

    return Annotated[str, AfterValidator(check)]


SourceName = _checked(SOURCE_NAME.fullmatch, "name of a source")
Email = _checked(is_email, "e-mail address")
Reference = _checked(_REFERENCE.fullmatch, "id of an event")
Address = Annotated[str, AfterValidator(lambda text: check_length(check_characters(text), 2_048))]
