"""Admins: who may sign in, and how they like their dashboard."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, insert, select, update
from sqlalchemy.exc import IntegrityError

from dashboard.errors import Problem
from dashboard.store import sessions
from dashboard.store.models import admins

ROLES = ("admin", "supervisor")


class Admin(NamedTuple):
    id: int
    email: str
    name: str
    role: str
    disabled_at: int | None = None


class EmailTaken(Problem):
    def __init__(self) -> None:
        super().__init__(409, "email_taken", "There is an admin with this e-mail address already.")


_COLUMNS = tuple(admins.c[name] for name in Admin._fields)


def create(
    connection: Connection, email: str, name: str, role: str, password_hash: str, now: int
) -> int:
    """The id of a new admin. Raises EmailTaken."""
    values = {
        "email": canonical_email(email),
        "name": name,
        "role": role,
        "password_hash": password_hash,
        "created_at": now,
    }
    try:
        with connection.begin_nested():
            made = connection.execute(insert(admins).values(values).returning(admins.c.id))
            return made.scalar_one()
    except IntegrityError:
        raise EmailTaken() from None


def by_email(connection: Connection, email: str) -> Admin | None:
    return _one(connection, admins.c.email == canonical_email(email))


def by_id(connection: Connection, admin_id: int) -> Admin | None:
    return _one(connection, admins.c.id == admin_id)


def listing(connection: Connection) -> list[Admin]:
    """Everybody, the disabled included, in the order in which they came."""
    return [Admin(*row) for row in connection.execute(select(*_COLUMNS).order_by(admins.c.id))]


def credentials(connection: Connection, email: str) -> tuple[int, str] | None:
    """Id and password hash of who may sign in under this address."""
    row = connection.execute(
        select(admins.c.id, admins.c.password_hash).where(
            admins.c.email == canonical_email(email), admins.c.disabled_at.is_(None)
        )
    ).first()
    return None if row is None else (row.id, row.password_hash)


def set_password(connection: Connection, admin_id: int, password_hash: str) -> None:
    """Sets the password and ends all of the admin's sessions."""
    connection.execute(
        update(admins).where(admins.c.id == admin_id).values(password_hash=password_hash)
    )
    sessions.end_all(connection, admin_id)


def disable(connection: Connection, admin_id: int, now: int) -> None:
    """No more signing in, and all of the admin's sessions are over."""
    connection.execute(update(admins).where(admins.c.id == admin_id).values(disabled_at=now))
    sessions.end_all(connection, admin_id)


def preferences(connection: Connection, admin_id: int) -> dict[str, Any]:
    """What the admin chose; without what was never chosen."""
    found = connection.scalar(select(admins.c.preferences).where(admins.c.id == admin_id))
    return dict(found or {})


def save_preferences(connection: Connection, admin_id: int, chosen: Mapping[str, Any]) -> None:
    connection.execute(
        update(admins).where(admins.c.id == admin_id).values(preferences=dict(chosen))
    )


def canonical_email(email: str) -> str:
    """One account however the address is typed."""
    return email.strip().lower()


def _one(connection: Connection, condition: Any) -> Admin | None:
    row = connection.execute(select(*_COLUMNS).where(condition)).first()
    return None if row is None else Admin(*row)
