"""Puts customers without a chatbot on the desk; README.md beside it says how to start it."""

import json
import os
import queue
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from flask import Blueprint, Flask, Response, g, request, send_from_directory
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import OctKey
from lineup_client import Lineup, Receiver, Refused, Sender, Unavailable, clean_text
from werkzeug.exceptions import BadRequest, TooManyRequests, Unauthorized
from werkzeug.serving import make_server

FOLDER = Path(__file__).parent
#: The files of the chat window, and their folders.
FILES = {"chat.js": FOLDER, "window.js": FOLDER, "texts.js": FOLDER}
FILES |= dict.fromkeys(("sender.js", "presence-client.js"), FOLDER.parent / "page")
HEADERS = {
    # Nothing is done by cookies: any page may call, with a signed name.
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Headers": "Authorization, Content-Type",
    "X-Content-Type-Options": "nosniff",
}
BODY_MAX, NAME_MAX, BYTES_MAX, PAGE_MESSAGES = 4_000, 80, 1_048_576, 50
#: The longest life of a signed name; a line shows both sides so often that they are connected.
TOKEN_SECONDS_MAX, LINE_SECONDS = 3_600, 10.0
STREAMS_MAX, VISITORS_MAX = 8, 100_000
#: What a window shows of what admins do.
TOLD = "message.created admin.typing thread.assigned thread.released thread.closed thread.position"
_ID = re.compile(r"[A-Za-z0-9-]{1,60}")
#: Control characters and halves of characters, which Lineup refuses.
_FORBIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


class Visitor(NamedTuple):
    """A customer whom the host's server has named. The thread has the same id."""

    id: str
    name: str


class Allowance:
    """Lets each visitor make `burst` calls at once, and `rate` a second in the long run; those
    that are refused cost nothing."""

    def __init__(self, burst: float, rate: float):
        self._burst, self._rate = burst, rate
        self._left: dict[str, tuple[float, float]] = {}
        self._lock = threading.Lock()

    def take(self, visitor: str) -> None:
        now = time.monotonic()
        with self._lock:
            if len(self._left) > VISITORS_MAX:
                self._left.clear()
            left, at = self._left.get(visitor, (self._burst, now))
            left = min(self._burst, left + (now - at) * self._rate)
            self._left[visitor] = (left - 1 if left >= 1 else left, now)
        if left < 1:
            raise TooManyRequests(retry_after=2)


class Streams:
    """The open windows. Each gets a line when there is something to read, or somebody writes."""

    def __init__(self) -> None:
        self._open: dict[str, list[queue.SimpleQueue[Any]]] = {}
        self._lock = threading.Lock()

    def tell(self, visitor: str, line: dict[str, Any]) -> None:
        with self._lock:
            for lines in self._open.get(visitor, ()):
                lines.put(line)

    def lines(self, visitor: str) -> Iterator[str]:
        """Yields lines of JSON until the window has gone, or too many newer ones are open."""
        mine: queue.SimpleQueue[Any] = queue.SimpleQueue()
        with self._lock:
            lines = self._open.setdefault(visitor, [])
            lines.append(mine)
            for oldest in lines[:-STREAMS_MAX]:
                oldest.put(None)
        line: dict[str, Any] | None = {"news": True}
        try:
            while line is not None:
                yield json.dumps(line) + "\n"
                try:
                    line = mine.get(timeout=LINE_SECONDS)
                except queue.Empty:
                    line = {}
        finally:
            with self._lock:
                lines.remove(mine)
                if not lines and self._open.get(visitor) is lines:
                    del self._open[visitor]


