"""Settings: read once from the environment; a wrong value is refused with one sentence."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, cast, get_args
from urllib.parse import SplitResult, urlsplit

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from dashboard import IS_CHECKOUT, ROOT
from dashboard.errors import StartError
from dashboard.redis_url import redis_address
from scoring.views import HISTORY_DAYS

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


class CustomerPage(NamedTuple):
    """A page on which the reader of the demo writes as a customer, and the source of its
    threads."""

    url: str
    source: str


class Grant(NamedTuple):
    """The rights that a group gives an admin: a role, and desks."""

    role: str
    desks: frozenset[str]


@dataclass(frozen=True)
class OidcSettings:
    """The provider of accounts, and Lineup's credentials there. The sign-in page shows `name`."""

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
    values = {name: environ[name] for name in (*_TOGETHER, *_OPTIONS) if environ.get(name)}
    if not values:
        return None
    for name in _TOGETHER:
        if name not in values:
            raise StartError(f"{name} is missing: {', '.join(_TOGETHER)} are set together.")
    issuer = _issuer(values["LINEUP_OIDC_ISSUER"])
    return OidcSettings(
        issuer=issuer,
        client_id=values["LINEUP_OIDC_CLIENT_ID"],
        client_secret=values["LINEUP_OIDC_CLIENT_SECRET"],
        groups=parse_groups(values["LINEUP_OIDC_GROUPS"]),
        groups_claim=values.get("LINEUP_OIDC_GROUPS_CLAIM", "groups"),
        scopes=_scopes(values.get("LINEUP_OIDC_SCOPES", "openid email profile")),
        name=_name(values.get("LINEUP_OIDC_NAME", "")) or urlsplit(issuer).hostname or issuer,
    )


def sign_in_mode(environ: Mapping[str, str], oidc: OidcSettings | None) -> SignInMode:
    """Returns "oidc" if passwords are not accepted, else "password". Raises StartError."""
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
    grants: dict[str, Grant] = {}
    for part in filter(None, (piece.strip() for piece in text.split(";"))):
        group, equals, grant = (piece.strip() for piece in part.rpartition("="))
        if not equals or not group:
            raise StartError(f"LINEUP_OIDC_GROUPS must look like “{_EXAMPLE}”; “{part}” does not.")
        if group in grants:
            raise StartError(f"LINEUP_OIDC_GROUPS names the group “{group}” twice.")
        grants[group] = _grant(grant)
    if not grants:
        raise StartError(f"LINEUP_OIDC_GROUPS must look like “{_EXAMPLE}”.")
    return grants


def is_loopback(host: str) -> bool:
    """Whether only programs of this machine reach a server that listens on this host."""
    return host in _LOOPBACK


