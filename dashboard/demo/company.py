"""The customers of a simulated desk as people: they are there, write, look away and leave."""

from collections.abc import Callable
from random import Random
from typing import Any

from dashboard.demo.desk import Desk

#: Calls the bot API once: path and document; whether it was taken.
Tell = Callable[[str, Any], bool]

PRESENCE_PATH, OFFLINE_PATH = "/api/v1/presence", "/api/v1/presence/offline"
TYPING_PATH = "/api/v1/typing"
#: Beats go out so often, and typing is looked for so often.
BEAT_MS, TYPING_MS = 20_000, 2_000
#: Somebody who has nothing more to say stays about so many beats.
LEAVE_SHARE, IDLE_SHARE = 0.1, 0.2
HERE_MAX = 500
DEVICES = (("web", 6), ("mobile", 4), ("desktop", 1), ("tablet", 1))
_TYPES = [name for name, _ in DEVICES]
_WEIGHTS = [weight for _, weight in DEVICES]


class Company:
    """Called now and then with the time; beats for who is here, and says who is writing.

    Where a call is not taken (a key without the scope, presence away) nothing depends on it.
    """

    def __init__(self, desk: Desk, tell: Tell, random: Random):
        self._desk = desk
        self._tell = tell
        self._random = random
        self._here: dict[str, str] = {}
        self._beat_at = self._typing_at = 0

    def __call__(self, now_ms: int) -> None:
        if now_ms >= self._typing_at:
            self._typing_at = now_ms + TYPING_MS
            for thread, customer in self._desk.about_to_write(now_ms + 2 * TYPING_MS):
                self._tell(TYPING_PATH, {"thread": thread, "customer": customer})
        if now_ms >= self._beat_at:
            self._beat_at = now_ms + BEAT_MS
            self._come()
            self._leave()
            self._beat()

    def _come(self) -> None:
        for customer in self._desk.writers():
            if len(self._here) < HERE_MAX:
                self._here.setdefault(customer, self._random.choices(_TYPES, _WEIGHTS)[0])

    def _leave(self) -> None:
        gone = [one for one in self._here if self._random.random() < LEAVE_SHARE]
        for customer in gone:
            del self._here[customer]
        if gone:
            # Some of them say so; the others are found out by their silence.
            said = [one for one in gone if self._random.random() < 0.5]
            devices = [{"customer": one, "device": _device(one)} for one in said]
            if devices:
                self._tell(OFFLINE_PATH, {"devices": devices})

    def _beat(self) -> None:
        beats = [
            {
                "customer": customer,
                "device": _device(customer),
                "type": kind,
                "active": self._random.random() >= IDLE_SHARE,
            }
            for customer, kind in self._here.items()
        ]
        if beats:
            self._tell(PRESENCE_PATH, {"beats": beats})


def _device(customer: str) -> str:
    return f"of-{customer}"[:128]
