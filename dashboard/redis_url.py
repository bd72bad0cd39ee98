"""Parses the URL of Redis: one server, some nodes of a cluster, or Sentinels with a master."""

import importlib
import re
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import parse_qs, unquote, urlsplit

from dashboard.errors import StartError

Node = tuple[str, int]

_SERVER_SCHEMES = ("redis", "rediss", "unix")
#: Scheme → kind of server, and the default port of a node.
_SCHEMES: dict[str, tuple[Literal["cluster", "sentinel"], int]] = {
    "redis+cluster": ("cluster", 6379),
    "rediss+cluster": ("cluster", 6379),
    "redis+sentinel": ("sentinel", 26379),
    "rediss+sentinel": ("sentinel", 26379),
}
_NAME = "LINEUP_REDIS_URL"
_SENTINEL_OPTIONS = ("sentinel_username", "sentinel_password")
#: Options in the URL's query that redis-py accepts.
_OPTIONS = frozenset(
    {
        *_SENTINEL_OPTIONS,
        "client_name",
        "health_check_interval",
        "max_connections",
        "protocol",
        "socket_connect_timeout",
        "socket_keepalive",
        "socket_timeout",
        "ssl_ca_certs",
        "ssl_ca_path",
        "ssl_cert_reqs",
        "ssl_certfile",
        "ssl_check_hostname",
        "ssl_keyfile",
        "ssl_min_version",
        "ssl_password",
        "timeout",
    }
)

#: Options of one server alone: in other URLs they stand elsewhere.
_OPTIONS_OF_SERVER = frozenset({"db", "username", "password"})


@dataclass(frozen=True)
class RedisAddress:
    """A parsed URL. `options` are for each connection to Redis; host and port are not among them.

    `nodes` are nodes of a cluster, or the Sentinels that watch the master `service`; there are none
    for one server, which redis-py finds by `url`. `sentinel_options` are for Sentinels.
    """

    kind: Literal["server", "cluster", "sentinel"]
    url: str
    nodes: tuple[Node, ...] = ()
    options: dict[str, Any] | None = None
    service: str = ""
    sentinel_options: dict[str, Any] | None = None

    def __str__(self) -> str:
        """Returns the text for logs, without user and password."""
        if self.kind == "server":
            return "one Redis server"
        nodes = ", ".join(f"{host}:{port}" for host, port in self.nodes)
        if self.kind == "cluster":
            return f"the Redis Cluster at {nodes}"
        return f"the Redis master “{self.service}” of the Sentinels at {nodes}"


def redis_address(url: str) -> RedisAddress:
    """Parses the URL. Raises StartError naming the part that is wrong."""
    if url.partition("://")[0].lower() in _SCHEMES:
        return _of_several(url)
    try:
        parts = urlsplit(url)
        # Read here, because a port that is not a number raises only when it is read.
        is_known = parts.scheme in _SERVER_SCHEMES and parts.port is not False
    except ValueError:
        is_known = False
    if not is_known:
        raise StartError(
            f"{_NAME} must begin with redis://, rediss:// or unix://, or with redis+cluster://, "
            "redis+sentinel:// or, for TLS, rediss+…://."
        )
    db = parts.path.strip("/")
    if parts.scheme != "unix" and not _is_number(db or "0"):
        raise _no_database(db)
    if parts.query:
        _options(url, parts.query, _OPTIONS - {*_SENTINEL_OPTIONS} | _OPTIONS_OF_SERVER)
    return RedisAddress("server", url)


def _of_several(url: str) -> RedisAddress:
    scheme, _, rest = url.partition("://")
    kind, default_port = _SCHEMES[scheme.lower()]
    # Versions of Python differ in whether a URL may have `[::1]` beside other hosts.
    servers = re.split("[/?#]", rest, maxsplit=1)[0]
    parts = urlsplit(f"{scheme}://host{rest.removeprefix(servers)}")
    credentials, _, hosts = servers.rpartition("@")
    nodes = tuple(_node(text, default_port) for text in hosts.split(","))
    service, db = ("", _cluster_db(parts.path)) if kind == "cluster" else _watched(parts.path)
    plain = parts.scheme.partition("+")[0]
    options = _options(f"{plain}://{credentials}@/{db}?{parts.query}", parts.query)
    sentinel_options = {
        name.removeprefix("sentinel_"): options.pop(name)
        for name in _SENTINEL_OPTIONS
        if name in options
    }
    if kind == "cluster":
        if sentinel_options:
            raise StartError(f"{_NAME}: a cluster has no Sentinels, so no sentinel_… option.")
        options.pop("db", None)
        return RedisAddress(kind, url, nodes, options)
    sentinel_options |= {
        name: value
        for name, value in options.items()
        if name.startswith("ssl") or name == "connection_class"
    }
    return RedisAddress(kind, url, nodes, options, service, sentinel_options)


def _node(text: str, default_port: int) -> Node:
    try:
        parts = urlsplit(f"//{text}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or port == 0 or parts.path or parts.query:
        raise StartError(f"{_NAME}: “{text}” is not a host and port, such as redis-1:7000.")
    return host, port or default_port


def _cluster_db(path: str) -> int:
    if path not in ("", "/", "/0"):
        raise StartError(f"{_NAME}: a cluster has database 0 alone, not “{path[1:]}”.")
    return 0


def _watched(path: str) -> tuple[str, int]:
    """Returns the name of the master, and the number of the database."""
    service, _, db = path.removeprefix("/").partition("/")
    if not service:
        raise StartError(
            f"{_NAME}: the name of the master is missing, as in redis+sentinel://host:26379/NAME/0."
        )
    if not _is_number(db or "0"):
        raise _no_database(db)
    return unquote(service), int(db or "0")


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal()


def _no_database(text: str) -> StartError:
    return StartError(f"{_NAME}: the database must be a whole number, not “{text}”.")


def _options(url: str, query: str, allowed: frozenset[str] = _OPTIONS) -> dict[str, Any]:
    unknown = sorted(parse_qs(query, keep_blank_values=True).keys() - allowed)
    if unknown:
        raise StartError(f"{_NAME}: there is no option “{unknown[0]}”.")
    try:
        # Imported here: a command that needs no Redis starts without redis-py.
        return dict(importlib.import_module("redis.connection").parse_url(url))
    except ValueError as error:
        raise StartError(f"{_NAME}: {error}") from None
