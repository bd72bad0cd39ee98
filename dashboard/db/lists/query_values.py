"""Values for fields of queries, proposed while somebody types one."""

from collections import Counter
from collections.abc import Callable, Mapping

from sqlalchemy import Connection, select

from dashboard.db.accounts import desks, sources
from dashboard.db.accounts.admin_desks import Desks
from dashboard.db.models.accounts import admins
from dashboard.db.models.threads import customers, threads
from dashboard.db.threads.thread_tags import tags_in

#: The newest customers, as a source of languages: reading all of them would take too long.
CUSTOMERS = 5_000
#: The newest threads with tags, as a source of tags.
THREADS = 5_000


def addresses(connection: Connection) -> list[str]:
    """Returns the e-mail addresses of all admins who may sign in."""
    enabled = select(admins.c.email).where(admins.c.disabled_at.is_(None))
    return list(connection.scalars(enabled.order_by(admins.c.email)))


def languages(connection: Connection, seen: Desks) -> list[str]:
    """Returns the languages of the newest customers with threads at these desks, the most frequent
    first: `vi` before `vi-vn`. None: of all customers."""
    newest = select(customers.c.locale).order_by(customers.c.id.desc()).limit(CUSTOMERS)
    if seen is not None:
        theirs = threads.c.customer_id == customers.c.id
        newest = newest.where(select(threads.c.id).where(theirs, threads.c.desk.in_(seen)).exists())
    counts: Counter[str] = Counter()
    for locale, count in Counter(connection.scalars(newest)).items():
        if locale is not None:
            tag = locale.lower()
            for name in {tag, tag.partition("-")[0]}:
                counts[name] += count
    return sorted(counts, key=lambda name: (-counts[name], name))


def tags(connection: Connection, seen: Desks) -> list[str]:
    """Returns the tags of the newest tagged threads at these desks, the most frequent first. None:
    at any desk."""
    tagged = select(threads.c.tags).where(threads.c.tags.is_not(None))
    if seen is not None:
        tagged = tagged.where(threads.c.desk.in_(seen))
    newest = connection.scalars(tagged.order_by(threads.c.id.desc()).limit(THREADS))
    counts = Counter(tag for column in newest for tag in tags_in(column))
    return sorted(counts, key=lambda name: (-counts[name], name))


#: Field to the function that reads its values, for an admin who sees the threads at some desks.
BY_FIELD: Mapping[str, Callable[[Connection, Desks], list[str]]] = {
    "assigned": lambda connection, seen: addresses(connection),
    "mentions": lambda connection, seen: addresses(connection),
    "source": lambda connection, seen: sources.names(connection),
    "desk": lambda connection, seen: desks.names(connection),
    "tag": tags,
    "lang": languages,
}
