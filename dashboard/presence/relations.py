"""Contacts of viewers: read from SQL, in bulk."""

import time
from collections.abc import Callable, Collection, Sequence

from sqlalchemy import ColumnElement, and_, bindparam, or_, select, union

from dashboard.db.database import Database
from dashboard.db.models.accounts import admin_desks, admins, sources
from dashboard.db.models.threads import customers, events, threads


def _sees(admin_id: ColumnElement[int], desk: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether an admin sees the threads at a desk."""
    return or_(
        select(admins.c.id).where(admins.c.id == admin_id, admins.c.role == "supervisor").exists(),
        select(admin_desks.c.desk)
        .where(admin_desks.c.admin_id == admin_id, admin_desks.c.desk == desk)
        .exists(),
    )


_ADMIN = bindparam("admin", type_=threads.c.assignee_id.type)
_PERSON = sources.c.name + "/" + customers.c.external_id
#: Customers with a thread that the admin sees and is assigned to or has answered.
_THEIR_CUSTOMERS = (
    select(_PERSON)
    .distinct()
    .join_from(customers, sources, sources.c.id == customers.c.source_id)
    .join(threads, threads.c.customer_id == customers.c.id)
    .where(
        sources.c.name.in_(bindparam("sources", expanding=True)),
        customers.c.external_id.in_(bindparam("names", expanding=True)),
        _sees(_ADMIN, threads.c.desk),
        or_(
            threads.c.assignee_id == _ADMIN,
            select(events.c.id)
            .where(
                events.c.thread_id == threads.c.id,
                events.c.author_id == _ADMIN,
                events.c.role == "admin",
                events.c.private.is_(False),
            )
            .exists(),
        ),
    )
)
_THEIR_THREADS = (
    select(threads.c.id, threads.c.assignee_id, threads.c.desk)
    .join(customers, customers.c.id == threads.c.customer_id)
    .join(sources, sources.c.id == customers.c.source_id)
    .where(sources.c.name == bindparam("source"), customers.c.external_id == bindparam("name"))
    .cte("theirs")
)
#: Admins who are assigned to one of the customer's threads or have answered one, and see it.
_THEIR_ADMINS = union(
    select(_THEIR_THREADS.c.assignee_id.label("id")).where(
        and_(
            _THEIR_THREADS.c.assignee_id.is_not(None),
            _sees(_THEIR_THREADS.c.assignee_id, _THEIR_THREADS.c.desk),
        )
    ),
    select(events.c.author_id)
    .join(_THEIR_THREADS, _THEIR_THREADS.c.id == events.c.thread_id)
    .where(
        events.c.role == "admin",
        events.c.private.is_(False),
        events.c.author_id.is_not(None),
        _sees(events.c.author_id, _THEIR_THREADS.c.desk),
    ),
)
#: Cache lifetime of a customer's contacts, in seconds, and how many customers are cached.
_CACHE_SECONDS = 2.0
_CACHE_SIZE = 1_000


class Relations:
    """Contacts of admins; a viewer id that is no admin's has none. Raises StorageUnavailable."""

    def __init__(self, database: Database, monotonic: Callable[[], float] = time.monotonic):
        self._database = database
        self._monotonic = monotonic
        self._contacts: dict[str, tuple[float, frozenset[int]]] = {}

    def of_admins(self, viewer_id: str, people: Sequence[str]) -> Collection[str]:
        """Returns all of them for an admin: admins are contacts of each other."""
        return people if viewer_id.isdigit() else ()

    def of_customers(self, viewer_id: str, people: Sequence[str]) -> Collection[str]:
        """Returns the customers with a thread that the admin is assigned to or has answered."""
        if not viewer_id.isdigit():
            return ()
        named = [person.partition("/") for person in people]
        given = {
            "sources": list({source for source, _, _ in named}),
            "names": [name for _, _, name in named],
            "admin": int(viewer_id),
        }
        with self._database.read() as connection:
            found = set(connection.scalars(_THEIR_CUSTOMERS, given))
        return found.intersection(people)

    def contacts_of(self, person: str) -> frozenset[int]:
        """Returns ids of the admins who are contacts of this customer; cached for 2 s."""
        now = self._monotonic()
        until, found = self._contacts.get(person, (now, frozenset()))
        if now >= until:
            source, _, name = person.partition("/")
            with self._database.read() as connection:
                found = frozenset(
                    connection.scalars(_THEIR_ADMINS, {"source": source, "name": name})
                )
            if len(self._contacts) >= _CACHE_SIZE:
                self._contacts.clear()
            self._contacts[person] = now + _CACHE_SECONDS, found
        return found
