"""A chatbot that posts a seeded stream of events to a server, and never loses one."""

import random
from datetime import UTC, datetime
from typing import Any

import requests

from tests.support import wait_until

ROLES = ("client", "client", "client", "admin", "bot")
KINDS = ("message",) * 16 + ("thread.close", "thread.reopen", "thread.handoff", "thread.priority")
#: Longer than any fault of the tests, and a server that refuses at once is asked all the time.
PATIENCE_SECONDS = 60.0


class Sender:
    """Posts events over a number of threads; the same seed makes the same decisions."""

    def __init__(self, session: requests.Session, url: str, threads: int, seed: int = 1):
        self._session = session
        self._url = url
        self._threads = threads
        self._random = random.Random(seed)
        self._run = f"run-{seed}"
        self._count = 0
        self.accepted: list[str] = []

    def fill(self) -> None:
        """A first client message in each thread."""
        self.post([self._message(number, "client") for number in range(self._threads)])

    def post_random(self, count: int, batch: int = 20) -> None:
        for first in range(0, count, batch):
            self.post([self.event() for _ in range(min(batch, count - first))])

    def post(self, events: list[dict[str, Any]]) -> None:
        """Retries, with the same ids, until everything is accepted."""
        for first in range(0, len(events), 500):
            part = events[first : first + 500]
            self._post_until_accepted(part)
            self.accepted += [event["id"] for event in part]

    def event(self) -> dict[str, Any]:
        number = self._random.randrange(self._threads)
        kind = self._random.choice(KINDS)
        if kind == "message":
            return self._message(number, self._random.choice(ROLES))
        event = self._event(kind, number)
        if kind == "thread.priority":
            event["priority"] = self._random.choice(("urgent", "high", "normal", "low"))
        return event

    def _message(self, number: int, role: str) -> dict[str, Any]:
        customer: dict[str, Any] = {"id": f"c-{number}", "name": f"Customer {number}"}
        if self._random.random() < 0.1:
            customer["member_status"] = self._random.randrange(-1, 6)
        return self._event("message", number) | {
            "role": role,
            "body": f"Message {self._count}",
            "customer": customer,
        }

    def _event(self, kind: str, number: int) -> dict[str, Any]:
        self._count += 1
        return {
            "id": f"{self._run}:{self._count}",
            "type": kind,
            "thread": f"t-{number}",
            "occurred_at": datetime.now(UTC).isoformat(timespec="milliseconds"),
        }

    def _post_until_accepted(self, events: list[dict[str, Any]]) -> None:
        accepted = "the events being accepted"
        wait_until(lambda: self._is_accepted(events), PATIENCE_SECONDS, accepted)

    def _is_accepted(self, events: list[dict[str, Any]]) -> bool:
        try:
            answer = self._session.post(
                f"{self._url}/api/v1/events", json={"events": events}, timeout=10
            )
        except requests.RequestException:
            return False
        assert answer.status_code in (200, 503), answer.text
        return answer.status_code == 200
