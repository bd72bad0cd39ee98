"""What a restored database must differ in from what others have seen of its later states.

Redis, browsers and chatbots may hold ids, revisions and positions that were given out after the
backup was made. None of them is given out again.
"""

import secrets

from sqlalchemy import Connection, delete, inspect, text, update

from dashboard.db import plain_postgres
from dashboard.db.models.accounts import sessions
from dashboard.db.models.outbox import outgoing_head
from dashboard.db.models.sorts import sorts_version
from dashboard.db.models.threads import epochs, threads
from dashboard.db.models.views import views_version

#: More changes than a thread can have had since the backup.
REVISIONS = 2**20
#: More rows than a table can have got since then. Ids stay below 2^53, those of threads have 12
#: digits in Redis.
IDS = 1_000_000_000
IDS_OF_THREADS = 10_000_000


def begin(connection: Connection, now_ms: int) -> None:
    """Begins a new life of a restored database at head, in the transaction that restores it."""
    # Lists in Redis whose epoch is not here are rebuilt, and browsers open them anew.
    connection.execute(delete(epochs))
    # What Redis and browsers hold is older than anything that they get from now on.
    connection.execute(
        update(threads).values(
            revision=threads.c.revision + REVISIONS,
            placed_revision=threads.c.placed_revision + REVISIONS,
        )
    )
    # A chatbot goes on with the cursor of a position that was given out since. Positions
    # grow by one an event, far less than once a millisecond: those of the past are below now.
    position = outgoing_head.c.position
    connection.execute(update(outgoing_head).where(position < now_ms).values(position=now_ms))
    connection.execute(update(views_version).values(version=views_version.c.version + REVISIONS))
    connection.execute(update(sorts_version).values(token=secrets.token_hex(16)))
    # Which sessions were ended since the backup is not known.
    connection.execute(delete(sessions))


def skip_ids(connection: Connection, known: dict[str, int]) -> None:
    """Goes on with ids far above those of the backup; `known`: the last ones of its tables."""
    if connection.dialect.name == "sqlite":
        connection.execute(
            text(
                "UPDATE sqlite_sequence SET seq = seq +"
                " CASE name WHEN 'threads' THEN :threads ELSE :others END"
            ),
            {"threads": IDS_OF_THREADS, "others": IDS},
        )
        return
    for table in inspect(connection).get_table_names():
        columns = [column["name"] for column in inspect(connection).get_columns(table)]
        if plain_postgres.last_id(connection, table, columns) is None:
            continue
        rows = text(f"SELECT max(id) FROM {plain_postgres.quoted(table)}")
        last_id = max(connection.scalar(rows) or 0, known.get(table, 0))
        step = IDS_OF_THREADS if table == "threads" else IDS
        plain_postgres.set_last_id(connection, table, columns, last_id + step)
