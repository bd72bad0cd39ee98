"""Sign-ins: the cookie holds a random token, the table its SHA-256 alone."""

import hashlib
import secrets
from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import Connection, delete, insert, select, update

from dashboard.store.models import admins, sessions

TOKEN_BYTES = 32
#: A session ends so long after it was last used, and in any case after SESSION_MAX_MS.
SESSION_IDLE_MS = 12 * 3_600_000
SESSION_MAX_MS = 7 * 24 * 3_600_000
#: Its end is moved on only when it would move by so much, to spare a write a request.
_RENEW_AFTER_MS = 600_000


class Identity(NamedTuple):
    """Who is signed in, and under which session."""

    admin_id: int
    email: str
    name: str
    role: str
    session: bytes
    expires_at: int
    created_at: int

    def due_for_renewal(self, now: int) -> bool:
        return renewed_until(self, now) - self.expires_at >= _RENEW_AFTER_MS


def begin(connection: Connection, admin_id: int, now: int) -> str:
    """Begins a session and gives its token: the value of the cookie, kept nowhere else."""
    connection.execute(delete(sessions).where(sessions.c.expires_at <= now))
    token = secrets.token_urlsafe(TOKEN_BYTES)
    connection.execute(
        insert(sessions).values(
            token_hash=token_hash(token),
            admin_id=admin_id,
            created_at=now,
            expires_at=now + SESSION_IDLE_MS,
        )
    )
    return token


def admin_of(connection: Connection, token: str, now: int) -> Identity | None:
    """Who the token stands for; None where it is none of ours, is over, or the admin disabled."""
    row = connection.execute(
        select(
            admins.c.id,
            admins.c.email,
            admins.c.name,
            admins.c.role,
            sessions.c.token_hash,
            sessions.c.expires_at,
            sessions.c.created_at,
        )
        .join(admins, admins.c.id == sessions.c.admin_id)
        .where(
            sessions.c.token_hash == token_hash(token),
            sessions.c.expires_at > now,
            admins.c.disabled_at.is_(None),
        )
    ).first()
    return None if row is None else Identity(*row)


def living(connection: Connection, hashes: Iterable[bytes], now: int) -> set[bytes]:
    """Which of these sessions still stand for an admin who may be there."""
    found = connection.scalars(
        select(sessions.c.token_hash)
        .join(admins, admins.c.id == sessions.c.admin_id)
        .where(
            sessions.c.token_hash.in_(list(hashes)),
            sessions.c.expires_at > now,
            admins.c.disabled_at.is_(None),
        )
    )
    return {bytes(hash) for hash in found}


def renew(connection: Connection, identity: Identity, now: int) -> None:
    """Moves the session's end on, as far as it may."""
    connection.execute(
        update(sessions)
        .where(sessions.c.token_hash == identity.session)
        .values(expires_at=renewed_until(identity, now))
    )


def renewed_until(identity: Identity, now: int) -> int:
    return min(now + SESSION_IDLE_MS, identity.created_at + SESSION_MAX_MS)


def end(connection: Connection, token: str) -> None:
    connection.execute(delete(sessions).where(sessions.c.token_hash == token_hash(token)))


def end_all(connection: Connection, admin_id: int) -> None:
    connection.execute(delete(sessions).where(sessions.c.admin_id == admin_id))


def token_hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
