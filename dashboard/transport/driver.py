"""The WebSocket driver that Engine.IO is given: it knows every WebSocket that is open."""

import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

from dashboard.transport.websocket import GOING_AWAY, WebSocket
from dashboard.turns import Pace, Share, turns
from dashboard.wsgi_keys import IDENTITY

#: How long clients may take to answer a close frame when the server stops, in seconds.
LEAVE_SECONDS = 1.5
_POLL_SECONDS = 0.02


class Driver:
    """Called by Engine.IO for each upgrade; gives a WSGI application that ends with the socket."""

    def __init__(self) -> None:
        #: The WebSockets that are open on this worker.
        self.open: set[WebSocket] = set()
        #: Whether the process stops.
        self.is_closing = False

    def close_all(self) -> None:
        """Tells every client that the server goes away; ends those that do not answer to it."""
        self.is_closing = True
        leaving = [
            threading.Thread(target=websocket.leave, args=[GOING_AWAY], daemon=True)
            for websocket in self.open
        ]
        for each in leaving:
            each.start()
        until = time.monotonic() + LEAVE_SECONDS
        while self.open and time.monotonic() < until:
            time.sleep(_POLL_SECONDS)
        for websocket in tuple(self.open):
            websocket.kill()

    def __call__(self, handler: Callable[[Any], Any], server: Any) -> Callable:
        def serve(environ: dict[str, Any], start_response: Callable) -> Iterable[bytes]:
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
