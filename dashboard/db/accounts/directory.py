"""Accounts as supervisors see them: the enabled and the disabled, with what they may see."""

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
    """An account as JSON; `desks` are those that are chosen, also where the role sees all."""
    return _described(connection, [admin])[0]


def last_seen(connection: Connection) -> dict[int, int]:
    """When admins were last seen, in milliseconds; who never was is left out.

    Stored when they come and go, and now and then in between: of who is here now it is an
    earlier time.
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
