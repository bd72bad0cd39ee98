"""The second factors of admins in SQL: set up, confirmed, used and removed."""

from collections.abc import Collection
from typing import NamedTuple

from sqlalchemy import Connection, delete, insert, select, update

from dashboard.db.accounts import admins, sessions
from dashboard.db.accounts.second_factor import recovery
from dashboard.db.models.accounts import second_factors


class Factor(NamedTuple):
    """A second factor: `secret` is encrypted; without `confirmed_at` it is not active yet."""

    secret: str
    confirmed_at: int | None
    last_step: int


_COLUMNS = tuple(second_factors.c[name] for name in Factor._fields)


def has(connection: Connection, admin_ids: Collection[int]) -> set[int]:
    """Returns the ids of those admins who sign in with a second factor."""
    found = select(second_factors.c.admin_id).where(
        second_factors.c.admin_id.in_(admin_ids), second_factors.c.confirmed_at.is_not(None)
    )
    return set(connection.scalars(found))


def of(connection: Connection, admin_id: int) -> Factor | None:
    """Returns the factor of an admin, confirmed or not."""
    row = connection.execute(select(*_COLUMNS).where(second_factors.c.admin_id == admin_id)).first()
    return None if row is None else Factor(*row)


def begin(connection: Connection, admin_id: int, sealed: str, now_ms: int) -> bool:
    """Stores a secret to be confirmed; it replaces one that was never confirmed.

    False if the admin has a confirmed one, which stays. The caller holds the lock of the admin.
    """
    mine = second_factors.c.admin_id == admin_id
    connection.execute(delete(second_factors).where(mine, second_factors.c.confirmed_at.is_(None)))
    if of(connection, admin_id) is not None:
        return False
    values = {"admin_id": admin_id, "secret": sealed, "created_at": now_ms}
    connection.execute(insert(second_factors).values(values))
    return True


def confirm(connection: Connection, admin_id: int, step: int, now_ms: int) -> bool:
    """Activates the stored secret; False if it is active already, or there is none."""
    confirmed = connection.execute(
        update(second_factors)
        .where(second_factors.c.admin_id == admin_id, second_factors.c.confirmed_at.is_(None))
        .values(confirmed_at=now_ms, last_step=step)
    )
    return confirmed.rowcount == 1


def take_step(connection: Connection, admin_id: int, step: int) -> bool:
    """Records that this step's code was used; False if it, or a later one, was used before.

    Of two uses at the same time one succeeds: the condition and the change are one statement.
    """
    taken = connection.execute(
        update(second_factors)
        .where(
            second_factors.c.admin_id == admin_id,
            second_factors.c.confirmed_at.is_not(None),
            second_factors.c.last_step < step,
        )
        .values(last_step=step)
    )
    return taken.rowcount == 1


def remove(connection: Connection, admin_id: int) -> bool:
    """Removes the factor and the recovery codes; False if no factor was active."""
    had = bool(has(connection, [admin_id]))
    connection.execute(delete(second_factors).where(second_factors.c.admin_id == admin_id))
    recovery.replace(connection, admin_id, ())
    return had


def reset(connection: Connection, admin_id: int) -> tuple[bool, list[bytes]]:
    """Removes the factor of an admin who has lost it, and ends all sessions. Returns whether a
    factor was active, and the hashes of the sessions."""
    # Locked, so that no session begins meanwhile.
    admins.password_hash_of(connection, admin_id, alone=True)
    return remove(connection, admin_id), sessions.end_all(connection, admin_id)
