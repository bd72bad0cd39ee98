"""The floor under the same server and sockets: posts that do nothing, frames that are not computed.

A POST is read and answered 201. While posts come, each socket that opened a list gets a frame at
most every 50 ms: as many bytes as Lineup's, encoded once, sent the same way, and acknowledged.

    python -m bench.floors.server --port P --bytes N [--async-mode eventlet|gevent]
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
import threading
import time
from typing import Any

from flask import Flask, Response, request
from flask_socketio import SocketIO

from dashboard.live.broadcaster import FRAME_SECONDS
from dashboard.transport import internals
from dashboard.transport.emitter import Message
from dashboard.transport.fast_path import FastPath
from dashboard.transport.packets import NAMESPACE, EncodedJson, SplicingJson
from dashboard.transport.sockets import Driver
from dashboard.web.server.server import serve
from dashboard.wsgi_keys import WEBSOCKET

_ANSWER = '{"status": "created", "id": "m-1001", "thread_id": 42}'

app = Flask("floor")


class Floor:
    """Sends frames of `size` bytes to every socket that has opened a list."""

    def __init__(self, socketio: SocketIO, size: int):
        self._socketio = socketio
        self._size = size
        self._lines: dict[str, FastPath] = {}
        self._waiting: dict[str, bool] = {}
        self._posted = threading.Event()
        self.newest = 0

    def note(self, at: int) -> None:
        self.newest = max(self.newest, at)
        self._posted.set()

    def connect(self, sid: str, environ: dict[str, Any], auth: Any = None) -> None:
        self._lines[sid] = FastPath(self._socketio.server, sid, environ[WEBSOCKET])

    def open(self, sid: str, given: Any) -> dict[str, Any]:
        self._waiting[sid] = False
        return {"ok": True}

    def drop(self, sid: str) -> None:
        self._waiting.pop(sid, None)
        self._lines.pop(sid, None)

    def run(self) -> None:
        while True:
            self._posted.wait()
            self._posted.clear()
            start = f'{{"at":{self.newest},"bytes":"'
            frame = EncodedJson(start + "x" * max(0, self._size - len(start) - 2) + '"}')
            for sid, waits in list(self._waiting.items()):
                if not waits:
                    self._send(sid, frame)
            time.sleep(FRAME_SECONDS)

    def _send(self, sid: str, frame: EncodedJson) -> None:
        self._waiting[sid] = True

        def acknowledged(*ignored: object) -> None:
            if sid in self._waiting:
                self._waiting[sid] = False

        self._lines[sid].send([Message("frame", frame, acknowledged)])


@app.post("/api/v1/events")
def post() -> Response:
    body = request.get_data()
    if app.config["FLOOR"] is not None:
        at = request.headers.get("X-Bench-At")
        app.config["FLOOR"].note(int(at) if at else 0)
    return Response(_ANSWER if body else "", 201, content_type="application/json")


def attach_sockets(mode: str, size: int) -> None:
    socketio = SocketIO(
        app,
        async_mode=mode,
        transports=["websocket"],
        cors_allowed_origins=[],
        json=SplicingJson,
        manage_session=False,
        async_handlers=False,
    )
    server = socketio.server
    internals.replace_driver(server, Driver())
    floor = Floor(socketio, size)
    app.config["FLOOR"] = floor
    server.on("connect", floor.connect, namespace=NAMESPACE)
    server.on("open", floor.open, namespace=NAMESPACE)
    server.on("disconnect", lambda sid, *reason: floor.drop(sid), namespace=NAMESPACE)
    threading.Thread(target=floor.run, daemon=True).start()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--bytes", type=int, default=0, help="of a frame; 0: posts alone")
    parser.add_argument("--async-mode", default="eventlet")
    args = parser.parse_args()
    app.config["FLOOR"] = None
    if args.bytes:
        attach_sockets(args.async_mode, args.bytes)
    serve(app, "127.0.0.1", args.port, args.async_mode)


if __name__ == "__main__":
    main()
