"""Sessions that were ended: their sockets and their presence end, too."""

from collections.abc import Callable, Collection
from contextlib import suppress

from redis.exceptions import RedisError

from dashboard.db.accounts.sessions import connection_prefix
from dashboard.presence.service import PresenceService


class EndedSessions:
    """Tells what depends on sessions. Other workers see within a second that they are over."""

    def __init__(
        self, presence_service: PresenceService, invalidate_sessions: Callable[[], object]
    ):
        """`invalidate_sessions()` has the sockets look up their sessions again."""
        self._presence_service = presence_service
        self._invalidate_sessions = invalidate_sessions

    def tell(self, admin_id: int, ended: Collection[bytes]) -> None:
        """After the commit; `ended` are hashes of the tokens."""
        if not ended:
            return
        self._invalidate_sessions()
        # While Redis is away nobody is shown as present, and their heartbeats end by themselves.
        with suppress(RedisError):
            for session in ended:
                self._presence_service.sign_out(admin_id, connection_prefix(session))
