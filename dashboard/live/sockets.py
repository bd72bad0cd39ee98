"""Socket.IO for the admins: lets them in, checks what they send, carries what is pushed."""

import logging
import re
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from flask import Flask
from flask_socketio import SocketIO
from socketio.exceptions import ConnectionRefusedError

from dashboard.attendance.attendance import session_tag
from dashboard.config import AsyncMode
from dashboard.environ import IDENTITY, WEBSOCKET
from dashboard.errors import Problem
from dashboard.live.answers import Answer, Caller
from dashboard.live.line import Line
from dashboard.live.outlet import Acknowledged, Message
from dashboard.live.packets import (
    NAMESPACE,
    Fragment,
    SplicingJson,
    StrictPacket,
    encode,
)
from dashboard.live.reads import Reads
from dashboard.live.websocket import GOING_AWAY, MESSAGE_BYTES_MAX, WebSocket
from dashboard.protocol import PROTOCOL
from dashboard.store.sessions import Identity

log = logging.getLogger(__name__)

PING_SECONDS = 25
PONG_SECONDS = 20
#: So many calls that make no sense, in so many seconds, end a connection.
BAD_CALLS_MAX = 20
BAD_CALLS_SECONDS = 60
#: Calls beyond this are answered 429.
CALLS_PER_SECOND = 100
#: A session is believed for so long; a sign-out on this worker is known at once all the same.
BELIEVED_SECONDS = 1.0
#: A goodbye is given so long to get out.
GOODBYE_SECONDS = 1
_READY = "ready"
#: What a browser may call itself: the same for all its windows, and after a reload.
_DEVICE = re.compile("[A-Za-z0-9-]{8,64}")
_UNFORESEEN = Problem(500, "internal_error", "Something went wrong here; it was noted.")

Call = Callable[[Caller, tuple[Any, ...]], Answer]


class Guest(Protocol):
    """Whoever follows the sockets from their coming to their going."""

    def arrive(self, caller: Caller) -> None:
        """A socket connects: nothing can be sent to it yet."""

    def greet(self, caller: Caller) -> None:
        """Its connect is over."""

    def heard(self, sid: str) -> None:
        """It called something."""

    def gone(self, sid: str, reason: str) -> None:
        """It has gone, as the library says why."""


@dataclass(eq=False)
class _Peer:
    """A socket whose connect is over."""

    caller: Caller
    session: bytes
    line: Line
    bad_calls: deque[float] = field(default_factory=lambda: deque(maxlen=BAD_CALLS_MAX))
    second: int = 0
    calls: int = 0
    leaving: bool = False
    believed_until: float = float("-inf")


