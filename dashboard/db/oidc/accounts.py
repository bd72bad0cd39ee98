"""Accounts of people whom a provider has let in: found, and kept as the provider says."""

from sqlalchemy import Connection, insert, select

from dashboard.db.accounts.admins import Admin
from dashboard.db.models.accounts import admins
from dashboard.db.models.oidc import oidc_accounts


def admin_of(connection: Connection, issuer: str, subject: str) -> Admin | None:
    """The admin who is bound to this subject, locked until the end."""
    bound = (
        select(*(admins.c[name] for name in Admin._fields))
        .join(oidc_accounts, oidc_accounts.c.admin_id == admins.c.id)
        .where(oidc_accounts.c.issuer == issuer, oidc_accounts.c.subject == subject)
        .with_for_update(of=admins)
    )
    row = connection.execute(bound).first()
    return None if row is None else Admin(*row)


def is_bound(connection: Connection, issuer: str, admin_id: int) -> bool:
    """Whether the account belongs to somebody at this provider."""
    found = select(oidc_accounts.c.subject).where(
        oidc_accounts.c.issuer == issuer, oidc_accounts.c.admin_id == admin_id
    )
    return connection.execute(found.limit(1)).first() is not None


def bind(connection: Connection, issuer: str, subject: str, admin_id: int, now_ms: int) -> None:
    """From now on this subject signs in to this account."""
    connection.execute(
        insert(oidc_accounts).values(
            issuer=issuer, subject=subject, admin_id=admin_id, created_at=now_ms
        )
    )
