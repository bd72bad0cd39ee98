"""Takes webhooks of Lineup, and hands what admins did to the chatbot: once, and in order."""

import sqlite3
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import datetime
from http import HTTPStatus
from typing import Any

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from lineup_client.client import Lineup, Refused
from lineup_client.storage import remember
from lineup_client.work import Background, log

#: A webhook may have been lost: so often events are read without one.
PAUSE_SECONDS = 30.0
BODY_BYTES_MAX = 1_048_576
_CURSOR = "receiver.cursor"
#: A recorded webhook is refused after 5 minutes; until then the ids of so many are known.
IDS_MAX = 10_000
#: What was handed over: names and times, see `_mark_of`. The columns are named as before.
_TAKE = (
    "INSERT INTO lineup_threads VALUES (:name, :at) ON CONFLICT (thread) DO UPDATE"
    " SET seq = :at WHERE seq < :at"
)
#: Lineup keeps events for 30 days: those of 31 days (ms) before the newest cannot come again.
_FORGET = (
    "DELETE FROM lineup_threads WHERE seq < (SELECT max(seq) FROM lineup_threads) - 2678400000"
)

#: Called with an event, a dict of the type that is named like it, such as `MessageCreated`.
Handler = Callable[[Any], object]


class Receiver(Background):
    """Reads events by cursor, at once after each webhook, and calls the handlers of their types.
    Add the handlers before it starts: an event that has none is passed over.

    `database` is the connection to `file`. A handler runs in a transaction of it, which also
    stores how far events were read. So rows that the handler writes there, and events that it sends
    by a Sender with the same file, are stored once, even if the process is killed. Other effects of
    a handler may happen again after a kill; the event has the same `id` then. An exception of a
    handler is logged, and the event is tried again before all later ones. Handlers are short: until
    one returns, nobody else can send or write in the file.
    """

    def __init__(self, lineup: Lineup, secret: str, file: str | None = None):
        super().__init__("lineup receiver", file, self.read_next, PAUSE_SECONDS)
        self._lineup = lineup
        self._webhook = Webhook(secret)
        self._handlers: dict[str, list[Handler]] = {}
        self._ids: deque[str] = deque(maxlen=IDS_MAX)

    @property
    def database(self) -> sqlite3.Connection:
        return self._storage.connection

    def on(self, type: str) -> Callable[[Handler], Handler]:
        """Decorates the handler of a type of events, such as "message.created". A handler of
        "presence.customer" or "presence.team" asks for that presence."""

        def decorate(handler: Handler) -> Handler:
            self._handlers.setdefault(type, []).append(handler)
            return handler

        return decorate

    def read_next(self) -> bool:
        """Reads and hands over the events after the cursor; returns False if there are none.

        Raises Unavailable, and what a handler raises.
        """
        cursor = self._storage.recall(_CURSOR)
        try:
            answer = self._lineup.events(cursor, include=self._presence)
        except Refused:
            if not cursor:
                raise
            # Signed with an earlier secret key of Lineup. Known events are passed over.
            log.warning("the cursor ended; all events of the last 30 days are read again")
            answer = self._lineup.events(include=self._presence)
        for event in answer["events"]:
            with self._storage.transaction() as connection:
                if connection.execute(_TAKE, _mark_of(event)).rowcount:
                    self._hand_over(event)
        with self._storage.transaction() as connection:
            connection.execute(_FORGET)
            remember(connection, _CURSOR, answer["next"])
        return bool(answer["events"])

    @property
    def _presence(self) -> list[str]:
        """The types of presence to ask for: those with a handler."""
        return sorted(type for type in self._handlers if type.startswith("presence."))

    def _hand_over(self, event: Mapping[str, Any]) -> None:
        for handler in self._handlers.get(event["type"], ()):
            handler(event)

    def take(self, headers: Mapping[str, str], body: bytes) -> HTTPStatus:
        """Takes a webhook and returns the status of its answer. Its content is not trusted for
        order: it only says that there is something to read. `admin.typing` is handed over at once,
        outside of a transaction, as it is not stored anywhere."""
        try:
            event = self._webhook.verify(body, dict(headers))
        except (WebhookVerificationError, ValueError):
            return HTTPStatus.UNAUTHORIZED
        if event["type"] != "admin.typing":
            self._worker.wake()
        elif event["id"] not in self._ids:
            self._ids.append(event["id"])
            try:
                self._hand_over(event)
            except Exception:
                log.exception("lineup receiver: a handler of admin.typing failed")
        return HTTPStatus.NO_CONTENT

    def wsgi(
        self, environ: Mapping[str, Any], start_response: Callable[..., object]
    ) -> Iterable[bytes]:
        """A WSGI application that takes webhooks at any path."""
        given = environ.get("CONTENT_LENGTH", "")
        length = int(given) if given.isdecimal() else 0
        status = _refusal(environ["REQUEST_METHOD"], length)
        if status is None:
            names = ("webhook-id", "webhook-timestamp", "webhook-signature")
            keys = {name: f"HTTP_{name.replace('-', '_').upper()}" for name in names}
            headers = {name: environ[key] for name, key in keys.items() if key in environ}
            status = self.take(headers, environ["wsgi.input"].read(length))
        start_response(f"{status.value} {status.phrase}", [("Content-Length", "0")])
        return []

    async def asgi(
        self,
        scope: Mapping[str, Any],
        receive: Callable[[], Awaitable[Mapping[str, Any]]],
        send: Callable[[dict[str, Any]], Awaitable[None]],
    ) -> None:
        """An ASGI application that takes webhooks at any path."""
        if scope["type"] != "http":
            raise ValueError(f"{scope['type']} is not taken here")
        body, more = b"", True
        while more and len(body) <= BODY_BYTES_MAX:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        status = _refusal(scope["method"], len(body))
        if status is None:
            headers = (
                (name.decode("latin-1"), text.decode("latin-1")) for name, text in scope["headers"]
            )
            status = self.take(dict(headers), body)
        start = {"type": "http.response.start", "status": status.value}
        await send(start | {"headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})


def _mark_of(event: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the name and the time (ms) by which an event is known when it comes again.

    Events of a thread are known by their ids, as its `seq` may begin again: after a restore of
    Lineup, or when its customer was deleted and has come back. The `seq` of a person's presence is
    a time: earlier ones are outdated, too.
    """
    if "thread" in event:
        moment = datetime.fromisoformat(event["occurred_at"])
        return {"name": event["id"], "at": round(1_000 * moment.timestamp())}
    return {"name": f"{event['type']}/{event['data'].get('customer', '')}", "at": event["seq"]}


def _refusal(method: str, length: int) -> HTTPStatus | None:
    if method != "POST":
        return HTTPStatus.METHOD_NOT_ALLOWED
    return HTTPStatus.REQUEST_ENTITY_TOO_LARGE if length > BODY_BYTES_MAX else None
