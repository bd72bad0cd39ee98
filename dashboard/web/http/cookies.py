"""Names of cookies.

Each installation has its own: cookies know no ports, so that two on one host would end each other's
sign-ins.
"""

import hmac
from collections.abc import Iterator, Mapping
from pathlib import Path

from sqlalchemy.engine import make_url

#: Browsers accept this prefix only over TLS and only from this host.
HOST_PREFIX = "__Host-"
#: Cookies of one purpose that are looked at; a browser has one for each Lineup on the host.
_READ_MAX = 16


class CookieNames:
    """The names of the installation with this secret key and this database."""

    def __init__(self, secret_key: str, database_url: str):
        about = f"cookies of {_place(database_url)}".encode()
        self._tag = hmac.digest(secret_key.encode(), about, "sha256").hex()[:8]

    def of(self, base: str, *, host_only: bool = False) -> str:
        """The name that is set; `host_only` on https, for cookies with the path `/`."""
        return f"{HOST_PREFIX if host_only else ''}{base}_{self._tag}"

    def values(
        self, cookies: Mapping[str, str], base: str, *, host_only: bool = False
    ) -> Iterator[str]:
        """The values that may be of this installation, the one under its own name first.

        They are signed, so that others are told apart: by releases before, without a tag, and by
        processes that name the same database by another address.
        """
        prefix, own = (
            f"{HOST_PREFIX if host_only else ''}{base}",
            self.of(base, host_only=host_only),
        )
        names = [name for name in cookies if name == prefix or name.startswith(f"{prefix}_")]
        for name in sorted(names, key=lambda name: name != own)[:_READ_MAX]:
            yield cookies[name]


def _place(database_url: str) -> str:
    """Names the database without the account that opens it."""
    url = make_url(database_url)
    if url.host is None and url.database:
        return str(Path(url.database).resolve())
    return f"{url.host}:{url.port or 5432}/{url.database}"
