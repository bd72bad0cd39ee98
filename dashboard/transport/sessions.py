"""Checks the session behind each socket, and its admin's rights, with few queries."""

from collections.abc import Callable, Iterable, Mapping

from dashboard.db.accounts.sessions import Rights
from dashboard.errors import Problem
from dashboard.transport.caller import Caller
from dashboard.transport.connections import Connection, Connections

#: Seconds a session check is cached; a local sign-out invalidates it immediately.
SESSION_CACHE_SECONDS = 1.0
#: The role with the fewest rights. Checks of others are not cached: a role that was taken away
#: must not work for one more call.
_LEAST_ROLE = "admin"

#: Session hashes -> the rights of those that are valid.
LivingSessions = Callable[[set[bytes]], Mapping[bytes, Rights]]
#: A connection whose admin has other rights now, and its caller with those of before.
OnRights = Callable[[Connection, Caller], object]


class SessionChecks:
    """Checks sessions, all of them in one query: a thousand sockets must not cause a thousand."""

    def __init__(
        self,
        connections: Connections,
        living_sessions: LivingSessions,
        monotonic: Callable[[], float],
        on_rights: OnRights = lambda connection, before: None,
    ):
        """`on_rights` is called where an admin has another role, or sees other desks, than before.

        `living_sessions` raises StorageUnavailable.
        """
        self._connections = connections
        self._living_sessions = living_sessions
        self._monotonic = monotonic
        self._on_rights = on_rights

    def require_valid(self, connection: Connection) -> None:
        """Raises Problem (401) where the session is over, and StorageUnavailable.

        Afterwards the caller of the connection has today's rights.
        """
        now = self._monotonic()
        if now >= connection.session_valid_until:
            self._refresh(now)
        elif connection.caller.role != _LEAST_ROLE and not self._rights([connection]):
            connection.session_valid_until = float("-inf")
        if now >= connection.session_valid_until:
            raise Problem(401, "unauthorized", "The session is over.")

    def invalidate(self) -> None:
        """Makes the next call of each socket check its session again."""
        for connection in self._connections.values():
            connection.session_valid_until = float("-inf")

    def ended(self) -> list[Connection]:
        """The connections whose session is over. Raises StorageUnavailable."""
        connections = [each for each in self._connections.values() if not each.is_leaving]
        rights = self._rights(connections)
        return [connection for connection in connections if connection.session not in rights]

    def _refresh(self, now: float) -> None:
        """Checks the sessions of all whose cached check is over, or ends soon."""
        soon = now + SESSION_CACHE_SECONDS / 2
        connections = [
            connection
            for connection in self._connections.values()
            if connection.session_valid_until < soon
        ]
        rights = self._rights(connections)
        for connection in connections:
            if connection.session in rights:
                connection.session_valid_until = now + SESSION_CACHE_SECONDS

    def _rights(self, connections: Iterable[Connection]) -> Mapping[bytes, Rights]:
        """Reads the rights of valid sessions, and stores them in their connections."""
        found = self._living_sessions({connection.session for connection in connections})
        for connection in connections:
            before = connection.caller
            rights = found.get(connection.session)
            if rights is not None and rights != (before.role, before.desks):
                connection.caller = before._replace(role=rights.role, desks=rights.desks)
                self._on_rights(connection, before)
        return found
