"""A small server that answers as it is told, and remembers what it was sent."""

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
    """What to answer; `status` None ends the connection without a word."""

    status: int | None
    body: Any = None
    headers: dict[str, str] = {}  # noqa: RUF012
    then_close: bool = False


Decide = Callable[[Call], Reply]


class Server(NamedTuple):
    url: str
    calls: list[Call]


@contextmanager
def serving(decide: Decide) -> Iterator[Server]:
    calls: list[Call] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def answer(self) -> None:
            length = int(self.headers["Content-Length"] or 0)
            document = json.loads(self.rfile.read(length)) if length else None
            call = Call(
                self.command, self.path, document, self.headers["Authorization"],
                self.client_address[1],
            )  # fmt: skip
            calls.append(call)
            reply = decide(call)
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

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield Server(f"http://127.0.0.1:{server.server_address[1]}", calls)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
