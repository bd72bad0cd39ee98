"""A small chatbot: answers some questions itself, and hands the others over to admins.

    python examples/chatbot/chatbot.py --lineup http://localhost:5000 --key lu_… --secret whsec_…

Needs Python 3.11 and the SDK: pip install ./clients/python. The customer's page is at
http://localhost:8080.
"""

import argparse
import json
import re
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from lineup_client import Lineup, Receiver, Refused, Sender, Unavailable, clean_text
from store import Store

FOLDER = Path(__file__).parent
FILES = {
    "/": ("page.html", "text/html; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript"),
    "/sender.js": ("../page/sender.js", "text/javascript"),
    "/presence-client.js": ("../page/presence-client.js", "text/javascript"),
}
BODY_BYTES_MAX = 1_048_576
NAME = re.compile(r"[A-Za-z0-9-]{1,64}")
#: The questions that it answers: a word in the question, and the answer.
KNOWN = {
    "open": "We are open from 9:00 to 18:00, Monday to Saturday.",
    "price": "Delivery is free from 30 euros.",
}
HANDED_OVER = "I will get somebody for you."


class Chatbot:
    def __init__(self, lineup: Lineup, sender: Sender, receiver: Receiver):
        self.lineup = lineup
        self.receiver = receiver
        self.store = Store(sender)
        receiver.on("message.created")(self.on_answer)
        receiver.on("thread.closed")(self.on_close)
        receiver.on("admin.typing")(self.on_typing)

    def on_answer(self, event: dict[str, Any]) -> None:
        message = event["data"]
        author = (message["author"] or {}).get("name", "Team")
        # Files are shown as their addresses, which are valid for 7 days.
        body = "\n".join([message["body"], *(file["url"] for file in message["attachments"])])
        self.store.receive(event["thread"], author, body.strip(), message["id"])

    def on_close(self, event: dict[str, Any]) -> None:
        self.store.remember(f"bot:{event['thread']}", "answers")

    def on_typing(self, event: dict[str, Any]) -> None:
        self.store.remember(f"typing:{event['thread']}", event["data"]["until"])

    def on_message(self, conversation: str, body: str, id: str) -> None:
        """Answers a customer, or hands over; admins then answer until they close the thread.

        A message that comes again, under the same id, changes nothing.
        """
        said = [("You", body, [message(conversation, "client", body)])]
        known = {}
        if self.store.recall(f"bot:{conversation}") != "people answer":
            answer = next((text for word, text in KNOWN.items() if word in body.lower()), None)
            events = [] if answer else [{"type": "thread.handoff", "thread": conversation}]
            if answer is None:
                answer, known = HANDED_OVER, {"bot": "people answer"}
            said.append(("Bot", answer, [*events, message(conversation, "bot", answer)]))
        self.store.write(conversation, said, id, **known)

    def read(self, conversation: str, after: int) -> dict[str, Any]:
        messages = self.store.read(conversation, after)
        typing = self.store.recall(f"typing:{conversation}")
        return {"messages": messages, "typing": typing is not None and typing > now()}

    def team(self, conversation: str) -> Any:
        """Returns the state of the team that a customer may know."""
        try:
            return self.lineup.team(conversation)
        except (Refused, Unavailable):
            return {"online": False, "assignee": None}

    def beat(self, conversation: str, device: str, active: bool) -> None:
        beat = {"customer": conversation, "device": device, "type": "web", "active": active}
        self.lineup.beat([beat])

    def leave(self, conversation: str, device: str) -> None:
        self.lineup.leave([{"customer": conversation, "device": device}])


class Handler(BaseHTTPRequestHandler):
    """`/hook` is called by Lineup, the other paths by the customer's page."""

    protocol_version = "HTTP/1.1"
    chatbot: Chatbot

    def do_GET(self) -> None:
        path, query = urlsplit(self.path).path, parse_qs(urlsplit(self.path).query)
        conversation = query.get("conversation", [""])[0]
        if path in FILES:
            name, kind = FILES[path]
            self._answer(200, (FOLDER / name).read_bytes(), kind)
        elif not NAME.fullmatch(conversation):
            self._answer(404)
        elif path == "/messages":
            after = query.get("after", ["0"])[0]
            number = int(after) if after.isascii() and after.isdigit() else 0
            self._json(self.chatbot.read(conversation, number))
        elif path == "/team":
            self._json(self.chatbot.team(conversation))
        else:
            self._answer(404)

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        if length > BODY_BYTES_MAX:
            self.close_connection = True
            return self._answer(413)
        body = self.rfile.read(length)
        if self.path == "/hook":
            headers = {name.lower(): text for name, text in self.headers.items()}
            return self._answer(self.chatbot.receiver.take(headers, body))
        try:
            call = json.loads(body)
            conversation = call["conversation"]
        except (ValueError, KeyError, TypeError):
            return self._answer(400)
        if not isinstance(conversation, str) or not NAME.fullmatch(conversation):
            return self._answer(400)
        self._answer(self._do(call, conversation))

    def _do(self, call: dict[str, Any], conversation: str) -> int:
        device = str(call.get("device", ""))
        try:
            id = str(call.get("id", ""))
            if self.path == "/say" and NAME.fullmatch(id):
                self.chatbot.on_message(conversation, clean_text(str(call.get("body", ""))), id)
            elif self.path == "/beat" and NAME.fullmatch(device):
                self.chatbot.beat(conversation, device, call.get("active") is True)
            elif self.path == "/leave" and NAME.fullmatch(device):
                self.chatbot.leave(conversation, device)
            else:
                return 400
        except (Refused, Unavailable):
            return 502
        except ValueError:
            return 400
        return 204

    def _json(self, value: Any) -> None:
        self._answer(200, json.dumps(value).encode(), "application/json")

    def _answer(self, status: int, body: bytes = b"", kind: str = "text/plain") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Logs nothing."""


def message(conversation: str, role: str, body: str) -> dict[str, Any]:
    """A message as an event; here a customer has one conversation."""
    customer = {"id": conversation}
    thread = {"type": "message", "thread": conversation, "customer": customer}
    return thread | {"role": role, "body": body}


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def main() -> None:
    arguments = argparse.ArgumentParser(description="A small chatbot in front of Lineup.")
    arguments.add_argument("--lineup", default="http://localhost:5000", help="address of Lineup")
    arguments.add_argument("--key", required=True, help="from create-key")
    arguments.add_argument("--secret", required=True, help="from create-webhook")
    arguments.add_argument("--port", type=int, default=8080)
    arguments.add_argument("--file", default="chatbot.sqlite", help="SQLite file")
    options = arguments.parse_args()
    lineup = Lineup(options.lineup, options.key)
    sender = Sender(lineup, options.file)
    receiver = Receiver(lineup, options.secret, options.file)
    Handler.chatbot = Chatbot(lineup, sender, receiver)
    server = ThreadingHTTPServer(("127.0.0.1", options.port), Handler)
    with sender, receiver:
        print(f"The chatbot is at http://localhost:{server.server_port}", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
