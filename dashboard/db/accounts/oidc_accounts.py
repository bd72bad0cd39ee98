"""Accounts of people who sign in at an OpenID Connect provider, and their sessions there."""

import hashlib
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, delete, insert, select, text

from dashboard.db.accounts.admins import Admin
from dashboard.db.driver import insert_on
from dashboard.db.models.accounts import (
    admins,
    oidc_accounts,
    oidc_logouts,
    oidc_sessions,
    sessions,
)
from dashboard.errors import Problem


def admin_of(connection: Connection, issuer: str, subject: str) -> Admin | None:
    """Returns the admin who is bound to this subject, locked until the transaction ends."""
    columns = select(*(admins.c[name] for name in Admin._fields))
    row = connection.execute(_bound(columns, issuer, subject).with_for_update(of=admins)).first()
    return None if row is None else Admin(*row)


def email_of(connection: Connection, issuer: str, subject: str) -> str | None:
    """Returns the address of the admin who is bound to this subject, or None."""
    return connection.scalar(_bound(select(admins.c.email), issuer, subject))


def _bound(columns: Select[Any], issuer: str, subject: str) -> Select[Any]:
    return columns.join(oidc_accounts, oidc_accounts.c.admin_id == admins.c.id).where(
        oidc_accounts.c.issuer == issuer, oidc_accounts.c.subject == subject
    )


def is_bound(connection: Connection, issuer: str | None, admin_id: int) -> bool:
    """Whether the account is bound to a subject at this provider; None: at any provider."""
    statement = select(oidc_accounts.c.subject).where(oidc_accounts.c.admin_id == admin_id)
    if issuer is not None:
        statement = statement.where(oidc_accounts.c.issuer == issuer)
    return connection.execute(statement.limit(1)).first() is not None


def require_own_email(connection: Connection, admin_id: int) -> None:
    """Raises Problem (409) for an account with the address that a provider gives it at each
    sign-in."""
    if is_bound(connection, None, admin_id):
        detail = "The provider with which this account signs in gives it its address."
        raise Problem(409, "provider_account", detail)


def bind(connection: Connection, issuer: str, subject: str, admin_id: int, now_ms: int) -> None:
    """Binds this subject to this account, for all later sign-ins."""
    connection.execute(
        insert(oidc_accounts).values(
            issuer=issuer, subject=subject, admin_id=admin_id, created_at=now_ms
        )
    )


#: The id of a logout token is kept this long; no token is accepted for longer.
KEPT_MS = 30 * 60_000


class Signed(NamedTuple):
    """A sign-in or sign-out: subject, session at the provider, and time of the token (ms)."""

    issuer: str
    subject: str | None
    sid: str | None
    issued_at: int


class Ended(NamedTuple):
    """An ended session, by the hash of its token."""

    admin_id: int
    session: bytes


def note_session(connection: Connection, session: bytes, signed: Signed) -> None:
    """Stores the subject and the provider's session: signing these out ends the new session."""
    connection.execute(
        insert(oidc_sessions).values(
            token_hash=session, issuer=signed.issuer, subject=signed.subject, sid=signed.sid
        )
    )


def is_noted(connection: Connection, session: bytes) -> bool:
    """Whether this session began with a sign-in at a provider."""
    statement = select(oidc_sessions.c.token_hash).where(oidc_sessions.c.token_hash == session)
    return connection.execute(statement).first() is not None


def is_over(connection: Connection, signed: Signed) -> bool:
    """Whether the provider has signed this person out since this sign-in. A sign-out that comes now
    waits until the transaction ends, and then finds the new session."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("LOCK TABLE oidc_logouts IN SHARE MODE"))
    table = oidc_logouts
    statement = select(table.c.token_id_hash).where(
        table.c.issuer == signed.issuer,
        _same(table.c.subject, table.c.sid, signed),
        table.c.issued_at >= signed.issued_at,
    )
    return connection.execute(statement.limit(1)).first() is not None


def take_token(connection: Connection, token_id: str, signed: Signed, now_ms: int) -> bool:
    """Stores a logout token; False if it came before."""
    connection.execute(delete(oidc_logouts).where(oidc_logouts.c.expires_at <= now_ms))
    values = {
        "token_id_hash": hashlib.sha256(f"{signed.issuer} {token_id}".encode()).digest(),
        "expires_at": now_ms + KEPT_MS,
        **signed._asdict(),
    }
    statement = insert_on(connection, oidc_logouts).on_conflict_do_nothing().values(values)
    return connection.execute(statement.returning(oidc_logouts.c.issued_at)).first() is not None


def end(connection: Connection, signed: Signed) -> list[Ended]:
    """Ends the sessions of a provider's session; if `signed` names none, all of its subject."""
    table = oidc_sessions
    theirs = select(table.c.token_hash).where(
        table.c.issuer == signed.issuer, _same(table.c.subject, table.c.sid, signed)
    )
    ended = delete(sessions).where(sessions.c.token_hash.in_(theirs))
    returned = ended.returning(sessions.c.admin_id, sessions.c.token_hash)
    return [Ended(admin_id, bytes(hash)) for admin_id, hash in connection.execute(returned)]


def _same(
    subject: ColumnElement[str], sid: ColumnElement[str], signed: Signed
) -> ColumnElement[bool]:
    """Matches rows of the same session, or of the same subject if either side names no session."""
    if signed.sid is None:
        return subject == signed.subject
    if signed.subject is None:
        return sid == signed.sid
    return (sid == signed.sid) | (sid.is_(None) & (subject == signed.subject))
