"""All undocumented names of redis-py that Lineup uses: a parser that stops no other green thread.

Before each command redis-py checks whether the connection was closed. With a green `select` all
other green threads run first, which costs a busy process more than the command itself. `Parser`
checks without letting them run.
"""

import logging
import select
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from redis import connection
from redis.exceptions import ConnectionError

log = logging.getLogger(__name__)

#: Names of `redis.connection.DefaultParser`, which redis-py does not document.
PARSER_NAMES = ("on_connect", "can_read")
#: Attributes that `on_connect` sets.
CONNECTED_NAMES = ("_sock", "_reader")

_Default: Any = getattr(connection, "DefaultParser", object)


def parser_options(poll: Callable[[], Any]) -> dict[str, Any]:
    """Returns options of a redis-py connection pool that make it use `Parser`.

    `poll` makes a poll object that blocks the whole process, like the unpatched `select.poll`.
    Returns no options, and logs one warning, if redis-py lacks a name that `Parser` needs.
    """
    missing = [name for name in PARSER_NAMES if not hasattr(_Default, name)]
    if missing:
        _warn_once(*missing)
        return {}
    return {"parser_class": partial(Parser, poll)}


class Parser(_Default):
    """Checks an idle connection with a poll that does not switch to another green thread."""

    #: False after a connection lacked one of the names; from then on redis-py's own check is used.
    is_usable = True

    def __init__(self, poll: Callable[[], Any], socket_read_size: int):
        super().__init__(socket_read_size=socket_read_size)
        self._poll = poll

    def on_connect(self, connection: Any, **options: Any) -> None:
        super().on_connect(connection, **options)
        missing = [name for name in CONNECTED_NAMES if not hasattr(self, name)]
        if Parser.is_usable and not missing and not hasattr(self._reader, "has_data"):
            missing.append("_reader.has_data")
        if Parser.is_usable and missing:
            Parser.is_usable = False
            _warn_once(*missing)

    def can_read(self, timeout: float = 0) -> bool:
        """Whether there is unread data, or the connection was closed. Raises ConnectionError."""
        if not Parser.is_usable or timeout != 0 or hasattr(self._sock, "pending"):
            # A wait must let other threads run; and `poll` does not see data decrypted by TLS.
            return super().can_read(timeout)
        if not self._reader:
            raise ConnectionError("The connection is closed.")
        return self._reader.has_data() or self._is_readable()

    def _is_readable(self) -> bool:
        poll = self._poll()
        poll.register(self._sock.fileno(), select.POLLIN)
        return bool(poll.poll(0))


@cache
def _warn_once(*missing: str) -> None:
    """Logs a warning once, although a process has several connection pools."""
    log.warning(
        "this release of redis-py lacks %s: its own parser is used, which takes more CPU time",
        ", ".join(missing),
    )
