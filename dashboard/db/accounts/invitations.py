"""Invitations: links by which people create their own accounts. Each works once."""

import secrets
from typing import NamedTuple

from sqlalchemy import Connection, and_, delete, select, update

from dashboard.db.accounts.sessions import token_hash
from dashboard.db.driver import insert_on
from dashboard.db.models.accounts import invitations

#: 256 random bits.
TOKEN_BYTES = 32
VALID_MS = 7 * 24 * 3_600_000
#: An unused invitation, with its address, is kept this long after it has expired.
KEPT_MS = 30 * 24 * 3_600_000


class Invitation(NamedTuple):
    """An invitation without its token; times in milliseconds. `name` may be empty."""

    id: int
    email: str
    name: str
    role: str
    desks: frozenset[str]
    created_by: int
    created_at: int
    expires_at: int
    used_at: int | None
    withdrawn_at: int | None


class Draft(NamedTuple):
    """The invited person, and the account that they get."""

    email: str
    name: str
    role: str
    desks: frozenset[str]


_COLUMNS = tuple(invitations.c[name] for name in Invitation._fields)
_NOT_ENDED = and_(invitations.c.used_at.is_(None), invitations.c.withdrawn_at.is_(None))


def create(
    connection: Connection, draft: Draft, admin_id: int, now_ms: int
) -> tuple[Invitation, str]:
    """Saves an invitation, and returns it with its token; only a hash of the token is stored.

    It replaces an older invitation for the same address: the link of that one stops working.
    """
    connection.execute(
        delete(invitations).where(
            invitations.c.used_at.is_(None), invitations.c.expires_at <= now_ms - KEPT_MS
        )
    )
    token = secrets.token_urlsafe(TOKEN_BYTES)
    values = draft._asdict() | {
        "token_hash": token_hash(token),
        "created_by": admin_id,
        "created_at": now_ms,
        "expires_at": now_ms + VALID_MS,
        "used_at": None,
        "withdrawn_at": None,
    }
    saved = (
        insert_on(connection, invitations)
        .values(values)
        .on_conflict_do_update(index_elements=["email"], set_=values)
        .returning(*_COLUMNS)
    )
    return Invitation(*connection.execute(saved).one()), token


def usable(connection: Connection, now_ms: int) -> list[Invitation]:
    """Returns the invitations that can be used now, the newest first."""
    statement = select(*_COLUMNS).where(_NOT_ENDED, invitations.c.expires_at > now_ms)
    newest_first = statement.order_by(invitations.c.created_at.desc(), invitations.c.id.desc())
    return [Invitation(*row) for row in connection.execute(newest_first)]


def by_token(connection: Connection, token: str) -> Invitation | None:
    """Returns the invitation of a link in any state, locked until the transaction ends."""
    statement = select(*_COLUMNS).where(invitations.c.token_hash == token_hash(token))
    row = connection.execute(statement.with_for_update()).first()
    return None if row is None else Invitation(*row)


def mark_used(connection: Connection, invitation_id: int, now_ms: int) -> None:
    connection.execute(
        update(invitations).where(invitations.c.id == invitation_id).values(used_at=now_ms)
    )


def withdraw(connection: Connection, invitation_id: int, now_ms: int) -> Invitation | None:
    """Ends an invitation that can be used, and returns it; None if there is none."""
    statement = (
        update(invitations)
        .where(invitations.c.id == invitation_id, _NOT_ENDED, invitations.c.expires_at > now_ms)
        .values(withdrawn_at=now_ms)
        .returning(*_COLUMNS)
    )
    row = connection.execute(statement).first()
    return None if row is None else Invitation(*row)


def withdraw_of(connection: Connection, admin_id: int, now_ms: int) -> list[Invitation]:
    """Ends the usable invitations that an admin has made, and returns them."""
    statement = (
        update(invitations)
        .where(invitations.c.created_by == admin_id, _NOT_ENDED, invitations.c.expires_at > now_ms)
        .values(withdrawn_at=now_ms)
        .returning(*_COLUMNS)
    )
    return [Invitation(*row) for row in connection.execute(statement)]
