"""Desks: threads stand at them, and admins work at them."""

from collections import defaultdict
from collections.abc import Collection, Mapping

from sqlalchemy import Connection, delete, func, insert, select

from dashboard.db.driver import insert_on
from dashboard.db.models.accounts import admin_desks, admins, desks

#: The desk that always exists.
MAIN = "main"


def names(connection: Connection) -> list[str]:
    """Returns the names of all desks, `main` first."""
    rows = connection.scalars(select(desks.c.name).order_by(desks.c.name))
    return sorted(rows, key=lambda name: name != MAIN)


def unknown(connection: Connection, desk_names: Collection[str]) -> set[str]:
    """Returns the names that belong to no desk."""
    if not desk_names:
        return set()
    known_names = connection.scalars(select(desks.c.name).where(desks.c.name.in_(desk_names)))
    return set(desk_names) - set(known_names)


def add(connection: Connection, name: str, now_ms: int) -> bool:
    """Adds a desk; False if the name is taken."""
    row = {"name": name, "created_at": now_ms}
    statement = insert_on(connection, desks).on_conflict_do_nothing()
    return connection.execute(statement.values(row)).rowcount > 0


def accounts(connection: Connection) -> dict[str, int]:
    """Returns the number of accounts that belong to each desk; disabled ones do not count."""
    statement = (
        select(admin_desks.c.desk, func.count().label("accounts"))
        .join(admins, admins.c.id == admin_desks.c.admin_id)
        .where(admins.c.disabled_at.is_(None))
        .group_by(admin_desks.c.desk)
    )
    return {row.desk: row.accounts for row in connection.execute(statement)}


#: The desks with the threads that an admin sees; None: every thread, at any desk.
Desks = frozenset[str] | None


def sees(seen: Desks, desk: str) -> bool:
    """Whether an admin with access to these desks sees a thread at that desk."""
    return seen is None or desk in seen


def seen_by(
    connection: Connection,
    roles: Mapping[int, str],
    theirs: Mapping[int, frozenset[str]] | None = None,
) -> dict[int, Desks]:
    """Maps admin ids to the desks that each admin sees. `roles`: admin id to role; `theirs`: the
    desks to which they belong, if these were read.

    None for supervisors, and for admins who belong to all desks.
    """
    by_admin: dict[int, Desks] = dict.fromkeys(roles)
    admin_ids = [id for id, role in roles.items() if role != "supervisor"]
    if admin_ids:
        all_desks = frozenset(names(connection))
        theirs = of(connection, admin_ids) if theirs is None else theirs
        for id in admin_ids:
            by_admin[id] = None if theirs[id] >= all_desks else theirs[id]
    return by_admin


def is_seen_by(connection: Connection, desk: str, admin_id: int, role: str) -> bool:
    """Whether an admin of this role sees the threads at a desk."""
    return sees(seen_by(connection, {admin_id: role})[admin_id], desk)


def of(connection: Connection, admin_ids: Collection[int]) -> dict[int, frozenset[str]]:
    """Returns the desks that admins belong to, by admin id."""
    theirs: dict[int, set[str]] = defaultdict(set)
    columns = (admin_desks.c.admin_id, admin_desks.c.desk)
    for id, desk in connection.execute(
        select(*columns).where(admin_desks.c.admin_id.in_(admin_ids))
    ):
        theirs[id].add(desk)
    return {id: frozenset(theirs[id]) for id in admin_ids}


def save(connection: Connection, admin_id: int, names: Collection[str]) -> None:
    """Sets the desks that an admin belongs to. The caller has checked that the desks exist."""
    connection.execute(delete(admin_desks).where(admin_desks.c.admin_id == admin_id))
    if names:
        rows = [{"admin_id": admin_id, "desk": name} for name in sorted(set(names))]
        connection.execute(insert(admin_desks), rows)
