"""API keys: shown once, stored as hashes, and looked up for each request."""

import hashlib
import hmac
import re
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, insert, select, update

from dashboard.db.database import Database
from dashboard.db.models.accounts import api_keys, sources
from dashboard.errors import StorageUnavailable

SCOPES = ("events", "presence", "read", "reports")
#: The scopes of a new key, unless others are named: a chatbot needs no reports.
USUAL_SCOPES = ("events", "presence", "read")
#: A valid key is cached for this long; a key revoked in another process still works until then.
CACHE_SECONDS = 1.0
CACHED_MAX = 1_000
#: The time of a key's last use is written at most once in this time: a write for each request would
#: cost more than the request.
USE_WRITTEN_MS = 600_000
#: Pause after such a write has failed: each attempt may wait for 2 s.
NOTE_AGAIN_SECONDS = 60.0

_PREFIX_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"
_PREFIX_CHARACTERS = 10
_SECRET_BYTES = 32
_KEY = re.compile(r"lu_([a-z0-9]{10})_([A-Za-z0-9_-]{43})")
#: Replaces a malformed key, so that checking it takes as long as checking a wrong one.
_NO_KEY = ("", "")
_BY_PREFIX = (
    select(
        api_keys.c.id,
        api_keys.c.secret_hash,
        api_keys.c.scopes,
        api_keys.c.rate_per_second,
        api_keys.c.revoked_at,
        api_keys.c.last_used_at,
        sources.c.id,
        sources.c.name,
    )
    .join_from(api_keys, sources, sources.c.id == api_keys.c.source_id)
    .where(api_keys.c.prefix == bindparam("prefix"))
)
_LISTED = select(
    api_keys.c.id,
    api_keys.c.prefix,
    sources.c.name,
    api_keys.c.scopes,
    sources.c.handoff_only,
    sources.c.desk,
    api_keys.c.rate_per_second,
    api_keys.c.created_at,
    api_keys.c.last_used_at,
    api_keys.c.revoked_at,
).join_from(api_keys, sources, sources.c.id == api_keys.c.source_id)


class Caller(NamedTuple):
    """The owner of an API key; `rate_per_second` limits its events, None for no limit."""

    key_id: int
    source_id: int
    source: str
    scopes: frozenset[str]
    rate_per_second: int | None
    last_used_at: int | None = None


class ApiKeyInfo(NamedTuple):
    """An API key without its secret; times in milliseconds.

    `handoff_only` and `desk` belong to its source; `last_used_at` is up to 10 minutes old.
    """

    id: int
    prefix: str
    source: str
    scopes: tuple[str, ...]
    handoff_only: bool
    desk: str
    rate_per_second: int | None
    created_at: int
    last_used_at: int | None
    revoked_at: int | None


class NewKey(NamedTuple):
    """A key that was just made; it cannot be read again."""

    id: int
    key: str


def create(
    connection: Connection,
    source_id: int,
    scopes: Collection[str],
    rate_per_second: int | None,
    now_ms: int,
) -> str:
    """Adds a key to a source and returns it; only its hash is stored."""
    return add(connection, source_id, scopes, rate_per_second, now_ms).key


def add(
    connection: Connection,
    source_id: int,
    scopes: Collection[str],
    rate_per_second: int | None,
    now_ms: int,
) -> NewKey:
    """Adds a key as `create` does, and also returns the id of its row."""
    prefix = "".join(secrets.choice(_PREFIX_ALPHABET) for _ in range(_PREFIX_CHARACTERS))
    secret = secrets.token_urlsafe(_SECRET_BYTES)
    statement = (
        insert(api_keys)
        .values(
            source_id=source_id,
            prefix=prefix,
            secret_hash=_hash(secret),
            scopes=sorted(scopes),
            rate_per_second=rate_per_second,
            created_at=now_ms,
        )
        .returning(api_keys.c.id)
    )
    return NewKey(connection.execute(statement).scalar_one(), f"lu_{prefix}_{secret}")


