"""The chatbot's client of Lineup: posts events, takes webhooks, reads what it missed."""

import base64
import hashlib
import hmac
import json
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

from store import Store

TIMEOUT_SECONDS = 10
RETRY_SECONDS = 1.0
#: Interval of reading events without a webhook, because one may have been lost.
READ_SECONDS = 60.0
#: Lineup will never take such an event, however often it is posted.
REFUSED = (400, 409, 413, 422)
#: Older webhooks are refused: they may be recordings that somebody sends again.
TOLERANCE_SECONDS = 300
CURSOR = "cursor"


def is_signed(body: bytes, headers: Any, secret: str, now: float) -> bool:
    """Whether a webhook was signed with the secret, as Standard Webhooks 1.0 says."""
    id, at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not (at.isascii() and at.isdigit()) or abs(now - int(at)) > TOLERANCE_SECONDS:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    content = f"{id}.{at}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
    signatures = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(expected.encode(), each.encode()) for each in signatures)


class Lineup:
    """Calls Lineup's bot API with the chatbot's key."""

    def __init__(self, url: str, key: str, store: Store):
        self._url = url.rstrip("/") + "/api/v1"
        self._key = key
        self._store = store
        self._wakeup = threading.Event()
        self._has_new = threading.Event()

    def start(self) -> None:
        for work in (self._keep_posting, self._keep_reading):
            threading.Thread(target=work, daemon=True).start()

    def wake(self) -> None:
        """Call it when an event was stored to be posted."""
        self._wakeup.set()

    def take_webhook(self, event: dict[str, Any]) -> None:
        """Notes that an admin is typing. Other events are read from Lineup, in their order."""
        if event["type"] == "admin.typing":
            self._store.remember(f"typing:{event['thread']}", event["data"]["until"])
        else:
            self._has_new.set()

    def take(self, event: dict[str, Any]) -> None:
        """Handles an event of Lineup; it may come twice, after a crash."""
        if event["type"] == "message.created":
            message = event["data"]
            author = (message["author"] or {}).get("name", "Team")
            self._store.receive(event["thread"], author, message["body"], message["id"])
        elif event["type"] == "thread.closed":
            self._store.remember(f"bot:{event['thread']}", "answers")

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Returns the JSON answer. Raises OSError if there is none, or an error."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
        request = urllib.request.Request(self._url + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
            return json.load(answer)

    def _keep_posting(self) -> None:
        while True:
            try:
                if self.post_next():
                    continue
            except OSError:
                time.sleep(RETRY_SECONDS)
                continue
            self._wakeup.wait(RETRY_SECONDS)
            self._wakeup.clear()

    def post_next(self) -> bool:
        """Posts the event that was stored first; returns False if there is none.

        The next one is posted after Lineup has taken this one: so each thread keeps its order.
        The id makes it safe to post an event again. Raises OSError if it is to be posted again.
        """
        next_event = self._store.next_to_post()
        if next_event is None:
            return False
        number, event = next_event
        try:
            self.call("POST", "/events", event)
        except urllib.error.HTTPError as error:
            if error.code not in REFUSED:
                print(f"Lineup does not take events now: {error}", flush=True)
                raise
            print(f"Lineup refuses {event}: {error.read()!r}", flush=True)
        self._store.mark_posted(number)
        return True

    def _keep_reading(self) -> None:
        """Reads what was done in Lineup: at once, then after each webhook."""
        while True:
            self._has_new.clear()
            try:
                while self._read_next():
                    pass
            except OSError:
                time.sleep(RETRY_SECONDS)
                continue
            self._has_new.wait(READ_SECONDS)

    def _read_next(self) -> bool:
        after = urllib.parse.quote(self._store.recall(CURSOR) or "")
        answer = self.call("GET", f"/events?after={after}")
        for event in answer["events"]:
            self.take(event)
        self._store.remember(CURSOR, answer["next"])
        return bool(answer["events"])
