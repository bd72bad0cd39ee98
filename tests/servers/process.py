"""Memory and descriptors of a server process (Linux)."""

import contextlib
import os
from pathlib import Path

#: A state of sockets in /proc/net/tcp, as proc(5) lists its fields.
_LISTENS = "0A"


class Process:
    def __init__(self, pid: int):
        self._folder = Path(f"/proc/{pid}")

    def memory_bytes(self) -> int:
        """Returns resident memory."""
        pages = int((self._folder / "statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def connections(self, port: int) -> int:
        """Returns how many TCP sockets it holds that were accepted on this port."""
        held = set()
        for each in (self._folder / "fd").iterdir():
            with contextlib.suppress(FileNotFoundError):  # closed meanwhile
                held.add(os.readlink(each))
        lines = (self._folder / "net" / "tcp").read_text().splitlines()[1:]
        came = (fields for line in lines if (fields := line.split())[3] != _LISTENS)
        return sum(
            int(fields[1].rpartition(":")[2], 16) == port and f"socket:[{fields[9]}]" in held
            for fields in came
        )

    def descriptors(self) -> int:
        return len(list((self._folder / "fd").iterdir()))
