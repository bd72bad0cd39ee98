"""The demo's chatbot: reads what admins do, and reports what became of their replies."""

import heapq
from collections.abc import Callable
from random import Random
from typing import Any

from demo.bot_client import BotClient
from demo.conversation import iso
from demo.simulate import EVENTS_PATH
from demo.traffic_model import TrafficModel

READ_MS = 1_000
EVENTS_MAX = 500
#: How long after the reply the customer has it, and has read it; this share is read. One in so many
#: fails, the last of them: whoever tries the demo sees what is usual first.
DELIVERED_AFTER_MS = (600, 2_500)
READ_AFTER_MS = (4_000, 45_000)
READ_SHARE = 0.7
FAILED_EVERY = 50


class Chatbot:
    """Reads by cursor, from `cursor` on ("" for all that is kept); `keep` gets each new cursor."""

    def __init__(
        self,
        client: BotClient,
        model: TrafficModel,
        random: Random,
        cursor: str = "",
        keep: Callable[[str], object] = lambda cursor: None,
    ):
        self._client = client
        self._model = model
        self._random = random
        self._cursor = cursor
        self._keep = keep
        self._read_at = 0
        self._replies = 0
        self._receipts: list[tuple[int, int, str]] = []

    def tick(self, now_ms: int) -> None:
        """Reads and posts what is due at this time."""
        if now_ms >= self._read_at:
            self._read_at = now_ms + READ_MS
            self._read(now_ms)
        self._post_receipts(now_ms)

    def _read(self, now_ms: int) -> None:
        answer = self._client.get(f"{EVENTS_PATH}?after={self._cursor}&limit={EVENTS_MAX}")
        if answer.status == 422:
            # A cursor of another database, or from before the secret key changed.
            self._cursor = ""
            return
        if answer.status != 200:
            return
        for event in answer.body["events"]:
            self._model.happened(event)
            if event["type"] == "message.created":
                self._expect_receipts(event["data"], now_ms)
        if answer.body["next"] != self._cursor:
            self._cursor = answer.body["next"]
            self._keep(self._cursor)

    def _expect_receipts(self, message: dict[str, Any], now_ms: int) -> None:
        at_ms = now_ms + self._random.randrange(*DELIVERED_AFTER_MS)
        self._replies += 1
        if self._replies % FAILED_EVERY == 0:
            heapq.heappush(self._receipts, (at_ms, message["id"], "failed"))
            return
        heapq.heappush(self._receipts, (at_ms, message["id"], "delivered"))
        if self._random.random() < READ_SHARE:
            read_at_ms = at_ms + self._random.randrange(*READ_AFTER_MS)
            heapq.heappush(self._receipts, (read_at_ms, message["id"], "read"))

    def _post_receipts(self, now_ms: int) -> None:
        due = []
        while self._receipts and self._receipts[0][0] <= now_ms:
            due.append(heapq.heappop(self._receipts))
        receipts = [
            {
                "id": f"receipt-{message_id}-{state}-{at_ms:x}",
                "type": "receipt",
                "occurred_at": iso(now_ms),
                "message_id": message_id,
                "state": state,
            }
            for at_ms, message_id, state in due
        ]
        for first in range(0, len(receipts), EVENTS_MAX):
            self._client.post(EVENTS_PATH, {"events": receipts[first : first + EVENTS_MAX]})
