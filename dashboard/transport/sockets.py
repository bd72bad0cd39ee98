"""Socket.IO for admins: connects sockets, answers their calls, and sends to them."""

import logging
import random
import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any
from wsgiref.types import WSGIEnvironment

from flask import Flask
from flask_socketio import SocketIO
from socketio.exceptions import ConnectionRefusedError

from dashboard.db.accounts.sessions import Identity, connection_prefix
from dashboard.errors import InternalError, Problem, StorageUnavailable
from dashboard.logs import RefusedAccess
from dashboard.protocol import PROTOCOL
from dashboard.rate_limits import ADMIN_CALLS, INVALID_SOCKET_CALLS, SOCKET_CALLS, RateLimiter
from dashboard.settings import AsyncMode
from dashboard.transport import internals
from dashboard.transport.caller import Answer, Caller, Handler, SocketObserver
from dashboard.transport.connections import Connection, Connections, LivingSessions, SessionChecks
from dashboard.transport.emitter import Acknowledged, Message
from dashboard.transport.fast_path import EmitPath, FastPath
from dashboard.transport.packets import (
    MALFORMED,
    NAMESPACE,
    EncodedJson,
    SplicingJson,
    StrictPacket,
    encode,
)
from dashboard.transport.websocket import GOING_AWAY, MESSAGE_BYTES_MAX, WebSocket
from dashboard.turns import Pace, Share, turns
from dashboard.wsgi_keys import IDENTITY, WEBSOCKET

#: Names that browsers may give themselves, the same in all windows and after a reload.
_DEVICE = re.compile("[A-Za-z0-9-]{8,64}")
_TYPES = ("web", "mobile", "tablet")
#: A tablet's browser does not say "Mobile", except for older iPads.
_TABLET = re.compile(r"iPad|Tablet|PlayBook|Silk(?!.*Mobile)|Android(?!.*Mobile)")
_PHONE = re.compile(r"Mobi|iPhone|iPod")


def device_of(auth: Any) -> str:
    """Returns the browser's name; "" if it sends none, or none that is allowed."""
    device = auth.get("device") if isinstance(auth, dict) else None
    return device if isinstance(device, str) and _DEVICE.fullmatch(device) else ""


def type_of(auth: Any, user_agent: str) -> str:
    """Returns the kind of the device: the page's answer, else a guess by the User-Agent.

    The page knows more: the User-Agent of a new iPad is that of a computer.
    """
    stated = auth.get("type") if isinstance(auth, dict) else None
    if stated in _TYPES:
        return str(stated)
    if _TABLET.search(user_agent):
        return "tablet"
    return "mobile" if _PHONE.search(user_agent) else "web"


def window_of(auth: Any) -> tuple[bool, int]:
    """Returns whether the browser's window is visible, and ms since its last input; without a
    report it is visible and in use."""
    given = auth if isinstance(auth, dict) else {}
    idle_ms = given.get("idle_ms")
    known = idle_ms if type(idle_ms) is int and 0 <= idle_ms <= 2**53 else 0
    return given.get("visible") is not False, known


#: Seconds that clients have to answer a close frame when the server stops.
LEAVE_SECONDS = 1.5
_POLL_SECONDS = 0.02


class Driver:
    """Makes a WSGI application for each upgrade; it runs as long as the socket is open."""

    def __init__(self) -> None:
        #: The WebSockets that are open on this worker.
        self.open: set[WebSocket] = set()
        #: Whether the process is stopping.
        self.is_closing = False

    def close_all(self) -> None:
        """Tells every client that the server goes away; ends connections that do not answer."""
        self.is_closing = True
        threads = [
            threading.Thread(target=websocket.leave, args=[GOING_AWAY], daemon=True)
            for websocket in self.open
        ]
        for thread in threads:
            thread.start()
        until = time.monotonic() + LEAVE_SECONDS
        while self.open and time.monotonic() < until:
            time.sleep(_POLL_SECONDS)
        for websocket in tuple(self.open):
            websocket.kill()

    def __call__(self, handler: Callable[[Any], Any], server: Any) -> Callable:
        def serve(environ: WSGIEnvironment, start_response: Callable) -> Iterable[bytes]:
            # All windows of an admin have one share.
            identity = environ.get(IDENTITY)
            share = turns.share(("admin", identity.admin_id)) if identity else Share()
            websocket = WebSocket(handler, Pace(share))
            self.open.add(websocket)
            if self.is_closing:
                threading.Thread(target=websocket.leave, args=[GOING_AWAY], daemon=True).start()
            try:
                return websocket(environ, start_response)
            finally:
                self.open.discard(websocket)

        return serve


log = logging.getLogger(__name__)


class Calls:
    """Answers calls of sockets; `handlers` and `observers` are set before the first connects."""

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
        """Returns `{"ok": true, …}`, or `{"ok": false, "problem": …}`; never raises."""
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


