"""The person who signs in, as the provider describes them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from dashboard.validation.accounts import NAME_MAX_CHARACTERS, is_account_name, is_email

_GROUPS_MAX = 2_000


class Person(NamedTuple):
    """A person let in by the provider.

    `email` is "" if the provider does not vouch for one. `sid` names the session at the provider;
    `issued_at` is the time of its ID token, in seconds.
    """

    subject: str
    email: str
    name: str
    groups: tuple[str, ...]
    sid: str | None
    issued_at: int


def person_of(claims: Mapping[str, Any], groups_claim: str) -> Person:
    """Returns the person named by checked claims: those of an ID token and of user info."""
    email = _email(claims)
    return Person(
        claims["sub"],
        email,
        _name(claims, email),
        _groups(claims.get(groups_claim)),
        claims.get("sid"),
        max(0, int(claims["iat"])),
    )


def _email(claims: Mapping[str, Any]) -> str:
    email = claims.get("email")
    is_vouched_for = claims.get("email_verified") in (True, "true")
    if not (is_vouched_for and isinstance(email, str)):
        return ""
    email = email.strip().lower()
    return email if is_email(email) else ""


def _name(claims: Mapping[str, Any], email: str) -> str:
    """Returns the first name that can be shown; every person has one."""
    for given in (claims.get("name"), claims.get("preferred_username"), email.partition("@")[0]):
        whole = " ".join(given.split()) if isinstance(given, str) else ""
        name = whole[:NAME_MAX_CHARACTERS].strip()
        if is_account_name(name):
            return name
    return claims["sub"][:NAME_MAX_CHARACTERS]


def _groups(given: object) -> tuple[str, ...]:
    """Returns a list of names; some providers send a single name without a list."""
    listed = [given] if isinstance(given, str) else given
    if not isinstance(listed, list):
        return ()
    return tuple(each for each in listed[:_GROUPS_MAX] if isinstance(each, str))
