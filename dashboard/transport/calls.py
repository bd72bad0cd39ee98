"""Answers the calls of sockets: limits, session, handler, and problems as answers."""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dashboard.errors import InternalError, Problem
from dashboard.logs import RefusedAccess
from dashboard.rate_limits import ADMIN_CALLS, INVALID_SOCKET_CALLS, SOCKET_CALLS, RateLimiter
from dashboard.transport.caller import Answer, Handler, SocketObserver
from dashboard.transport.connections import Connection
from dashboard.transport.packets import MALFORMED
from dashboard.transport.sessions import SessionChecks
from dashboard.turns import turns

log = logging.getLogger(__name__)


class Calls:
    """`handlers` and `observers` are set once, before the first socket connects."""

    def __init__(
        self,
        sessions: SessionChecks,
        monotonic: Callable[[], float],
        on_session_ended: Callable[[Connection], object],
        on_too_many_bad: Callable[[Connection], object],
    ):
        self._sessions = sessions
        self._rate_limiter = RateLimiter(monotonic)
        self._refused = RefusedAccess(monotonic)
        self._on_session_ended = on_session_ended
        self._on_too_many_bad = on_too_many_bad
        self.handlers: Mapping[str, Handler] = {}
        self.observers: Sequence[SocketObserver] = ()
        #: Invalid calls since the start.
        self.bad_calls = 0

    def answer(self, connection: Connection, event: str, arguments: tuple[Any, ...]) -> Answer:
        """`{"ok": true, …}`, or `{"ok": false, "problem": …}`; never raises."""
        try:
            return self._answer(connection, event, arguments)
        except Problem as problem:
            if problem.status == 401:
                self._on_session_ended(connection)
            elif problem.status in (400, 422):
                self._count_bad(connection)
            elif problem.status in (403, 404, 429):
                who = f"admin {connection.caller.admin_id}"
                self._refused.note(who, f"call {event[:100]!r} refused to {who}: {problem.code}")
            return {"ok": False, "problem": problem.body()}
        except Exception:
            log.exception("the call %r failed", event[:100])
            return {"ok": False, "problem": InternalError().body()}

    def _answer(self, connection: Connection, event: str, arguments: tuple[Any, ...]) -> Answer:
        handler = self.handlers.get(event)
        if handler is None:
            if event == MALFORMED and arguments:
                raise arguments[0]
            raise Problem(400, "unknown_event", "There is no such call.")
        self._rate_limiter.require(SOCKET_CALLS, connection.caller.sid)
        self._rate_limiter.require(ADMIN_CALLS, connection.caller.admin_id)
        self._sessions.require_valid(connection)
        for observer in self.observers:
            observer.on_message(connection.caller.sid)
        with turns.working(("admin", connection.caller.admin_id)):
            answer = handler(connection.caller, arguments)
        return {"ok": True, **answer} if isinstance(answer, dict) else answer

    def _count_bad(self, connection: Connection) -> None:
        self.bad_calls += 1
        if self._rate_limiter.take(INVALID_SOCKET_CALLS, connection.caller.sid) is not None:
            self._on_too_many_bad(connection)