PING_SECONDS = 25
PONG_SECONDS = 20
#: Seconds between a disconnect packet and the end of the connection.
DISCONNECT_SECONDS = 1
#: Seconds that the answer under way gets before the disconnect packet.
_ANSWER_SECONDS = 0.1
#: Clients that are told to reconnect, per second, when the process stops. With many clients it is
#: more, so that telling all takes at most AWAY_SECONDS_MAX.
RETURNS_A_SECOND = 250
AWAY_SECONDS_MAX = 20
#: Seconds that the last of these clients have to reconnect.
RETURN_SECONDS = 2
#: The room of all sockets that can be sent to.
_READY = "ready"
_NOTHING = EncodedJson(encode({}))


class Sockets:
    """All sockets of this worker; implements `Emitter`."""

    def __init__(
        self,
        async_mode: AsyncMode,
        living_sessions: LivingSessions,
        monotonic: Callable[[], float] = time.monotonic,
        is_disabled: Callable[[int], bool] = lambda admin_id: False,
    ):
        """`living_sessions` returns the valid session hashes among given ones, with their rights.

        `is_disabled(admin_id)` may raise StorageUnavailable.
        """
        self._is_disabled = is_disabled
        self._monotonic = monotonic
        self._connections: Connections = {}
        self._sessions = SessionChecks(
            self._connections, living_sessions, monotonic, self._rights_changed
        )
        self._calls = Calls(self._sessions, monotonic, self._end_session, self._dismiss)
        self._driver = Driver()
        self._has_fast_path = True
        self._unjoined_since: dict[WebSocket, float] = {}
        self.socketio = SocketIO(
            async_mode=async_mode,
            path="socket.io",
            transports=["websocket"],
            # The gate has checked the origin.
            cors_allowed_origins=[],
            namespaces=[NAMESPACE],
            serializer=StrictPacket,
            json=SplicingJson,
            max_http_buffer_size=MESSAGE_BYTES_MAX,
            ping_interval=PING_SECONDS,
            ping_timeout=PONG_SECONDS,
            manage_session=False,
            # A socket's calls run one after the other: one that sends too many delays only itself.
            async_handlers=False,
        )

    def attach(self, app: Flask) -> None:
        """Puts Socket.IO in front of the application."""
        self.socketio.init_app(app)
        server = self.socketio.server
        for logger in (server.logger, server.eio.logger):
            logger.setLevel(logging.CRITICAL)
        missing = internals.missing_names(server)
        self._has_fast_path = not missing
        if missing:
            log.warning(
                "this release of Socket.IO lacks %s: sending with emit, which takes more CPU time",
                ", ".join(missing),
            )
        internals.replace_driver(server, self._driver)
        server.on("connect", self._connect, namespace=NAMESPACE)
        server.on("disconnect", self._disconnect, namespace=NAMESPACE)
        server.on("*", self._call, namespace=NAMESPACE)

    def register(
        self, handlers: Mapping[str, Handler], observers: Sequence[SocketObserver]
    ) -> None:
        """Sets the handlers of calls, and the observers of sockets."""
        self._calls.handlers = handlers
        self._calls.observers = observers

    @property
    def bad_calls(self) -> int:
        """The number of invalid calls since the start."""
        return self._calls.bad_calls

    def __len__(self) -> int:
        return len(self._connections)

    def send(
        self, sid: str, event: str, data: EncodedJson, acknowledged: Acknowledged | None = None
    ) -> None:
        self.send_together(sid, [Message(event, data, acknowledged)])

    def send_together(self, sid: str, messages: Sequence[Message]) -> None:
        connection = self._connections.get(sid)
        if connection is not None:
            connection.path.send(messages)

    def broadcast(self, event: str, data: EncodedJson) -> None:
        self.socketio.server.emit(event, data, namespace=NAMESPACE, to=_READY)

    def abort(self, sid: str) -> None:
        connection = self._connections.get(sid)
        if connection is None:
            return
        if connection.websocket is not None:
            connection.websocket.kill()
        else:
            self.socketio.server.disconnect(sid, namespace=NAMESPACE)

    def send_away(self) -> None:
        """Tells each client to reconnect, spread over time, and waits until they have left.

        Sockets work as usual until they leave. `close_all` closes those that do not leave.
        """
        told: set[str] = set()
        until = self._monotonic() + RETURN_SECONDS
        while self._connections and self._monotonic() < until:
            # Further clients may have connected since the last round.
            sids = [sid for sid in self._connections if sid not in told]
            random.shuffle(sids)
            for sid in sids:
                self.send(sid, "server:leaving", _NOTHING)
                self.socketio.sleep(min(1 / RETURNS_A_SECOND, AWAY_SECONDS_MAX / len(sids)))
                until = self._monotonic() + RETURN_SECONDS
            told.update(sids)
            self.socketio.sleep(_POLL_SECONDS)

    def close_all(self) -> None:
        """Closes all connections because the server stops; browsers reconnect after a delay."""
        self._driver.close_all()
        for sid, connection in list(self._connections.items()):
            if connection.websocket is None:
                self.socketio.server.disconnect(sid, namespace=NAMESPACE)

    def invalidate_sessions(self) -> None:
        """Makes the next call of each socket check its session again."""
        self._sessions.invalidate()

    def check_sessions(self) -> None:
        """Disconnects sockets with a session that is over, and applies changed rights to others.

        Raises StorageUnavailable.
        """
        for connection in self._sessions.ended():
            self._end_session(connection)

    def close_unjoined(self, seconds: float) -> None:
        """Closes WebSockets that were open for this time without connecting to `/admin`."""
        now = self._monotonic()
        joined = {connection.websocket for connection in self._connections.values()}
        self._unjoined_since = {
            websocket: self._unjoined_since.get(websocket, now)
            for websocket in self._driver.open
            if websocket not in joined
        }
        for websocket, since in self._unjoined_since.items():
            if now - since >= seconds:
                websocket.close()

    def _connect(self, sid: str, environ: WSGIEnvironment, auth: Any = None) -> None:
        identity: Identity = environ[IDENTITY]
        if isinstance(auth, dict) and auth.get("protocol", PROTOCOL) != PROTOCOL:
            raise ConnectionRefusedError("Reload the page.", {"code": "protocol_mismatch"})
        prefix = connection_prefix(identity.session)
        caller = Caller(
            sid,
            identity.admin_id,
            identity.role,
            f"{prefix}{sid}",
            device_of(auth) or prefix,
            type_of(auth, environ.get("HTTP_USER_AGENT", "")),
            identity.desks,
            *window_of(auth),
        )
        websocket = environ.get(WEBSOCKET)
        path = self._path(sid, websocket)
        self._connections[sid] = Connection(caller, identity.session, path, websocket)
        for observer in self._calls.observers:
            observer.on_connect(caller)
        self.socketio.start_background_task(self._make_ready, caller)

    def _path(self, sid: str, websocket: WebSocket | None) -> FastPath | EmitPath:
        if self._has_fast_path and websocket is not None:
            return FastPath(self.socketio.server, sid, websocket)
        return EmitPath(self.socketio.server, sid)

    def _make_ready(self, caller: Caller) -> None:
        """Runs after the connect was answered: a client drops messages that come before that."""
        if caller.sid in self._connections:
            self.socketio.server.enter_room(caller.sid, _READY, namespace=NAMESPACE)
            for observer in self._calls.observers:
                observer.on_ready(caller)
            if caller.sid not in self._connections:
                # It closed while an observer waited.
                self._forget(caller.sid, "closed")

    def _disconnect(self, sid: str, reason: Any = None) -> None:
        connection = self._connections.pop(sid, None)
        if connection is not None:
            connection.path.close()
            self._forget(sid, str(reason))

    def _forget(self, sid: str, reason: str) -> None:
        for observer in self._calls.observers:
            observer.on_disconnect(sid, reason)

    def _rights_changed(self, connection: Connection, before: Caller) -> None:
        caller = connection.caller
        if caller.role != before.role:
            for observer in self._calls.observers:
                observer.on_role(caller)
        if caller.desks != before.desks:
            # Its lists show other threads now: the browser reconnects and opens them again.
            self.abort(caller.sid)

    def _call(self, event: str, sid: str, *arguments: Any) -> Answer | None:
        connection = self._connections.get(sid)
        if connection is None or connection.is_leaving:
            return None
        try:
            return self._calls.answer(connection, event, arguments)
        finally:
            if sid not in self._connections:
                # It closed while the call waited: what the call has begun for it ends, too.
                self._forget(sid, "closed")

    def _end_session(self, connection: Connection) -> None:
        reason = None
        with suppress(StorageUnavailable):
            reason = "disabled" if self._is_disabled(connection.caller.admin_id) else None
        self.send(connection.caller.sid, "session:ended", EncodedJson(encode({"reason": reason})))
        self._dismiss(connection)

    def _dismiss(self, connection: Connection) -> None:
        """Disconnects the socket in the background, so that the current answer is still sent."""
        if not connection.is_leaving:
            connection.is_leaving = True
            self.socketio.start_background_task(self._disconnect_soon, connection)

    def _disconnect_soon(self, connection: Connection) -> None:
        self.socketio.sleep(_ANSWER_SECONDS)
        self.socketio.server.disconnect(connection.caller.sid, namespace=NAMESPACE)
        self.socketio.sleep(DISCONNECT_SECONDS)
        if connection.websocket is not None:
            connection.websocket.close()
