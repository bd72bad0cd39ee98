"""What a server process holds: memory and descriptors (Linux)."""

import os
from pathlib import Path


class Process:
    def __init__(self, pid: int):
        self._folder = Path(f"/proc/{pid}")

    def memory_bytes(self) -> int:
        """Resident memory."""
        pages = int((self._folder / "statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def descriptors(self) -> int:
        return len(list((self._folder / "fd").iterdir()))
