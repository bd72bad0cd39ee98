"""File descriptors: how many are left for connections, and one that is kept for a refusal."""

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
        """A connection with this number or a higher one is refused."""
        limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        return limit - min(_KEPT_MAX, limit // _KEPT_SHARE)

    def are_left(self) -> bool:
        """Whether another connection could be taken."""
        try:
            probe = os.open(os.devnull, os.O_RDONLY)
        except OSError:
            return False
        os.close(probe)
        return probe < self.first_kept

    def free_reserve(self) -> bool:
        """Gives back the reserve for one connection; False where it is gone already."""
        if self._reserve is None:
            return False
        os.close(self._reserve)
        self._reserve = None
        return True

    def keep_reserve(self) -> None:
        """Takes the reserve again, if it can be had."""
        if self._reserve is None:
            with suppress(OSError):
                self._reserve = os.open(os.devnull, os.O_RDONLY)


def raise_limit() -> None:
    """Each dashboard takes a descriptor, and the usual soft limit is 1,024."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
