"""Lineup's WebSocket and HTTP server, with a handler behind them that sends each message back.

    python -m bench.judges.echo --port P --async-mode eventlet|gevent

Text takes the ways that Lineup's own messages take: it is written at once if the connection is
free, and else by the connection's thread. Limits are Lineup's own: 64 KiB a message. Lineup takes
no binary messages; here they are sent back, because the suite asks for them, read and written by
the same parser.
"""

# Comes before all other imports, because it changes what they import.
import sys
import warnings

if "gevent" in sys.argv:
    from gevent import monkey

    monkey.patch_all()
else:
    warnings.filterwarnings("ignore", message="\\s*Eventlet is deprecated")
    import eventlet

    eventlet.monkey_patch()

import argparse
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any
from wsgiref.types import WSGIEnvironment

from wsproto.events import BytesMessage

from dashboard.transport.websocket import WebSocket
from dashboard.turns import Pace, Share
from dashboard.web.server.server import serve


class EchoSocket(WebSocket):
    """A WebSocket of Lineup that sends each message back."""

    def __init__(self) -> None:
        super().__init__(lambda websocket: self._run(), Pace(Share()))
        # Lineup's own handling drops the content of binary messages.
        self._handle_text = self._handle
        self._handle = self._handle_any  # type: ignore[method-assign]
        #: Messages that could not be written at once, in their order.
        self._waiting: deque[str] = deque()
        self._bytes = b""
        self.intercept = self._offer_back

    def _offer_back(self, text: str) -> bool:
        if not self._waiting and self.offer([text.encode()]):
            return True
        self._waiting.append(text)
        return False

    def _run(self) -> None:
        # `wait` returns once for each message that was not written at once; it would be an invalid
        # packet of Engine.IO, so its text is not used.
        while self.wait() is not None:
            self.send(self._waiting.popleft())

    def _handle_any(self, event: Any) -> str | None:
        if not isinstance(event, BytesMessage):
            return self._handle_text(event)
        self._bytes += event.data
        if event.message_finished:
            self._write(BytesMessage(data=self._bytes))
            self._bytes = b""
        return None


def app(environ: WSGIEnvironment, start_response: Callable[..., Any]) -> Iterable[bytes]:
    if environ.get("HTTP_UPGRADE", "").lower() != "websocket":
        start_response("200 OK", [("Content-Type", "text/plain")])
        return [b"An echo over WebSocket.\n"]
    return EchoSocket()(environ, start_response)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--async-mode", default="eventlet")
    args = parser.parse_args()
    serve(app, "127.0.0.1", args.port, args.async_mode)


if __name__ == "__main__":
    main()
