"""A small server that gives prepared answers, and keeps the calls."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Call(NamedTuple):
    method: str
    path: str
    document: Any
    authorization: str | None
    client_port: int


class Reply(NamedTuple):
    """The answer; `status` None ends the connection without one."""

    status: int | None
    body: Any = None
    headers: dict[str, str] = {}  # noqa: RUF012
    then_close: bool = False


Decide = Callable[[Call], Reply]


class Server(NamedTuple):
    url: str
    calls: list[Call]


class Handler(BaseHTTPRequestHandler):
    """`calls` and `decide` are set by `serving`, on a class of its own."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    calls: list[Call]
    decide: Decide

    def answer(self) -> None:
        length = int(self.headers["Content-Length"] or 0)
        document = json.loads(self.rfile.read(length)) if length else None
        authorization, port = self.headers["Authorization"], self.client_address[1]
        call = Call(self.command, self.path, document, authorization, port)
        self.calls.append(call)
        reply = self.decide(call)
        if reply.status is None:
            self.close_connection = True
            return
        body = json.dumps(reply.body).encode()
        self.send_response(reply.status)
        for name, value in {**reply.headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        # Unannounced, as a server ends a connection that was idle for too long.
        self.close_connection = reply.then_close

    do_GET = do_POST = answer

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def serving(decide: Decide) -> Iterator[Server]:
    """A server on a free port that answers each call as `decide` says, for the block's time."""
    calls: list[Call] = []
    handler = type("_Handler", (Handler,), {"calls": calls, "decide": staticmethod(decide)})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield Server(f"http://127.0.0.1:{server.server_address[1]}", calls)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