def listing(connection: Connection) -> list[ApiKeyInfo]:
    """Returns all keys, the oldest first."""
    return [_info(row) for row in connection.execute(_LISTED.order_by(api_keys.c.id))]


def find(connection: Connection, key: str) -> ApiKeyInfo | None:
    """Finds a key by its prefix or its full text; None for an unknown one."""
    row = connection.execute(_LISTED.where(api_keys.c.prefix == prefix_of(key))).first()
    return None if row is None else _info(row)


def by_id(connection: Connection, key_id: int) -> ApiKeyInfo | None:
    """Finds a key by the id of its row; None for an unknown one."""
    row = connection.execute(_LISTED.where(api_keys.c.id == key_id)).first()
    return None if row is None else _info(row)


def revoke(connection: Connection, key: str, now_ms: int) -> bool:
    """Revokes a key, given by its prefix or in full. False for an unknown key."""
    where = api_keys.c.prefix == prefix_of(key)
    if connection.scalar(select(api_keys.c.id).where(where)) is None:
        return False
    connection.execute(
        update(api_keys).where(where, api_keys.c.revoked_at.is_(None)).values(revoked_at=now_ms)
    )
    return True


def prefix_of(key: str) -> str:
    """Returns the public prefix of a key. Given a prefix, returns it unchanged."""
    match = _KEY.fullmatch(key)
    return match[1] if match else key


def mark_used(connection: Connection, key_id: int, now_ms: int) -> None:
    connection.execute(update(api_keys).where(api_keys.c.id == key_id).values(last_used_at=now_ms))


def authenticate(connection: Connection, key: str) -> Caller | None:
    """Returns the owner of a key; None for a malformed, unknown, wrong or revoked one."""
    match = _KEY.fullmatch(key)
    prefix, secret = match.groups() if match else _NO_KEY
    row = connection.execute(_BY_PREFIX, {"prefix": prefix}).first()
    if not hmac.compare_digest(_hash(secret), bytes(row[1]) if row else _hash("")) or row is None:
        return None
    key_id, _, scopes, rate_per_second, revoked_at, last_used_at, source_id, source = row
    if revoked_at is not None:
        return None
    return Caller(key_id, source_id, source, frozenset(scopes), rate_per_second, last_used_at)


class KeyRing:
    """Authenticates keys, caches the valid ones, and records when they are used."""

    def __init__(
        self,
        database: Database,
        clock: Callable[[], int],
        monotonic: Callable[[], float] = time.monotonic,
    ):
        """`clock` gives milliseconds since 1970, `monotonic` seconds."""
        self._database = database
        self._clock = clock
        self._monotonic = monotonic
        self._cached: OrderedDict[bytes, tuple[float, Caller]] = OrderedDict()
        self._next_note = float("-inf")

    def caller(self, key: str) -> Caller | None:
        """Returns the owner of a valid key, else None. Raises StorageUnavailable."""
        digest, now = _hash(key), self._monotonic()
        until, caller = self._cached.get(digest, (0.0, None))
        if caller is not None and now < until:
            return caller
        with self._database.read() as connection:
            caller = authenticate(connection, key)
        self._cache(digest, caller, now)
        if caller is not None:
            self._note_use(caller)
        return caller

    def _note_use(self, caller: Caller) -> None:
        """Records the time of use. If the write fails, the request goes on without it."""
        at_ms, now = self._clock(), self._monotonic()
        if at_ms - (caller.last_used_at or 0) < USE_WRITTEN_MS or now < self._next_note:
            return
        try:
            self._database.write(lambda connection: mark_used(connection, caller.key_id, at_ms))
        except StorageUnavailable:
            self._next_note = now + NOTE_AGAIN_SECONDS

    def _cache(self, digest: bytes, caller: Caller | None, now: float) -> None:
        self._cached.pop(digest, None)
        if caller is None:
            return
        self._cached[digest] = (now + CACHE_SECONDS, caller)
        if len(self._cached) > CACHED_MAX:
            self._cached.popitem(last=False)


def _info(row: Any) -> ApiKeyInfo:
    return ApiKeyInfo._make(row)._replace(scopes=tuple(row.scopes))


def _hash(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()
