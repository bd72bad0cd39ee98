"""The team: names and accounts of admins, assignees of threads, and the threads of an admin."""

from collections.abc import Collection
from typing import TypedDict

from sqlalchemy import Connection, bindparam, case, func, or_, select, true

from dashboard.db.accounts import admin_desks, second_factor
from dashboard.db.accounts.admin_desks import Desks
from dashboard.db.accounts.admins import Admin, AdminName
from dashboard.db.accounts.sources import names_by_source
from dashboard.db.models.accounts import admin_presence, admins, sources
from dashboard.db.models.threads import customers, threads
from dashboard.db.queues import admins as admins_of_queues

_KNOWN = (
    select(customers.c.external_id)
    .where(
        customers.c.source_id
        == select(sources.c.id).where(sources.c.name == bindparam("source")).scalar_subquery(),
        customers.c.external_id.in_(bindparam("names", expanding=True)),
    )
    .where(
        select(threads.c.id)
        .where(
            threads.c.customer_id == customers.c.id,
            threads.c.desk.in_(bindparam("desks", expanding=True)),
            or_(~threads.c.closed, threads.c.closed_at >= bindparam("closed_since")),
        )
        .exists()
    )
)


class Member(AdminName):
    """An enabled admin."""

    role: str


class NewestThread(TypedDict):
    """A customer's name and picture, and the id of their newest thread."""

    name: str | None
    avatar_url: str | None
    thread_id: int | None


class Account(AdminName):
    """An account; `desks` are the chosen ones, even if the role sees all. `capacity`: up to how
    many threads queues give the admin more. Times in ms."""

    email: str
    role: str
    disabled_at: int | None
    changed_at: int
    desks: list[str]
    second_factor: bool
    capacity: int


def names(connection: Connection, ids: Collection[int]) -> dict[int, str]:
    """Maps admin ids to names; unknown ids are left out."""
    if not ids:
        return {}
    rows = connection.execute(select(admins.c.id, admins.c.name).where(admins.c.id.in_(ids)))
    return {row.id: row.name for row in rows}


def members(connection: Connection) -> list[Member]:
    """Returns all enabled admins, by name."""
    rows = connection.execute(
        select(admins.c.id, admins.c.name, admins.c.role)
        .where(admins.c.disabled_at.is_(None))
        .order_by(func.lower(admins.c.name), admins.c.id)
    )
    return [{"id": row.id, "name": row.name, "role": row.role} for row in rows]


def assignee_of(connection: Connection, thread_id: int) -> tuple[int, str] | None:
    """Returns id and name of a thread's assignee, or None."""
    row = connection.execute(
        select(admins.c.id, admins.c.name)
        .join_from(threads, admins, admins.c.id == threads.c.assignee_id)
        .where(threads.c.id == thread_id)
    ).first()
    return None if row is None else (row.id, row.name)


def open_threads(
    connection: Connection, admin_ids: Collection[int], desks: Collection[str]
) -> dict[int, int]:
    """Counts the open threads, not snoozed, that each admin has at these desks, by admin id. Admins
    without a thread on a list are left out."""
    counts = ~threads.c.closed & threads.c.snoozed_until.is_(None) & threads.c.desk.in_(desks)
    rows = connection.execute(
        # With `closed` as a condition, SQLite would use its index to read all open threads.
        select(threads.c.assignee_id, func.count(case((counts, 1))))
        .where(threads.c.assignee_id.in_(admin_ids), threads.c.archived.is_(False))
        .group_by(threads.c.assignee_id)
    )
    return {row[0]: row[1] for row in rows}


def held_threads(connection: Connection, admin_id: int, seen: Desks) -> list[tuple[int, str]]:
    """Returns (id, desk) of the open threads of an admin at these desks, snoozed or not, by id.
    None: at any desk."""
    # Archived threads are closed. An index finds the few others among the threads of years.
    is_open = threads.c.archived.is_(False) & threads.c.closed.is_(False)
    is_theirs = (threads.c.assignee_id == admin_id) & is_open
    statement = select(threads.c.id, threads.c.desk).where(is_theirs).order_by(threads.c.id)
    if seen is not None:
        statement = statement.where(threads.c.desk.in_(seen))
    return [(row.id, row.desk) for row in connection.execute(statement)]


