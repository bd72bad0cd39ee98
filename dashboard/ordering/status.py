"""Whether the lists in Redis are known to equal SQL, or may be late."""

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class OrderingStatus:
    """Lists count as late from the first failure of Redis until a tick of the reconciler succeeds.

    `clock` gives milliseconds; `late_since`: time of the first failure, None if lists are not late;
    `compared_at`: time of the last tick that succeeded.
    """

    clock: Callable[[], int]
    late_since: int | None = field(default=None, init=False)
    compared_at: int | None = field(default=None, init=False)

    @property
    def late(self) -> bool:
        return self.late_since is not None

    def mark_late(self) -> None:
        if self.late_since is None:
            self.late_since = self.clock()

    def mark_current(self) -> None:
        self.late_since = None
        self.compared_at = self.clock()
