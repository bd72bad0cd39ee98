"""The connections of sockets, and whether their sessions are valid."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from dashboard.db.accounts.sessions import Rights
from dashboard.errors import Problem
from dashboard.group_commit import GroupCommit
from dashboard.transport.caller import Caller
from dashboard.transport.fast_path import EmitPath, FastPath
from dashboard.transport.websocket import WebSocket


@dataclass(eq=False)
class Connection:
    """A socket that has connected; times in monotonic seconds."""

    caller: Caller
    #: Hash of the session that the socket was opened with.
    session: bytes
    path: FastPath | EmitPath
    #: None if Engine.IO's own driver opened it.
    websocket: WebSocket | None
    #: Whether the socket is being disconnected; further calls are not answered.
    is_leaving: bool = False
    session_valid_until: float = float("-inf")


#: Connections by the ids of their sockets.
Connections = dict[str, Connection]

#: Seconds a session check is cached; a local sign-out invalidates it immediately.
SESSION_CACHE_SECONDS = 1.0
#: The role with the fewest rights. Checks of other roles are not cached: a role that was taken
#: away must not allow one more call.
_LEAST_ROLE = "admin"
#: Calls that share a check, at most.
CHECKED_MAX = 1_000
_NEVER = float("-inf")

#: Session hashes -> the rights of those that are valid.
LivingSessions = Callable[[set[bytes]], Mapping[bytes, Rights]]
#: Called after an admin's rights changed, with the connection, and its caller as it was before.
OnRights = Callable[[Connection, Caller], object]


class SessionChecks:
    """Checks many sessions in one query: a thousand sockets must not cause a thousand queries."""

    def __init__(
        self,
        connections: Connections,
        living_sessions: LivingSessions,
        monotonic: Callable[[], float],
        on_rights: OnRights = lambda connection, before: None,
    ):
        """`on_rights` is called after an admin's role, or the desks that they see, have changed.

        `living_sessions` raises StorageUnavailable.
        """
        self._connections = connections
        self._living_sessions = living_sessions
        self._monotonic = monotonic
        self._on_rights = on_rights
        #: The number of invalidations of all cached checks.
        self._invalidated = 0
        # A frame makes all dashboards that show its list call at once: those calls share a check.
        self._checks = GroupCommit(self._check, CHECKED_MAX)

    def require_valid(self, connection: Connection) -> None:
        """Raises Problem (401) if the session is over, and StorageUnavailable.

        Afterwards the caller of the connection has its current rights.
        """
        is_cached = self._monotonic() < connection.session_valid_until
        if is_cached and connection.caller.role == _LEAST_ROLE:
            return
        if not self._checks.do(connection):
            raise Problem(401, "unauthorized", "The session is over.")

    def invalidate(self) -> None:
        """Makes the next call of each socket check its session again."""
        self._invalidated += 1
        for connection in self._connections.values():
            connection.session_valid_until = _NEVER

    def ended(self) -> list[Connection]:
        """Returns the connections with a session that is over. Raises StorageUnavailable."""
        every = self._connections.values()
        connections = [connection for connection in every if not connection.is_leaving]
        rights = self._rights(connections)
        return [connection for connection in connections if connection.session not in rights]

    def _check(self, asking: Sequence[Connection]) -> list[bool]:
        """Returns whether each session is valid. If the cached check of one has expired, it also
        checks all other sockets with a check that has expired or expires soon."""
        now, invalidated = self._monotonic(), self._invalidated
        checked = list(asking)
        if any(now >= connection.session_valid_until for connection in asking):
            soon = now + SESSION_CACHE_SECONDS / 2
            every = self._connections.values()
            checked += [connection for connection in every if connection.session_valid_until < soon]
        rights = self._rights(checked)
        # If checks were invalidated meanwhile, sessions may have ended after they were read.
        is_current = invalidated == self._invalidated
        for connection in checked:
            is_valid = is_current and connection.session in rights
            connection.session_valid_until = now + SESSION_CACHE_SECONDS if is_valid else _NEVER
        return [connection.session in rights for connection in asking]

    def _rights(self, connections: Iterable[Connection]) -> Mapping[bytes, Rights]:
        """Reads the rights of valid sessions, and stores them in their connections."""
        by_session = self._living_sessions({connection.session for connection in connections})
        for connection in connections:
            before = connection.caller
            rights = by_session.get(connection.session)
            if rights is not None and rights != (before.role, before.desks):
                connection.caller = before._replace(role=rights.role, desks=rights.desks)
                self._on_rights(connection, before)
        return by_session
