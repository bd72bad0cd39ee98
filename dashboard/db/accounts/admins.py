"""Admins: accounts that may sign in, and their preferences."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple, TypedDict

from sqlalchemy import Connection, case, insert, select, update
from sqlalchemy.exc import IntegrityError

from dashboard.db.accounts import admin_desks, sessions
from dashboard.db.models.accounts import admins
from dashboard.errors import Problem
from dashboard.validation.strict_json import JsonObject

ADMIN, SUPERVISOR = ROLES = ("admin", "supervisor")


class AdminName(TypedDict):
    """An admin as rows, messages and acts name one."""

    id: int
    name: str


class Admin(NamedTuple):
    id: int
    email: str
    name: str
    role: str
    disabled_at: int | None = None
    #: Grows with each change of the account.
    changed_at: int = 0


class EmailTaken(Problem):
    def __init__(self) -> None:
        super().__init__(409, "email_taken", "There is an admin with this e-mail address already.")


_COLUMNS = tuple(admins.c[name] for name in Admin._fields)


def create(
    connection: Connection,
    email: str,
    name: str,
    role: str,
    password_hash: str,
    now: int,
    at_desks: Collection[str] = (admin_desks.MAIN,),
) -> int:
    """Adds an admin of these desks, and returns the id. Raises EmailTaken."""
    values = {
        "email": canonical_email(email),
        "name": name,
        "role": role,
        "password_hash": password_hash,
        "created_at": now,
        "changed_at": now,
    }
    try:
        with connection.begin_nested():
            result = connection.execute(insert(admins).values(values).returning(admins.c.id))
            admin_id = result.scalar_one()
    except IntegrityError:
        raise EmailTaken() from None
    admin_desks.save(connection, admin_id, at_desks)
    return admin_id


def by_email(connection: Connection, email: str) -> Admin | None:
    return _find(connection, admins.c.email == canonical_email(email))


def by_id(connection: Connection, admin_id: int) -> Admin | None:
    return _find(connection, admins.c.id == admin_id)


def lock(connection: Connection, admin_id: int) -> Admin | None:
    """Reads an admin as `by_id` does; nobody changes the row before the transaction ends."""
    statement = select(*_COLUMNS).where(admins.c.id == admin_id).with_for_update(read=True)
    row = connection.execute(statement).first()
    return None if row is None else Admin(*row)


def lock_for_change(connection: Connection, admin_id: int) -> Admin | None:
    """Locks an admin as `lock` does, for a transaction that changes the admin."""
    statement = select(*_COLUMNS).where(admins.c.id == admin_id).with_for_update(key_share=True)
    row = connection.execute(statement).first()
    return None if row is None else Admin(*row)


def lock_supervisors(connection: Connection) -> set[int]:
    """Locks the enabled supervisors until the transaction ends, and returns their ids."""
    statement = (
        select(admins.c.id)
        .where(admins.c.role == SUPERVISOR, admins.c.disabled_at.is_(None))
        .order_by(admins.c.id)
        .with_for_update(key_share=True)
    )
    return set(connection.scalars(statement))


def ids_of(connection: Connection, emails: Iterable[str]) -> dict[str, int]:
    """Maps e-mail addresses to admin ids; addresses without an admin are left out."""
    addresses = {canonical_email(email): email for email in emails}
    if not addresses:
        return {}
    statement = select(admins.c.email, admins.c.id).where(admins.c.email.in_(addresses))
    return {addresses[email]: id for email, id in connection.execute(statement)}


def listing(connection: Connection) -> list[Admin]:
    """Returns all admins by id, including disabled ones."""
    return [Admin(*row) for row in connection.execute(select(*_COLUMNS).order_by(admins.c.id))]


def credentials(connection: Connection, email: str) -> tuple[int, str] | None:
    """Returns the id and the password hash of the enabled admin with this address, or None."""
    row = connection.execute(
        select(admins.c.id, admins.c.password_hash).where(
            admins.c.email == canonical_email(email), admins.c.disabled_at.is_(None)
        )
    ).first()
    return None if row is None else (row.id, row.password_hash)


def password_hash_of(connection: Connection, admin_id: int, *, alone: bool = False) -> str | None:
    """Returns the password hash of an enabled admin; nobody changes it before the transaction ends.

    `alone`: nobody else holds this lock either, so that no session begins meanwhile.
    """
    statement = select(admins.c.password_hash).where(
        admins.c.id == admin_id, admins.c.disabled_at.is_(None)
    )
    return connection.scalar(statement.with_for_update(read=not alone))


def set_password(
    connection: Connection, admin_id: int, password_hash: str, but: bytes | None = None
) -> list[bytes]:
    """Sets the password, and ends the admin's sessions except the one with the hash `but`; returns
    the hashes of the ended ones."""
    connection.execute(
        update(admins).where(admins.c.id == admin_id).values(password_hash=password_hash)
    )
    return sessions.end_all(connection, admin_id, but)


def set_email(
    connection: Connection, admin_id: int, email: str, now: int, but: bytes | None = None
) -> list[bytes]:
    """Sets the e-mail address, and ends the admin's sessions as `set_password` does. Raises
    EmailTaken."""
    try:
        with connection.begin_nested():
            change(connection, admin_id, {"email": canonical_email(email)}, now)
    except IntegrityError:
        raise EmailTaken() from None
    return sessions.end_all(connection, admin_id, but)


def set_name(connection: Connection, admin_id: int, name: str, now: int) -> None:
    """Sets the name; locks the account also if that stays as it is."""
    at = case((admins.c.name == name, admins.c.changed_at), else_=_later(now))
    statement = update(admins).where(admins.c.id == admin_id)
    connection.execute(statement.values(name=name, changed_at=at))


def disable(connection: Connection, admin_id: int, now: int) -> None:
    """Disables the account and ends all of its sessions."""
    change(connection, admin_id, {"disabled_at": now}, now)
    sessions.end_all(connection, admin_id)


def change(connection: Connection, admin_id: int, values: Mapping[str, Any], now: int) -> None:
    """Sets columns of an account. A larger `changed_at` tells readers that their copy is old."""
    statement = update(admins).where(admins.c.id == admin_id)
    connection.execute(statement.values(**values, changed_at=_later(now)))


def _later(now: int) -> Any:
    return case((admins.c.changed_at < now, now), else_=admins.c.changed_at + 1)


def preferences(connection: Connection, admin_id: int) -> JsonObject:
    """Returns the stored preferences, without preferences that were never set."""
    value = connection.scalar(select(admins.c.preferences).where(admins.c.id == admin_id))
    return dict(value or {})


def save_preferences(connection: Connection, admin_id: int, values: Mapping[str, Any]) -> None:
    connection.execute(
        update(admins).where(admins.c.id == admin_id).values(preferences=dict(values))
    )


def canonical_email(email: str) -> str:
    """Returns the form in which an address is stored and compared."""
    return email.strip().lower()


def _find(connection: Connection, condition: Any) -> Admin | None:
    row = connection.execute(select(*_COLUMNS).where(condition)).first()
    return None if row is None else Admin(*row)
