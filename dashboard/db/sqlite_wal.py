"""SQLite's write-ahead log (WAL): its checkpoints, beside other work.

A commit that makes a checkpoint waits for the disk twice: up to 400 ms, in which no other green
thread of the process runs.
"""

import os
import sqlite3
from contextlib import closing, suppress

#: Seconds between two checkpoints.
CHECKPOINT_SECONDS = 5.0
#: From this many pages (of 4 KiB) on, the log is restarted. SQLite restarts a shorter one by itself
#: at a checkpoint without a concurrent commit.
RESTART_PAGES = 4_000
#: From this many pages on, a commit makes a checkpoint after all: in a process that makes no
#: others, or while somebody has been reading the log for long.
COMMIT_PAGES = 16_000


def stamp(path: str) -> tuple[int, int] | None:
    """Returns a value that differs after each commit; None if there is no log."""
    with suppress(OSError):
        found = os.stat(f"{path}-wal")
        return found.st_mtime_ns, found.st_size
    return None


def checkpoint(path: str) -> bool:
    """Copies the log of the database at `path` into it; others commit meanwhile. Returns whether
    all of it is copied.

    If the log is long, commits wait while the last pages are copied. Then it is written from its
    beginning, unless somebody reads it. Raises sqlite3.Error.
    """
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as connection:
        _, pages, copied = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        if pages >= RESTART_PAGES:
            connection.execute("PRAGMA wal_checkpoint(RESTART)")
    return bool(pages == copied)


def empty(path: str) -> bool:
    """Copies the log of the database at `path` into it and empties it; False if it is in use.

    Raises sqlite3.Error.
    """
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as connection:
        is_busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not is_busy
