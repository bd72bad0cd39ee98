"""Settings of sign-in by OpenID Connect: the provider, and the rights of its groups here."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from dashboard.errors import StartError

SignInMode = Literal["password", "oidc"]
#: Variables that belong together: none of them is set, or all are.
_TOGETHER = (
    "LINEUP_OIDC_ISSUER",
    "LINEUP_OIDC_CLIENT_ID",
    "LINEUP_OIDC_CLIENT_SECRET",
    "LINEUP_OIDC_GROUPS",
)
_OPTIONS = ("LINEUP_OIDC_GROUPS_CLAIM", "LINEUP_OIDC_SCOPES", "LINEUP_OIDC_NAME")
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_DESK = re.compile(r"[a-z0-9-]{1,32}")
_NAME_MAX = 40
#: The longest issuer that the tables hold.
_ISSUER_MAX = 255
_EXAMPLE = "support=admin:main,sales; leads=supervisor"


class Grant(NamedTuple):
    """The rights of an admin: a role, and the desks to which they belong."""

    role: str
    desks: frozenset[str]


@dataclass(frozen=True)
class OidcSettings:
    """The provider, and the client that Lineup is there. `name` is shown on the sign-in page."""

    issuer: str
    client_id: str
    client_secret: str
    groups: Mapping[str, Grant]
    groups_claim: str
    scopes: str
    name: str

    def granted(self, groups: Collection[str]) -> Grant | None:
        """Returns the strongest role and all desks of these groups; None if none is listed."""
        grants = [self.groups[group] for group in groups if group in self.groups]
        if not grants:
            return None
        is_supervisor = any(grant.role == "supervisor" for grant in grants)
        desks = frozenset[str]().union(*(grant.desks for grant in grants))
        return Grant("supervisor" if is_supervisor else "admin", desks)


def oidc_settings(environ: Mapping[str, str]) -> OidcSettings | None:
    """Reads the settings; None if there are none. Raises StartError naming the first wrong one."""
    given = {name: environ[name] for name in (*_TOGETHER, *_OPTIONS) if environ.get(name)}
    if not given:
        return None
    for name in _TOGETHER:
        if name not in given:
            raise StartError(f"{name} is missing: {', '.join(_TOGETHER)} are set together.")
    issuer = _issuer(given["LINEUP_OIDC_ISSUER"])
    return OidcSettings(
        issuer=issuer,
        client_id=given["LINEUP_OIDC_CLIENT_ID"],
        client_secret=given["LINEUP_OIDC_CLIENT_SECRET"],
        groups=parse_groups(given["LINEUP_OIDC_GROUPS"]),
        groups_claim=given.get("LINEUP_OIDC_GROUPS_CLAIM", "groups"),
        scopes=_scopes(given.get("LINEUP_OIDC_SCOPES", "openid email profile")),
        name=_name(given.get("LINEUP_OIDC_NAME", "")) or urlsplit(issuer).hostname or issuer,
    )


def sign_in_mode(environ: Mapping[str, str], oidc: OidcSettings | None) -> SignInMode:
    """Returns whether passwords are accepted. Raises StartError."""
    text = environ.get("LINEUP_SIGNIN") or "password"
    if text == "password":
        return "password"
    if text != "oidc":
        raise StartError(f"LINEUP_SIGNIN must be one of password, oidc, not “{text}”.")
    if oidc is None:
        raise StartError(f"LINEUP_SIGNIN=oidc needs {', '.join(_TOGETHER)}.")
    return "oidc"


def parse_groups(text: str) -> dict[str, Grant]:
    """Parses `GROUP=ROLE[:DESK,…]; …` into the rights of each group. Raises StartError.

    A group with the role `admin` and no desks gets the desk `main`.
    """
    found: dict[str, Grant] = {}
    for part in filter(None, (each.strip() for each in text.split(";"))):
        group, equals, grant = (each.strip() for each in part.rpartition("="))
        if not equals or not group:
            raise StartError(f"LINEUP_OIDC_GROUPS must look like “{_EXAMPLE}”; “{part}” does not.")
        if group in found:
            raise StartError(f"LINEUP_OIDC_GROUPS names the group “{group}” twice.")
        found[group] = _grant(grant)
    if not found:
        raise StartError(f"LINEUP_OIDC_GROUPS must look like “{_EXAMPLE}”.")
    return found


def is_trustworthy(url: str) -> bool:
    """Whether nobody else reads data sent there: the URL is https, or leads to this machine."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return False
    is_loopback = parts.scheme == "http" and parts.hostname in _LOOPBACK
    return bool(parts.hostname) and (parts.scheme == "https" or is_loopback)


def _grant(text: str) -> Grant:
    role, colon, names = (each.strip() for each in text.partition(":"))
    if role not in ("admin", "supervisor"):
        raise StartError(
            f"LINEUP_OIDC_GROUPS: a role is admin or supervisor, not “{role}”, as in “{_EXAMPLE}”."
        )
    desks = frozenset(name.strip() for name in names.split(",")) if colon else frozenset()
    for name in sorted(desks):
        if not _DESK.fullmatch(name):
            raise StartError(f"LINEUP_OIDC_GROUPS: “{name}” cannot be the name of a desk.")
    return Grant(role, desks or frozenset({"main"} if role == "admin" else ()))


def _issuer(text: str) -> str:
    parts = urlsplit(text) if is_trustworthy(text) else None
    is_plain = parts is not None and not (parts.query or parts.fragment or "@" in parts.netloc)
    if not is_plain or len(text) > _ISSUER_MAX:
        raise StartError(
            "LINEUP_OIDC_ISSUER must be the https address that the provider calls its issuer, "
            f"not “{text}”."
        )
    return text


def _scopes(text: str) -> str:
    scopes = text.split()
    if "openid" not in scopes:
        raise StartError("LINEUP_OIDC_SCOPES must hold openid.")
    return " ".join(scopes)


def _name(text: str) -> str:
    if not text.isprintable() or len(text) > _NAME_MAX:
        raise StartError(f"LINEUP_OIDC_NAME must have up to {_NAME_MAX} printable characters.")
    return text
