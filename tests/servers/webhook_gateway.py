"""A gateway before a chatbot, which refuses a number of webhooks."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import requests


class WebhookGateway:
    """Passes webhooks on to `goal`; answers the next `failing` events with 500.

    Calls with `admin.typing` pass, and are not counted.
    """

    def __init__(self, goal: str):
        self.goal = goal
        self.failing = 0
        self.answers: list[int] = []
        gateway = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = gateway.answer(body, dict(self.headers))
                if not is_typing(body):
                    gateway.answers.append(status)
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format, *given) -> None:
                """Logs nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/hook"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def answer(self, body: bytes, headers: dict[str, str]) -> int:
        if self.failing and not is_typing(body):
            self.failing -= 1
            return 500
        signed = {name: value for name, value in headers.items() if name.startswith("webhook-")}
        try:
            return requests.post(self.goal, data=body, headers=signed, timeout=5).status_code
        except requests.RequestException:
            return 502

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def is_typing(body: bytes) -> bool:
    return json.loads(body).get("type") == "admin.typing"
