"""Values of accounts: which e-mail addresses can be stored."""

import pytest
from pydantic_core import PydanticCustomError

from dashboard.validation.accounts import EMAIL_MAX_CHARACTERS, check_email, is_email


def test_an_address_that_grows_in_small_letters_must_fit_then():
    """O9: İ becomes two characters, and PostgreSQL refuses a text that is too long."""
    host = "@example.com"
    fits = "a" * (EMAIL_MAX_CHARACTERS - len(host) - 2) + "İ" + host
    assert len(check_email(fits)) == EMAIL_MAX_CHARACTERS
    assert not is_email(f"a{fits}")
    with pytest.raises(PydanticCustomError):
        check_email(f"a{fits}")