def is_trustworthy(url: str) -> bool:
    """Whether nobody else reads data sent there: the URL is https, or leads to this machine."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return False
    is_here = parts.scheme == "http" and parts.hostname in _LOOPBACK
    return bool(parts.hostname) and (parts.scheme == "https" or is_here)


def _grant(text: str) -> Grant:
    role, colon, names = (piece.strip() for piece in text.partition(":"))
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


AsyncMode = Literal["eventlet", "gevent"]
LOG_FORMATS = ("text", "json")
AssetMode = Literal["bundle", "source"]
#: The server that is started if no address of one is given.
ServerChoice = Literal["packaged", "machine"]
LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
SECRET_MIN_CHARACTERS = 16
#: Longer than the 60 s for which AWS, nginx and most other proxies keep a connection. If the server
#: closed it first, a request under way would be lost.
KEEPALIVE_SECONDS = 75
#: A hundred years.
HISTORY_DAYS_MAX = 36_500
#: Allowed characters: `{` would break hash tags; `[`, `*` and `?` the patterns of notifications.
KEY_PREFIX_CHARACTERS = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
)
#: A host with or without a port, in lower case; nothing that could end a directive of a policy.
_PICTURE_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?")


def instance_folder(environ: Mapping[str, str]) -> Path:
    """Returns the folder of Lineup's own files: instance/ in LINEUP_HOME, else in the checkout or,
    where Lineup is installed, in the working folder."""
    home = _without_editor_marks(environ).get("LINEUP_HOME") or (
        ROOT if IS_CHECKOUT else Path.cwd()
    )
    return Path(home) / "instance"


@dataclass(frozen=True)
class Settings:
    """All settings, checked. `redis_url` is None for the embedded server, which runs the program
    `redis_server`."""

    instance: Path
    database_url: str
    redis_url: str | None
    redis_server: ServerChoice
    files: Path
    secret_key: str | None
    metrics_token: str | None
    history_days: int
    async_mode: AsyncMode
    assets: AssetMode
    origins: tuple[str, ...]
    key_prefix: str
    presence_ttl_seconds: int
    presence_idle_seconds: int
    picture_hosts: tuple[str, ...]
    trusted_proxies: int
    keepalive_seconds: int
    webhook_private: bool
    log_level: str
    log_format: str
    oidc: OidcSettings | None
    sign_in: SignInMode
    #: Set by the demo alone.
    customer_page: CustomerPage | None = None

    @classmethod
    def from_environment(cls, environ: Mapping[str, str], instance: Path) -> "Settings":
        """Reads every LINEUP_* variable. Raises StartError naming the first one that is wrong."""
        environ = _without_editor_marks(environ)
        default_url = sqlite_url(instance / "lineup.sqlite")
        oidc = oidc_settings(environ)
        return cls(
            instance=instance,
            database_url=_database_url(environ.get("LINEUP_DATABASE_URL") or default_url),
            redis_url=_redis_url(environ.get("LINEUP_REDIS_URL") or None),
            redis_server=cast(
                ServerChoice,
                _one_of(environ, "LINEUP_REDIS_SERVER", "packaged", get_args(ServerChoice)),
            ),
            files=_folder(environ.get("LINEUP_FILES") or str(instance / "files")),
            secret_key=_secret(environ, "LINEUP_SECRET_KEY"),
            metrics_token=_secret(environ, "LINEUP_METRICS_TOKEN"),
            history_days=_integer(
                environ, "LINEUP_HISTORY_DAYS", HISTORY_DAYS, 1, HISTORY_DAYS_MAX
            ),
            async_mode=cast(
                AsyncMode,
                _one_of(environ, "LINEUP_ASYNC_MODE", "eventlet", ("eventlet", "gevent")),
            ),
            assets=cast(
                AssetMode, _one_of(environ, "LINEUP_ASSETS", "bundle", ("bundle", "source"))
            ),
            origins=_origins(environ.get("LINEUP_ORIGINS", "")),
            key_prefix=_key_prefix(environ.get("LINEUP_KEY_PREFIX") or "lineup"),
            presence_ttl_seconds=_integer(environ, "LINEUP_PRESENCE_TTL", 90, 4, 3600),
            presence_idle_seconds=_integer(environ, "LINEUP_PRESENCE_IDLE", 300, 1, 86_400),
            picture_hosts=_picture_hosts(environ.get("LINEUP_PICTURE_HOSTS", "")),
            trusted_proxies=_integer(environ, "LINEUP_TRUSTED_PROXIES", 0, 0, 10),
            keepalive_seconds=_integer(environ, "LINEUP_KEEPALIVE", KEEPALIVE_SECONDS, 1, 3600),
            webhook_private=_integer(environ, "LINEUP_WEBHOOK_PRIVATE", 0, 0, 1) == 1,
            log_level=_one_of(environ, "LINEUP_LOG_LEVEL", "INFO", LOG_LEVELS, fold=str.upper),
            log_format=_one_of(environ, "LINEUP_LOG_FORMAT", "text", LOG_FORMATS),
            oidc=oidc,
            sign_in=sign_in_mode(environ, oidc),
        )


def _without_editor_marks(environ: Mapping[str, str]) -> Mapping[str, str]:
    """Removes the marks that an editor left in the file that the variables come from.

    Such a file may begin with a byte order mark, which then precedes the first name, and its lines
    may end with two characters.
    """
    return {name.removeprefix("\ufeff"): value.rstrip("\r\n") for name, value in environ.items()}


def _one_of(
    environ: Mapping[str, str],
    name: str,
    default: str,
    allowed: tuple[str, ...],
    fold: Callable[[str], str] = str.lower,
) -> str:
    value = fold(environ.get(name) or default)
    if value not in allowed:
        raise StartError(f"{name} must be one of {', '.join(allowed)}, not “{environ[name]}”.")
    return value


def _integer(environ: Mapping[str, str], name: str, default: int, low: int, high: int) -> int:
    text = environ.get(name) or str(default)
    if not (text.isascii() and text.isdigit() and low <= int(text) <= high):
        raise StartError(f"{name} must be a whole number from {low} to {high}, not “{text}”.")
    return int(text)


def sqlite_url(path: Path) -> str:
    """Returns the URL of a database file; the path may hold any character."""
    return URL.create("sqlite", database=str(path)).render_as_string(hide_password=False)


def _database_url(text: str) -> str:
    try:
        url = make_url(text)
    except ArgumentError:
        raise StartError(
            "LINEUP_DATABASE_URL is not a database URL such as "
            "sqlite:////path/lineup.sqlite or postgresql://user@host/name."
        ) from None
    except ValueError:
        # The error quotes what follows the colon: part of the password, if that holds one.
        raise StartError(
            "LINEUP_DATABASE_URL: the port is not a number. In a password, “:”, “/” and “@” are "
            "written as %3A, %2F and %40."
        ) from None
    backend = url.get_backend_name()
    if backend == "postgres" or (backend == "postgresql" and url.drivername == "postgresql"):
        url = url.set(drivername="postgresql+psycopg")
    if backend not in ("sqlite", "postgresql", "postgres"):
        raise StartError(
            f"LINEUP_DATABASE_URL: only SQLite and PostgreSQL are supported, not “{backend}”."
        )
    if url.drivername not in ("sqlite", "sqlite+pysqlite", "postgresql+psycopg"):
        driver = url.drivername.partition("+")[2]
        raise StartError(f"LINEUP_DATABASE_URL: Lineup has its own driver; leave out “+{driver}”.")
    if backend == "sqlite" and url.database in (None, "", ":memory:"):
        raise StartError(
            "LINEUP_DATABASE_URL: SQLite needs a file, because several processes share it."
        )
    return url.render_as_string(hide_password=False)


def _redis_url(text: str | None) -> str | None:
    if text is not None:
        redis_address(text)
    return text


def _folder(text: str) -> Path:
    path = Path(text).absolute()
    try:
        is_other = "\0" in text or (path.exists() and not path.is_dir())
    except OSError as error:
        raise StartError(f"LINEUP_FILES: “{text}” cannot be read: {error.strerror}.") from error
    if is_other:
        raise StartError(f"LINEUP_FILES must be the path of a folder, not “{text}”.")
    return path


def _secret(environ: Mapping[str, str], name: str) -> str | None:
    text = environ.get(name) or None
    if text is not None and len(text) < SECRET_MIN_CHARACTERS:
        raise StartError(f"{name} must have at least {SECRET_MIN_CHARACTERS} characters.")
    return text


def _origins(text: str) -> tuple[str, ...]:
    origins = tuple(part.strip() for part in text.split(",") if part.strip())
    for origin in origins:
        parts = _parts(origin)
        if (
            parts.scheme not in ("http", "https")
            or not parts.hostname
            or "@" in parts.netloc
            or parts.netloc.endswith(":")
            or origin != (f"{parts.scheme}://{parts.netloc}")
        ):
            raise StartError(
                f"LINEUP_ORIGINS must be origins such as https://desk.example, not “{origin}”."
            )
    return origins


def _picture_hosts(text: str) -> tuple[str, ...]:
    hosts = tuple(part.strip().lower() for part in text.split(",") if part.strip())
    for host in hosts:
        if not _PICTURE_HOST.fullmatch(host):
            raise StartError(
                f"LINEUP_PICTURE_HOSTS must be hosts such as cdn.shop.example, not “{host}”."
            )
    return hosts


def _parts(text: str) -> SplitResult:
    """Splits an address into its parts; they are empty if it cannot be read."""
    try:
        parts = urlsplit(text)
        # Read here, because a port that is not a number raises only when it is read.
        _ = parts.port
        return parts
    except ValueError:
        return urlsplit("")


def _key_prefix(text: str) -> str:
    if not set(text) <= KEY_PREFIX_CHARACTERS or len(text) > 64:
        raise StartError(
            f"LINEUP_KEY_PREFIX may have up to 64 of A-Z a-z 0-9 - _ . and not “{text}”."
        )
    return text
