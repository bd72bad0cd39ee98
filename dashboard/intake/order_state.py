"""Whether the order in Redis is known to be right, or late."""

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class OrderState:
    """Late from the first trouble with Redis until everything was found placed again."""

    clock: Callable[[], int]
    late_since: int | None = field(default=None, init=False)

    @property
    def late(self) -> bool:
        return self.late_since is not None

    def mark_late(self) -> None:
        if self.late_since is None:
            self.late_since = self.clock()

    def mark_right(self) -> None:
        self.late_since = None
