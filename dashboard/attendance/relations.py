"""Who counts whom as a contact: read from SQL, in bulk."""

from collections.abc import Collection, Sequence

from sqlalchemy import bindparam, or_, select

from dashboard.store.database import Database
from dashboard.store.models import customers, events, sources, threads

_PERSON = sources.c.name + "/" + customers.c.external_id
#: Customers one of whose threads the admin is assigned to or has answered.
_THEIR_CUSTOMERS = (
    select(_PERSON)
    .distinct()
    .join_from(customers, sources, sources.c.id == customers.c.source_id)
    .join(threads, threads.c.customer_id == customers.c.id)
    .where(
        sources.c.name.in_(bindparam("sources", expanding=True)),
        customers.c.external_id.in_(bindparam("names", expanding=True)),
        or_(
            threads.c.assignee_id == bindparam("admin"),
            select(events.c.id)
            .where(
                events.c.thread_id == threads.c.id,
                events.c.author_id == bindparam("admin"),
                events.c.role == "admin",
                events.c.private.is_(False),
            )
            .exists(),
        ),
    )
)


class Relations:
    """A viewer's id is an admin's; who is none has no contacts. Raises StorageUnavailable."""

    def __init__(self, database: Database):
        self._database = database

    def of_admins(self, viewer_id: str, people: Sequence[str]) -> Collection[str]:
        """All admins are contacts of each other."""
        return people if viewer_id.isdigit() else ()

    def of_customers(self, viewer_id: str, people: Sequence[str]) -> Collection[str]:
        """Those of the customers with whom the admin has to do."""
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
