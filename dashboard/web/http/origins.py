"""The origins and hosts from which browsers may call the dashboard and its sockets."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from ipaddress import ip_address
from typing import Any
from urllib.parse import SplitResult, urlsplit

from dashboard.errors import Problem

_DEFAULT_PORTS = {"http": 80, "https": 443}


class Origins:
    """The allowed origins; by default localhost and 127.0.0.1 at the served port."""

    def __init__(self, origins: Iterable[str], port: int):
        given = tuple(origins) or (f"http://localhost:{port}", f"http://127.0.0.1:{port}")
        allowed = [_without_default_port(origin) for origin in given]
        #: The origin at the beginning of URLs that are given to others.
        self.first = allowed[0]
        self._origins = frozenset(origin.lower() for origin in allowed)
        self._hosts = frozenset(host for origin in self._origins for host in _hosts(origin))
        plain = [origin for origin in self._origins if not origin.startswith("https:")]
        self._https_hosts = self._hosts - {host for origin in plain for host in _hosts(origin)}

    def is_our_host(self, host: str) -> bool:
        return host.lower() in self._hosts

    def is_https(self, environ: Mapping[str, Any]) -> bool:
        """Whether the browser uses TLS, also if a proxy passes the request on without it."""
        is_secure = environ.get("wsgi.url_scheme") == "https"
        return is_secure or environ.get("HTTP_HOST", "").lower() in self._https_hosts

    def check_host(self, environ: Mapping[str, Any]) -> None:
        """Raises 400 for a request under a foreign name: rebound DNS, poisoned links."""
        if not self.is_our_host(environ.get("HTTP_HOST", "")):
            raise Problem(400, "untrusted_host", "This is not the address of this Lineup.")

    def check_origin(self, environ: Mapping[str, Any]) -> None:
        """Raises 403 if a page of another origin, or no page at all, sent the request."""
        # Some programs send the header twice; then each must be ours.
        origins = {origin.strip() for origin in environ.get("HTTP_ORIGIN", "").lower().split(",")}
        if not origins <= self._origins or environ.get("HTTP_SEC_FETCH_SITE") == "cross-site":
            raise Problem(403, "csrf_failed", "The request does not come from a page of Lineup.")


def insecure_origins(origins: Iterable[str]) -> list[str]:
    """Returns the origins that browsers do not trust: plain http not leading to this machine."""
    return [origin for origin in origins if not _is_trusted(urlsplit(origin.lower()))]


def _is_trusted(parts: SplitResult) -> bool:
    host = parts.hostname or ""
    if parts.scheme == "https" or host == "localhost" or host.endswith(".localhost"):
        return True
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return False


def _without_default_port(origin: str) -> str:
    """Returns the origin as browsers send it."""
    return origin.removesuffix(f":{_DEFAULT_PORTS[urlsplit(origin).scheme]}")


def _hosts(origin: str) -> tuple[str, ...]:
    """Returns the host as browsers send it, and the same with the port that they omit."""
    parts = urlsplit(origin)
    if parts.port is not None:
        return (parts.netloc,)
    return parts.netloc, f"{parts.netloc}:{_DEFAULT_PORTS[parts.scheme]}"
