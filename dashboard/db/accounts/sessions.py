"""Sessions of admins: the cookie holds a random token, the table only its SHA-256."""

import hashlib
import secrets
from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from dashboard.db.accounts import admin_desks
from dashboard.db.accounts.admin_desks import Desks
from dashboard.db.models.accounts import admins, sessions

TOKEN_BYTES = 32
#: A session ends this long after its last use, and at the latest after SESSION_MAX_MS.
SESSION_IDLE_MS = 12 * 3_600_000
SESSION_MAX_MS = 7 * 24 * 3_600_000
#: Least time between two records of use, which also extend a session: few requests should write.
_RENEW_AFTER_MS = 60_000
_ADDRESS_MAX = 64
_USER_AGENT_MAX = 300


#: Runs at each call of a supervisor's socket. It is built once: that takes longer than running it.
_VALID = (
    select(sessions.c.token_hash, admins.c.id, admins.c.role)
    .join(admins, admins.c.id == sessions.c.admin_id)
    .where(
        sessions.c.token_hash.in_(bindparam("hashes", expanding=True)),
        sessions.c.expires_at > bindparam("now"),
        admins.c.disabled_at.is_(None),
    )
)


class Origin(NamedTuple):
    """The origin of a session: IP address, and the browser's user agent."""

    address: str = ""
    user_agent: str = ""


NOWHERE = Origin()


class Identity(NamedTuple):
    """The signed-in admin and the session; times in milliseconds.

    The admin sees the threads of `desks`; None: all threads.
    """

    admin_id: int
    email: str
    name: str
    role: str
    session: bytes
    expires_at: int
    created_at: int
    last_used_at: int | None
    desks: Desks = frozenset()

    def due_for_renewal(self, now: int) -> bool:
        """Whether this use of the session should be recorded."""
        return self.last_used_at is None or now - self.last_used_at >= _RENEW_AFTER_MS


class Rights(NamedTuple):
    """The role of an admin, and the desks that the admin sees; None: all threads."""

    role: str
    desks: Desks = None


def begin(connection: Connection, admin_id: int, now: int, origin: Origin = NOWHERE) -> str:
    """Starts a session and returns its token, the value of the cookie; only its hash is stored."""
    connection.execute(delete(sessions).where(sessions.c.expires_at <= now))
    token = secrets.token_urlsafe(TOKEN_BYTES)
    connection.execute(
        insert(sessions).values(
            token_hash=token_hash(token),
            admin_id=admin_id,
            created_at=now,
            expires_at=now + SESSION_IDLE_MS,
            last_used_at=now,
            address=origin.address[:_ADDRESS_MAX],
            user_agent=origin.user_agent[:_USER_AGENT_MAX],
        )
    )
    return token


def admin_of(connection: Connection, token: str, now: int) -> Identity | None:
    """Returns the admin of a session; None for an unknown or expired token, or a disabled admin."""
    row = connection.execute(
        select(
            admins.c.id,
            admins.c.email,
            admins.c.name,
            admins.c.role,
            sessions.c.token_hash,
            sessions.c.expires_at,
            sessions.c.created_at,
            sessions.c.last_used_at,
        )
        .join(admins, admins.c.id == sessions.c.admin_id)
        .where(
            sessions.c.token_hash == token_hash(token),
            sessions.c.expires_at > now,
            admins.c.disabled_at.is_(None),
        )
    ).first()
    if row is None:
        return None
    return Identity(*row, admin_desks.seen_by(connection, {row.id: row.role})[row.id])


def valid(connection: Connection, hashes: Iterable[bytes], now: int) -> dict[bytes, Rights]:
    """Maps the token hashes of valid sessions of enabled admins to the rights of the admin."""
    rows = connection.execute(_VALID, {"hashes": list(hashes), "now": now}).all()
    seen = admin_desks.seen_by(connection, {row.id: row.role for row in rows})
    return {bytes(row.token_hash): Rights(row.role, seen[row.id]) for row in rows}


def renew(connection: Connection, identity: Identity, now: int) -> None:
    """Records a use of a session, and extends it within SESSION_MAX_MS.

    If several requests come together, one of them changes the row.
    """
    connection.execute(
        update(sessions)
        .where(
            sessions.c.token_hash == identity.session,
            sessions.c.last_used_at.is_not_distinct_from(identity.last_used_at),
        )
        .values(expires_at=renewed_until(identity, now), last_used_at=now)
    )


def renewed_until(identity: Identity, now: int) -> int:
    return min(now + SESSION_IDLE_MS, identity.created_at + SESSION_MAX_MS)


def end(connection: Connection, token: str) -> None:
    connection.execute(delete(sessions).where(sessions.c.token_hash == token_hash(token)))


def end_all(connection: Connection, admin_id: int, but: bytes | None = None) -> list[bytes]:
    """Ends all sessions of an admin, except the one with the hash `but`. Returns the hashes of the
    ended ones."""
    theirs = sessions.c.admin_id == admin_id
    if but is not None:
        theirs &= sessions.c.token_hash != but
    statement = delete(sessions).where(theirs).returning(sessions.c.token_hash)
    return [bytes(hash) for hash in connection.scalars(statement)]


def token_hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def connection_prefix(session: bytes) -> str:
    """Returns the prefix that all presence connections of a session have in their ids."""
    return f"{session.hex()[:16]}."


class OwnSession(NamedTuple):
    """A session as its admin sees it. `session` is its token's hash; times in milliseconds."""

    session: bytes
    created_at: int
    last_used_at: int
    address: str
    user_agent: str

    @property
    def id(self) -> str:
        """The id that the admin sees: neither the token nor its hash can be derived from it."""
        return hashlib.sha256(b"session " + self.session).hexdigest()[:32]


def listing(connection: Connection, admin_id: int, now_ms: int) -> list[OwnSession]:
    """Returns the valid sessions of an admin, the last used first."""
    rows = connection.execute(
        select(
            sessions.c.token_hash,
            sessions.c.created_at,
            sessions.c.last_used_at,
            sessions.c.address,
            sessions.c.user_agent,
        ).where(sessions.c.admin_id == admin_id, sessions.c.expires_at > now_ms)
    )
    own_sessions = [
        OwnSession(bytes(session), began, used or began, address or "", user_agent or "")
        for session, began, used, address, user_agent in rows
    ]
    return sorted(own_sessions, key=lambda own: (-own.last_used_at, -own.created_at, own.id))


def end_own(connection: Connection, admin_id: int, id: str, now_ms: int) -> bytes | None:
    """Ends the admin's session with this id. Returns its hash, or None if there is none."""
    for own in listing(connection, admin_id, now_ms):
        if own.id == id:
            connection.execute(delete(sessions).where(sessions.c.token_hash == own.session))
            return own.session
    return None
