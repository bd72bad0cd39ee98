"""Where tests have their temporary files: in memory, if there is room.

Each test with a database makes and deletes hundreds of files. On ext4 a new file must not get the
place of one that was deleted in the last seconds, and looking for another takes 0.6 ms each time.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MEMORY = Path("/dev/shm")
#: Tests leave 1.4 GB in a run of the gate.
ROOM_BYTES = 4 * 2**30


@contextmanager
def in_memory() -> Iterator[dict[str, str]]:
    """The environment variables with which a run of pytest has its temporary files in memory, in a
    folder that is deleted at the end.

    Without room there, or where programs may not run from it, they are those of this process.
    """
    if not _is_fit(MEMORY):
        yield {**os.environ}
        return
    with tempfile.TemporaryDirectory(prefix="lineup-tests-", dir=MEMORY) as folder:
        # PostgreSQL runs as another user, and has its own folder below.
        Path(folder).chmod(0o755)
        yield os.environ | {"TMPDIR": folder}


def _is_fit(folder: Path) -> bool:
    if not os.access(folder, os.W_OK):
        return False
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize >= ROOM_BYTES and not found.f_flag & os.ST_NOEXEC
