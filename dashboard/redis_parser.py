"""What reads Redis's answers under green threads: looks at an idle connection without waiting."""

import select
from collections.abc import Callable
from typing import Any

from redis.connection import DefaultParser
from redis.exceptions import ConnectionError


class Parser(DefaultParser):  # type: ignore[misc, valid-type]
    """`poll` makes a poll that stops the whole process, as `select.poll` does unpatched.

    Before each command redis-py looks whether the connection has been closed meanwhile. A green
    look lets all other threads run first, which costs a busy process more than the command.
    """

    def __init__(self, poll: Callable[[], Any], socket_read_size: int):
        super().__init__(socket_read_size=socket_read_size)
        self._poll = poll

    def can_read(self, timeout: float = 0) -> bool:
        if timeout != 0 or hasattr(self._sock, "pending"):
            # To wait is to let others run; and TLS keeps what it has read to itself.
            return super().can_read(timeout)
        if not self._reader:
            raise ConnectionError("The connection is closed.")
        return self._reader.has_data() or self._is_readable()

    def _is_readable(self) -> bool:
        poll = self._poll()
        poll.register(self._sock.fileno(), select.POLLIN)
        return bool(poll.poll(0))