class Sockets:
    """The way out's end: implements Outlet, and hands calls over (set with `answer_with`)."""

    def __init__(
        self,
        async_mode: AsyncMode,
        reads: Reads,
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self._reads = reads
        self._monotonic = monotonic
        self._calls: Mapping[str, Call] = {}
        self._guests: Sequence[Guest] = ()
        self._peers: dict[str, _Peer] = {}
        self._unconnected: dict[str, float] = {}
        #: Calls that made no sense, since the start.
        self.bad_calls = 0
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
            # One call of a socket after the other: its own flood holds up itself alone.
            async_handlers=False,
        )

    def attach(self, app: Flask) -> None:
        """Puts Socket.IO in front of the application."""
        self.socketio.init_app(app)
        server = self.socketio.server
        server.eio._async = server.eio._async | {"websocket": WebSocket}
        for logger in (server.logger, server.eio.logger):
            logger.setLevel(logging.CRITICAL)
        server.on("connect", self._connect, namespace=NAMESPACE)
        server.on("disconnect", self._disconnect, namespace=NAMESPACE)
        server.on("*", self._call, namespace=NAMESPACE)

    def answer_with(self, calls: Mapping[str, Call], guests: Sequence[Guest]) -> None:
        """What answers each call, and who is told when a socket comes, speaks and goes."""
        self._calls = calls
        self._guests = guests

    def __len__(self) -> int:
        return len(self._peers)

    def send(
        self, sid: str, event: str, data: Fragment, acknowledged: Acknowledged | None = None
    ) -> None:
        self.send_together(sid, [Message(event, data, acknowledged)])

    def send_together(self, sid: str, messages: Sequence[Message]) -> None:
        peer = self._peers.get(sid)
        if peer is not None:
            peer.line.send(messages)

    def broadcast(self, event: str, data: Fragment) -> None:
        self.socketio.server.emit(event, data, namespace=NAMESPACE, to=_READY)

    def hang_up(self, sid: str) -> None:
        """Ends a connection that does not read any more."""
        environ = self.socketio.server.get_environ(sid, NAMESPACE)
        if environ is not None and WEBSOCKET in environ:
            environ[WEBSOCKET].kill()

    def close_all(self) -> None:
        """The server stops: browsers come back, each after a while of its own."""
        for environ in list(self.socketio.server.environ.values()):
            if WEBSOCKET in environ:
                environ[WEBSOCKET].close(GOING_AWAY)

    def doubt_sessions(self) -> None:
        """No session is believed any longer without a look at SQL."""
        for peer in self._peers.values():
            peer.believed_until = float("-inf")

    def check_sessions(self) -> None:
        """Sends away everybody whose session is over. Raises StorageUnavailable."""
        peers = [peer for peer in self._peers.values() if not peer.leaving]
        living = self._reads.living_sessions({peer.session for peer in peers})
        for peer in peers:
            if peer.session not in living:
                self._end_session(peer)

    def hang_up_on_strangers(self, seconds: float) -> None:
        """Ends connections that were opened so long ago and never became a socket of ours."""
        now, eio = self._monotonic(), self.socketio.server.eio
        connected = {
            self.socketio.server.manager.eio_sid_from_sid(sid, NAMESPACE) for sid in self._peers
        }
        strangers = [eio_sid for eio_sid in list(eio.sockets) if eio_sid not in connected]
        self._unconnected = {each: self._unconnected.get(each, now) for each in strangers}
        for eio_sid, since in self._unconnected.items():
            if now - since >= seconds:
                environ = self.socketio.server.environ.get(eio_sid, {})
                if WEBSOCKET in environ:
                    environ[WEBSOCKET].close()

    def _connect(self, sid: str, environ: dict[str, Any], auth: Any = None) -> None:
        identity: Identity = environ[IDENTITY]
        if isinstance(auth, dict) and auth.get("protocol", PROTOCOL) != PROTOCOL:
            raise ConnectionRefusedError("Load the page anew.", {"code": "protocol_mismatch"})
        tag = session_tag(identity.session)
        caller = Caller(sid, identity.admin_id, identity.role, f"{tag}{sid}", _device(auth) or tag)
        line = Line(self.socketio.server, sid, environ[WEBSOCKET])
        self._peers[sid] = _Peer(caller, identity.session, line)
        for guest in self._guests:
            guest.arrive(caller)
        self.socketio.start_background_task(self._greet, caller)

    def _greet(self, caller: Caller) -> None:
        """After the connect, for what is sent before its answer would be dropped."""
        if caller.sid in self._peers:
            self.socketio.server.enter_room(caller.sid, _READY, namespace=NAMESPACE)
            for guest in self._guests:
                guest.greet(caller)

    def _disconnect(self, sid: str, reason: Any = None) -> None:
        peer = self._peers.pop(sid, None)
        if peer is not None:
            peer.line.close()
            for guest in self._guests:
                guest.gone(sid, str(reason))

    def _call(self, event: str, sid: str, *given: Any) -> Fragment | dict[str, Any] | None:
        peer = self._peers.get(sid)
        if peer is None or peer.leaving:
            return None
        try:
            return self._answered(peer, event, given)
        except Problem as problem:
            if problem.status == 401:
                self._end_session(peer)
            elif problem.status in (400, 422):
                self._count_bad(peer)
            return {"ok": False, "problem": problem.body()}
        except Exception:
            log.exception("the call %r failed", event[:100])
            return {"ok": False, "problem": _UNFORESEEN.body()}

    def _answered(self, peer: _Peer, event: str, given: tuple[Any, ...]) -> Any:
        answer_with = self._calls.get(event)
        if answer_with is None:
            raise Problem(400, "unknown_event", "There is no such call.")
        self._count_call(peer)
        self._check_session(peer)
        for guest in self._guests:
            guest.heard(peer.caller.sid)
        answer = answer_with(peer.caller, given)
        return answer if isinstance(answer, Fragment) else {"ok": True, **answer}

    def _check_session(self, peer: _Peer) -> None:
        """Raises Problem (401) where the session is over."""
        now = self._monotonic()
        if now < peer.believed_until:
            return
        self._ask_for_sessions(now)
        if now >= peer.believed_until:
            raise Problem(401, "unauthorized", "The session is over.")

    def _ask_for_sessions(self, now: float) -> None:
        """Asks SQL for all that will have to be asked for soon, not once for each socket."""
        soon = now + BELIEVED_SECONDS / 2
        peers = [peer for peer in self._peers.values() if peer.believed_until < soon]
        living = self._reads.living_sessions({peer.session for peer in peers})
        for peer in peers:
            if peer.session in living:
                peer.believed_until = now + BELIEVED_SECONDS

    def _count_call(self, peer: _Peer) -> None:
        second = int(self._monotonic())
        peer.calls = peer.calls + 1 if second == peer.second else 1
        peer.second = second
        if peer.calls > CALLS_PER_SECOND:
            raise Problem(429, "rate_limited", "Too many calls.", headers={"Retry-After": "1"})

    def _count_bad(self, peer: _Peer) -> None:
        self.bad_calls += 1
        now = self._monotonic()
        peer.bad_calls.append(now)
        is_full = len(peer.bad_calls) == BAD_CALLS_MAX
        if is_full and now - peer.bad_calls[0] <= BAD_CALLS_SECONDS:
            self._dismiss(peer)

    def _end_session(self, peer: _Peer) -> None:
        self.send(peer.caller.sid, "session:ended", Fragment(encode({})))
        self._dismiss(peer)

    def _dismiss(self, peer: _Peer) -> None:
        """Disconnects, once the answer that is under way has had time to get out."""
        if not peer.leaving:
            peer.leaving = True
            self.socketio.start_background_task(self._disconnect_soon, peer.caller.sid)

    def _disconnect_soon(self, sid: str) -> None:
        server = self.socketio.server
        environ = server.get_environ(sid, NAMESPACE) or {}
        self.socketio.sleep(0.1)
        server.disconnect(sid, namespace=NAMESPACE)
        self.socketio.sleep(GOODBYE_SECONDS)
        if WEBSOCKET in environ:
            environ[WEBSOCKET].close()


def _device(auth: Any) -> str:
    given = auth.get("device") if isinstance(auth, dict) else None
    return given if isinstance(given, str) and _DEVICE.fullmatch(given) else ""
