"""The presence of the simulated customers: heartbeats, typing, idling and leaving."""

from collections.abc import Callable
from random import Random
from typing import Any

from demo.traffic_model import TrafficModel

#: Calls the bot API once, with path and document; whether it was accepted.
PostOnce = Callable[[str, Any], bool]

PRESENCE_PATH, OFFLINE_PATH = "/api/v1/presence", "/api/v1/presence/offline"
TYPING_PATH = "/api/v1/typing"
#: Intervals of heartbeats and of typing.
BEAT_MS, TYPING_MS = 20_000, 2_000
#: Share of the online customers who leave before each heartbeat, and who are idle at it.
LEAVE_SHARE, IDLE_SHARE = 0.1, 0.2
ONLINE_MAX = 500
DEVICES = (("web", 6), ("mobile", 4), ("desktop", 1), ("tablet", 1))
_TYPES = [name for name, _ in DEVICES]
_WEIGHTS = [weight for _, weight in DEVICES]


class CustomerPresence:
    """Sends heartbeats for the customers who are online, and typing for those about to write.

    A call that is not accepted (a key without the scope, presence away) is not repeated.
    """

    def __init__(self, model: TrafficModel, post_once: PostOnce, random: Random):
        self._model = model
        self._post_once = post_once
        self._random = random
        self._online: dict[str, str] = {}
        self._beat_at = self._typing_at = 0

    def tick(self, now_ms: int) -> None:
        """Sends what is due at this time."""
        if now_ms >= self._typing_at:
            self._typing_at = now_ms + TYPING_MS
            for thread, customer in self._model.about_to_write(now_ms + 2 * TYPING_MS):
                self._post_once(TYPING_PATH, {"thread": thread, "customer": customer})
        if now_ms >= self._beat_at:
            self._beat_at = now_ms + BEAT_MS
            self._add_writers()
            self._remove_some()
            self._beat()

    def _add_writers(self) -> None:
        for customer in self._model.writers():
            if len(self._online) < ONLINE_MAX:
                self._online.setdefault(customer, self._random.choices(_TYPES, _WEIGHTS)[0])

    def _remove_some(self) -> None:
        leaving = [each for each in self._online if self._random.random() < LEAVE_SHARE]
        for customer in leaving:
            del self._online[customer]
        if leaving:
            # Half of them announce it; the others go offline when their heartbeats stop.
            announced = [each for each in leaving if self._random.random() < 0.5]
            devices = [{"customer": each, "device": _device(each)} for each in announced]
            if devices:
                self._post_once(OFFLINE_PATH, {"devices": devices})

    def _beat(self) -> None:
        beats = [
            {
                "customer": customer,
                "device": _device(customer),
                "type": kind,
                "active": self._random.random() >= IDLE_SHARE,
            }
            for customer, kind in self._online.items()
        ]
        if beats:
            self._post_once(PRESENCE_PATH, {"beats": beats})


def _device(customer: str) -> str:
    return f"of-{customer}"[:128]
