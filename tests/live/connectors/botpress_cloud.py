"""A small Botpress: a part of its API, and the calls by which it uses an integration."""

import base64
import itertools
import json
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import requests

Object = dict[str, Any]


class BotpressCloud:
    """Keeps users, conversations, messages, events and states in memory.

    `integration` is the address of an integration, to which webhooks are passed on as Botpress
    does. The next `failing` calls that make events and messages do so, and are answered with 500.
    """

    def __init__(self) -> None:
        self.integration = ""
        self.failing = 0
        self.stored: dict[str, dict[str, Object]] = {
            kind: {} for kind in ("users", "conversations", "messages", "events")
        }
        self.states: dict[str, Object] = {}
        self.webhooks: list[int] = []
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def call(self, operation: str, body: Object) -> requests.Response:
        """Calls the integration as Botpress does."""
        ids = ("bot-id", "bot-user-id", "integration-id", "integration-alias", "webhook-id")
        headers = {f"x-{name}": name for name in ids} | {"x-bp-operation": operation}
        headers["x-bp-configuration"] = base64.b64encode(b"{}").decode()
        return requests.post(self.integration, json=body, headers=headers, timeout=30)

    def act(self, type: str, **input: Any) -> Object:
        """Calls an action of the integration; returns its output."""
        answer = self.call("action_triggered", {"type": type, "input": input})
        assert answer.status_code == 200, answer.text
        return answer.json()["output"]

    def say(self, conversation_id: str, payload: Object, type: str = "text") -> requests.Response:
        """Passes on a message of a channel."""
        message = self._made("messages", conversationId=conversation_id, type=type, payload=payload)
        conversation = self.stored["conversations"][conversation_id]
        given = {"conversation": conversation, "message": message, "user": {}, "type": type}
        return self.call("message_created", given | {"payload": payload})

    def pass_on(self, body: str, headers: Mapping[str, str]) -> int:
        signed = {name.lower(): text for name, text in headers.items()}
        given = {"body": body, "headers": signed, "path": "/", "method": "POST", "query": ""}
        try:
            status = self.call("webhook_received", {"req": given}).status_code
        except requests.RequestException:
            status = 502
        self.webhooks.append(status)
        return status

    def answer(self, method: str, path: str, body: Object) -> tuple[int, Object]:
        """Answers a call of the API below /v1/chat."""
        with self._lock:
            status, answer = self._do(method, path, body)
            if self.failing and method == "POST" and ("message" in answer or "event" in answer):
                self.failing -= 1
                return 500, {"code": 500, "type": "Internal", "message": "busy", "id": "e"}
        return status, answer

    def _do(self, method: str, path: str, body: Object) -> tuple[int, Object]:
        parts = [unquote(part) for part in urlsplit(path).path.split("/")[3:]]
        if parts[0] == "states":
            return 200, {"state": self._state(method, parts[1:], body)}
        kind, name = parts[0], parts[0].removesuffix("s")
        if method == "GET" and len(parts) == 1:
            tags = {"id": dict(parse_qsl(urlsplit(path).query))["tags.id"]}
            return 200, {kind: self._found(kind, tags), "meta": {}}
        if len(parts) == 1:
            return 201, {name: self._made(kind, **body)}
        if parts[1] == "get-or-create":
            by = body.pop("discriminateByTags")
            found = self._found(kind, {name: body["tags"][name] for name in by})
            return 200, {name: found[0] if found else self._made(kind, **body)}
        one = self.stored[kind].get(parts[1])
        if one is None:
            return 404, {"code": 404, "type": "ResourceNotFound", "message": "?", "id": "e"}
        one["tags"] |= body.get("tags", {})
        return 200, {name: one}

    def _made(self, kind: str, **members: Any) -> Object:
        at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        id = f"{kind}_{next(self._numbers)}"
        made = {"tags": {}, **members, "id": id, "createdAt": at, "updatedAt": at}
        self.stored[kind][id] = made
        return made

    def _found(self, kind: str, tags: Mapping[str, str]) -> list[Object]:
        return [one for one in self.stored[kind].values() if tags.items() <= one["tags"].items()]

    def _state(self, method: str, parts: list[str], body: Object) -> Object:
        name = "/".join(parts[:3])
        if parts[3:] == ["get-or-set"]:
            return self.states.setdefault(name, {"payload": body["payload"]})
        self.states[name] = {"payload": body["payload"]}
        return self.states[name]


def _handler_of(cloud: BotpressCloud) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
            if self.path == "/webhook":
                status, answer = cloud.pass_on(body, dict(self.headers)), {}
            else:
                status, answer = cloud.answer(self.command, self.path, json.loads(body or "{}"))
            content = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_PUT = do_GET

        def log_message(self, format: str, *given: Any) -> None:
            """Logs nothing."""

    return Handler
