"""File descriptors: how many are left for connections, and one reserved for a refusal."""

import os
import resource
from contextlib import suppress

#: Descriptors that connections may not take: SQL, Redis and webhooks need some.
_KEPT_MAX = 64
_KEPT_SHARE = 8


class Descriptors:
    """The descriptors of this process. The lowest free number tells how many are in use."""

    def __init__(self) -> None:
        self._reserve: int | None = None
        self.keep_reserve()

    @property
    def first_kept(self) -> int:
        """The lowest number with which a connection is refused."""
        limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        return limit - min(_KEPT_MAX, limit // _KEPT_SHARE)

    def are_left(self) -> bool:
        """Whether another connection could be accepted."""
        try:
            probe = os.open(os.devnull, os.O_RDONLY)
        except OSError:
            return False
        os.close(probe)
        return probe < self.first_kept

    def free_reserve(self) -> bool:
        """Frees the reserve for one connection; returns False if it is gone already."""
        if self._reserve is None:
            return False
        os.close(self._reserve)
        self._reserve = None
        return True

    def keep_reserve(self) -> None:
        """Takes the reserve again if possible."""
        if self._reserve is None:
            with suppress(OSError):
                self._reserve = os.open(os.devnull, os.O_RDONLY)


def raise_limit() -> None:
    """Raises the soft limit, usually 1,024: each dashboard takes a descriptor."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