def known_customers(
    connection: Connection, people: Collection[str], desks: Collection[str], closed_since: int
) -> set[str]:
    """Returns the customers (SOURCE/ID) among these with a thread at these desks that is open or
    was closed at `closed_since` (ms since 1970) or later."""
    return {
        f"{source}/{name}"
        for source, names in names_by_source(people).items()
        for name in connection.scalars(
            _KNOWN,
            {"source": source, "names": names, "desks": [*desks], "closed_since": closed_since},
        )
    }


def customers_at(
    connection: Connection, desks: Collection[str], closed_since: int, most: int
) -> list[str]:
    """Returns up to `most` customers, named SOURCE/ID, with a thread as in `known_customers`."""
    ids = (
        select(threads.c.customer_id)
        .distinct()
        .where(threads.c.desk.in_(desks), threads.c.customer_id.is_not(None))
        .where(or_(~threads.c.closed, threads.c.closed_at >= closed_since))
        .limit(most)
        .subquery()
    )
    person = sources.c.name + "/" + customers.c.external_id
    statement = select(person).join_from(ids, customers, customers.c.id == ids.c.customer_id)
    return list(connection.scalars(statement.join(sources, sources.c.id == customers.c.source_id)))


def newest_threads(
    connection: Connection, people: Collection[str], desks: Desks = None
) -> dict[str, NewestThread]:
    """Maps customers (SOURCE/ID) to their newest thread at these desks, without customers who have
    none there. None: at any desk, with all customers."""
    parts = [person.partition("/") for person in people]
    person = sources.c.name + "/" + customers.c.external_id
    is_seen = true() if desks is None else threads.c.desk.in_(desks)
    newest = (
        select(threads.c.id)
        .where(threads.c.customer_id == customers.c.id, is_seen)
        .order_by(threads.c.recent_at.desc(), threads.c.id.desc())
        .limit(1)
        .scalar_subquery()
    )
    rows = connection.execute(
        select(person.label("person"), customers.c.name, customers.c.avatar_url, newest.label("id"))
        .join_from(customers, sources, sources.c.id == customers.c.source_id)
        .where(
            sources.c.name.in_({source for source, _, _ in parts}),
            customers.c.external_id.in_([name for _, _, name in parts]),
        )
    )
    return {
        row.person: {"name": row.name, "avatar_url": row.avatar_url, "thread_id": row.id}
        for row in rows
        if desks is None or row.id is not None
    }


_BY_NAME = (func.lower(admins.c.name), admins.c.id)


def accounts(connection: Connection) -> list[Account]:
    """Returns all accounts, by name."""
    columns = (admins.c[name] for name in Admin._fields)
    rows = connection.execute(select(*columns).order_by(*_BY_NAME))
    return _described(connection, [Admin(*row) for row in rows])


def described(connection: Connection, admin: Admin) -> Account:
    """Returns an account as JSON."""
    return _described(connection, [admin])[0]


def last_seen(connection: Connection) -> dict[int, int]:
    """Returns the time (ms) at which each admin was last seen; admins never seen are left out.

    It is stored when admins come and go, and now and then in between: for an admin who is here now
    the time is older than now.
    """
    rows = connection.execute(
        select(admin_presence.c.admin_id, admin_presence.c.last_seen).where(
            admin_presence.c.last_seen.is_not(None)
        )
    )
    return {row.admin_id: row.last_seen for row in rows}


def _described(connection: Connection, listed: Collection[Admin]) -> list[Account]:
    ids = [admin.id for admin in listed]
    theirs, with_factor = admin_desks.of(connection, ids), second_factor.has(connection, ids)
    capacities = admins_of_queues.capacities(connection, ids)
    return [
        {
            "id": admin.id,
            "email": admin.email,
            "name": admin.name,
            "role": admin.role,
            "disabled_at": admin.disabled_at,
            "changed_at": admin.changed_at,
            "desks": sorted(theirs[admin.id]),
            "second_factor": admin.id in with_factor,
            "capacity": capacities[admin.id],
        }
        for admin in listed
    ]
