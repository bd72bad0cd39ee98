"""Accounts, enabled and disabled, as supervisors see them, with the desks that they may see."""

from collections.abc import Collection
from typing import Any

from sqlalchemy import Connection, func, select

from dashboard.db.accounts import admin_desks
from dashboard.db.accounts.admins import Admin
from dashboard.db.accounts.second_factor import factors
from dashboard.db.models.accounts import admin_presence, admins

_BY_NAME = (func.lower(admins.c.name), admins.c.id)


def accounts(connection: Connection) -> list[dict[str, Any]]:
    """All accounts, by name."""
    columns = (admins.c[name] for name in Admin._fields)
    found = connection.execute(select(*columns).order_by(*_BY_NAME))
    return _described(connection, [Admin(*row) for row in found])


def described(connection: Connection, admin: Admin) -> dict[str, Any]:
    """Returns an account as JSON; `desks` are the chosen ones, even if the role sees all."""
    return _described(connection, [admin])[0]


def last_seen(connection: Connection) -> dict[int, int]:
    """Returns the time (ms) at which each admin was last seen; admins never seen are left out.

    It is stored when admins come and go, and now and then in between: for an admin who is here now
    the time is older than now.
    """
    found = connection.execute(
        select(admin_presence.c.admin_id, admin_presence.c.last_seen).where(
            admin_presence.c.last_seen.is_not(None)
        )
    )
    return {row.admin_id: row.last_seen for row in found}


def _described(connection: Connection, listed: Collection[Admin]) -> list[dict[str, Any]]:
    ids = [admin.id for admin in listed]
    theirs, with_factor = admin_desks.of(connection, ids), factors.has(connection, ids)
    return [
        admin._asdict()
        | {"desks": sorted(theirs[admin.id]), "second_factor": admin.id in with_factor}
        for admin in listed
    ]