class Gateway:
    """Passes on what visitors write, and tells their windows of what admins do.

    It keeps nothing of a conversation but what Lineup has not stored yet.
    """

    def __init__(self, lineup: Lineup, webhook_secret: str, file: str):
        self.lineup, self.streams = lineup, Streams()
        self.sender = Sender(lineup, file)
        self.receiver = Receiver(lineup, webhook_secret, file)
        with self.sender.transaction() as database:
            database.execute("CREATE TABLE IF NOT EXISTS handed_over (visitor TEXT PRIMARY KEY)")
        for type in TOLD.split():
            self.receiver.on(type)(self._on_event)

    def _on_event(self, event: dict[str, Any]) -> None:
        line = {"news": True}
        if event["type"] == "admin.typing":
            line = {"typing": event["data"]["until"]}
        elif event["type"] == "thread.closed":
            # The next message asks for a person again.
            query = "DELETE FROM handed_over WHERE visitor = ?"
            self.receiver.database.execute(query, (event["thread"],))
        self.streams.tell(event["thread"], line)

    def say(self, visitor: Visitor, id: str, body: str) -> None:
        """Stores a message for Lineup. One that comes again, under its id, changes nothing."""
        customer = {"id": visitor.id} | ({"name": visitor.name} if visitor.name else {})
        with self.sender.transaction() as database:
            self.sender.message(visitor.id, customer, "client", body, id=f"{visitor.id}:{id}")
            row = "INSERT OR IGNORE INTO handed_over VALUES (?)"
            if database.execute(row, (visitor.id,)).rowcount:
                self.sender.handoff(visitor.id, watch_place=True)
        self.streams.tell(visitor.id, {"news": True})

    def conversation(self, visitor: Visitor, before: int | None) -> dict[str, Any]:
        """Returns a part of the conversation, the newest message last; with the newest part what
        Lineup has not stored yet, and who is there. Raises Unavailable."""
        own = f"{visitor.id}:"
        pending = [event for event in self.sender.pending(visitor.id) if "body" in event]
        found: dict[str, Any] = {"messages": [], "more": False, "team": None, "place": None}
        try:
            found |= self.lineup.messages(visitor.id, before, PAGE_MESSAGES)
            if before is None:
                found["team"] = self.lineup.team(visitor.id)
                found["place"] = self.lineup.place(visitor.id)
        except Refused as refused:
            if refused.status != 404:
                raise
        for message in found["messages"]:
            message["event"] = (message["event"] or "").removeprefix(own)
        texts = [{"id": each["id"].removeprefix(own), "body": each["body"]} for each in pending]
        return found | {"pending": texts}

    def do(self, act: str, visitor: Visitor, given: dict[str, Any]) -> None:
        """Raises Refused, Unavailable, and KeyError, TypeError or ValueError for a wrong call."""
        here = {"customer": visitor.id, "device": given.get("device")}
        match act:
            case "messages":
                body, id = clean_text(given["body"]), given["id"]
                if len(body) > BODY_MAX or not _ID.fullmatch(id):
                    raise ValueError
                self.say(visitor, id, body)
            case "read":
                # Refused if the message is none of this visitor's conversation.
                self.lineup.messages(visitor.id, message := int(given["message"]), 1)
                self.sender.send("receipt", message_id=message, state="read")
            case "typing":
                self.lineup.typing(visitor.id, visitor.id)
            case "beat":
                self.lineup.beat([here | {"type": "web", "active": given["active"]}])
            case "leave":
                self.lineup.leave([here])


def named(authorization: str, key: OctKey) -> Visitor:
    """Returns the visitor of a JSON Web Token that the host's server has signed (HS256)."""
    try:
        claims = jwt.decode(authorization.removeprefix("Bearer "), key, ["HS256"]).claims
        jwt.JWTClaimsRegistry(exp={"essential": True}).validate(claims)
        if not _ID.fullmatch(claims["sub"]) or claims["exp"] > time.time() + TOKEN_SECONDS_MAX:
            raise ValueError
        name = " ".join(_FORBIDDEN.sub("", claims.get("name") or "").split())
    except (JoseError, ValueError, KeyError, TypeError) as error:
        raise Unauthorized("The visitor's name is not signed, or too old.") from error
    return Visitor(claims["sub"], name[:NAME_MAX])


def routes(gateway: Gateway, visitor_secret: str) -> Blueprint:
    """Returns the calls of the window, and that of Lineup's webhook, `/hook`."""
    made = Blueprint("chat", __name__)
    key, writing, reading = OctKey.import_key(visitor_secret), Allowance(10, 1), Allowance(30, 3)
    made.register_error_handler(Unavailable, lambda error: Response(status=503))
    made.register_error_handler(Refused, lambda error: Response(status=error.status))

    @made.before_request
    def name_visitor() -> None:
        request.max_content_length = BYTES_MAX
        if request.method != "OPTIONS" and request.endpoint not in ("chat.file", "chat.hook"):
            g.visitor = named(request.headers.get("Authorization", ""), key)
            (reading if request.method == "GET" else writing).take(g.visitor.id)

    @made.after_request
    def allow_pages(answer: Response) -> Response:
        answer.headers.update(HEADERS)
        return answer

    @made.get(f"/<any({','.join(map(repr, FILES))}):name>")
    def file(name: str) -> Response:
        return send_from_directory(FILES[name], name, max_age=300)

    @made.post("/hook")
    def hook() -> Response:
        return Response(status=gateway.receiver.take(dict(request.headers), request.get_data()))

    @made.get("/stream")
    def stream() -> Response:
        return Response(gateway.streams.lines(g.visitor.id), mimetype="application/x-ndjson")

    @made.get("/conversation")
    def conversation() -> dict[str, Any]:
        return gateway.conversation(g.visitor, request.args.get("before", None, int))

    @made.post("/<any(messages,read,typing,beat,leave):act>")
    def act(act: str) -> Response:
        try:
            gateway.do(act, g.visitor, dict(request.get_json(force=True)))
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise BadRequest(f"{act}: {error!r}") from error
        return Response(status=204)

    return made


def serve(app: Flask, prefix: str = "") -> None:
    """Serves the calls below a prefix, beside what the app has. Settings: the environment."""
    given = os.environ
    lineup, port = Lineup(given["LINEUP"], given["KEY"]), int(given.get("PORT", "8090"))
    gateway = Gateway(lineup, given["WEBHOOK_SECRET"], given.get("FILE", "direct.sqlite"))
    app.register_blueprint(routes(gateway, given["VISITOR_SECRET"]), url_prefix=prefix)
    with gateway.sender, gateway.receiver:
        make_server("127.0.0.1", port, app, threaded=True).serve_forever()


if __name__ == "__main__":
    serve(Flask(__name__))
