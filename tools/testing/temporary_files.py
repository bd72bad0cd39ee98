"""The temporary files of tests: in memory, if there is room.

Each test with a database makes and deletes hundreds of files. On ext4 a new file must not reuse the
inode of one deleted in the last seconds, and the search for another takes 0.6 ms each time.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MEMORY = Path("/dev/shm")
#: A run of the gate leaves 1.4 GB.
ROOM_BYTES = 4 * 2**30


@contextmanager
def in_memory() -> Iterator[dict[str, str]]:
    """Yields the environment variables for a run of pytest with its temporary files in memory, in a
    folder that is deleted at the end.

    Without room there, or if programs may not run from it, yields the variables of this process.
    """
    if not _is_fit(MEMORY):
        yield {**os.environ}
        return
    with tempfile.TemporaryDirectory(prefix="lineup-tests-", dir=MEMORY) as folder:
        # PostgreSQL runs as another user, and has its own folder inside.
        Path(folder).chmod(0o755)
        yield os.environ | {"TMPDIR": folder}


def _is_fit(folder: Path) -> bool:
    if not os.access(folder, os.W_OK):
        return False
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize >= ROOM_BYTES and not found.f_flag & os.ST_NOEXEC
