"""The sessions of one admin, as the admin sees them; what names them is not their token."""

import hashlib
from typing import NamedTuple

from sqlalchemy import Connection, delete, select

from dashboard.db.models.accounts import sessions


class OwnSession(NamedTuple):
    """`session` is the hash of its token; times in milliseconds."""

    session: bytes
    created_at: int
    last_used_at: int
    address: str
    user_agent: str

    @property
    def id(self) -> str:
        """Names the session to its admin: neither the token nor its hash can be found from it."""
        return hashlib.sha256(b"session " + self.session).hexdigest()[:32]


def listing(connection: Connection, admin_id: int, now_ms: int) -> list[OwnSession]:
    """Those that are valid, the one that was used last first."""
    found = connection.execute(
        select(
            sessions.c.token_hash,
            sessions.c.created_at,
            sessions.c.last_used_at,
            sessions.c.address,
            sessions.c.user_agent,
        ).where(sessions.c.admin_id == admin_id, sessions.c.expires_at > now_ms)
    )
    held = [
        OwnSession(bytes(session), began, used or began, address or "", user_agent or "")
        for session, began, used, address, user_agent in found
    ]
    return sorted(held, key=lambda each: (-each.last_used_at, -each.created_at, each.id))


def end(connection: Connection, admin_id: int, id: str, now_ms: int) -> bytes | None:
    """Ends the session of the admin with this id; its hash, or None where there is none."""
    for each in listing(connection, admin_id, now_ms):
        if each.id == id:
            connection.execute(delete(sessions).where(sessions.c.token_hash == each.session))
            return each.session
    return None
