"""Names of cookies.

Each installation has its own names: cookies ignore ports, so two installations on one host would
end each other's sign-ins.
"""

import hmac
from collections.abc import Iterator, Mapping
from pathlib import Path

from sqlalchemy.engine import make_url

#: Browsers accept this prefix only over TLS and only from this host.
HOST_PREFIX = "__Host-"
#: Most cookies of one purpose that are read; a browser has one for each Lineup on the host.
_READ_MAX = 16


class CookieNames:
    """The cookie names of the installation with this secret key and this database."""

    def __init__(self, secret_key: str, database_url: str):
        about = f"cookies of {_place(database_url)}".encode()
        self._tag = hmac.digest(secret_key.encode(), about, "sha256").hex()[:8]

    def of(self, base: str, *, host_only: bool = False) -> str:
        """Returns the name to set; `host_only` on https, for cookies with the path `/`."""
        return f"{HOST_PREFIX if host_only else ''}{base}_{self._tag}"

    def values(
        self, cookies: Mapping[str, str], base: str, *, host_only: bool = False
    ) -> Iterator[str]:
        """Yields values that may belong to this installation, the one under its own name first.

        They are signed, so foreign ones are detected. Other names are read because older releases
        set no tag, and because processes may name one database by different addresses.
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
