"""SQLite's write-ahead log: copied back into the database beside other work.

Who commits when the log has grown long would copy it, and wait for the disk twice: up to 400 ms, in
which no other green thread of the process runs.
"""

import sqlite3
from contextlib import closing

#: Seconds between two copies.
COPY_SECONDS = 5.0
#: Pages (of 4 KiB) from which the log is begun anew. A shorter one ends where no commit comes while
#: it is copied.
RESTART_PAGES = 4_000
#: Pages from which who commits copies the log after all: a process that copies none, or a log that
#: somebody has been reading for long.
COMMIT_PAGES = 16_000


def copy_back(path: str) -> None:
    """Copies the log of the database at `path`; others commit meanwhile.

    Where the log is long, commits wait while the last pages are copied, after which it is written
    from its beginning, unless somebody reads it. Raises sqlite3.Error.
    """
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as connection:
        _, pages, _ = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        if pages >= RESTART_PAGES:
            connection.execute("PRAGMA wal_checkpoint(RESTART)")
