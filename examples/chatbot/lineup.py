"""How the chatbot talks with Lineup: events out, webhooks in, and catching up after an absence."""

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
#: A webhook that is older was recorded by somebody, and is played back.
TOLERANCE_SECONDS = 300
CURSOR = "cursor"


def is_signed(body: bytes, headers: Any, secret: str, now: float) -> bool:
    """Whether a webhook comes from who knows the secret: Standard Webhooks 1.0, in ten lines."""
    id, at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not (at.isascii() and at.isdigit()) or abs(now - int(at)) > TOLERANCE_SECONDS:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    content = f"{id}.{at}.".encode() + body
    wanted = "v1," + base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(wanted.encode(), each.encode()) for each in given)


class Lineup:
    """Calls Lineup's bot API with the chatbot's key."""

    def __init__(self, url: str, key: str, store: Store):
        self._url = url.rstrip("/") + "/api/v1"
        self._key = key
        self._store = store
        self._bell = threading.Event()

    def start(self) -> None:
        for work in (self._keep_telling, self._catch_up):
            threading.Thread(target=work, daemon=True).start()

    def ring(self) -> None:
        """There is something to tell."""
        self._bell.set()

    def take(self, event: dict[str, Any]) -> None:
        """An event of Lineup's: from a webhook or read by cursor, and perhaps both."""
        if event["type"] == "message.created":
            message = event["data"]
            author = (message["author"] or {}).get("name", "Team")
            self._store.receive(event["thread"], author, message["body"], message["id"])
        elif event["type"] == "admin.typing":
            until = event["data"]["until"]
            self._store.remember(f"typing:{event['thread']}", until)
        elif event["type"] == "thread.closed":
            self._store.remember(f"bot:{event['thread']}", "answers")

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Raises OSError where there is no answer or no good one."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
        request = urllib.request.Request(self._url + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
            return json.load(answer)

    def _keep_telling(self) -> None:
        """Posts one event after the other, each until it is taken: its id makes that safe."""
        while True:
            waiting = self._store.next_to_tell()
            if waiting is None:
                self._bell.wait(RETRY_SECONDS)
                self._bell.clear()
                continue
            number, event = waiting
            try:
                self.call("POST", "/events", event)
            except urllib.error.HTTPError as error:
                if error.code == 429 or error.code >= 500:
                    time.sleep(RETRY_SECONDS)
                    continue
                print(f"Lineup refuses {event}: {error.read()!r}", flush=True)
            except OSError:
                time.sleep(RETRY_SECONDS)
                continue
            self._store.told(number)

    def _catch_up(self) -> None:
        """Reads what was done while the chatbot was away; webhooks bring the rest."""
        while True:
            try:
                if not self._read_on():
                    return
            except OSError:
                time.sleep(RETRY_SECONDS)

    def _read_on(self) -> bool:
        after = urllib.parse.quote(self._store.recall(CURSOR) or "")
        answer = self.call("GET", f"/events?after={after}")
        for event in answer["events"]:
            self.take(event)
        self._store.remember(CURSOR, answer["next"])
        return bool(answer["events"])
