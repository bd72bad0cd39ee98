"""Workers whose clocks differ, on one Redis."""

import pytest

from dashboard.presence.service import TRUTH, PresenceService
from presence.people import Beat, Connection
from presence.settings import Settings
from tests.support import SettableClock

HOUR_MS = 3_600_000
LIFETIME_MS = 90_000


@pytest.mark.parametrize("off_ms", [HOUR_MS, -HOUR_MS], ids=["ahead", "behind"])
def test_presence_uses_the_clock_of_redis_alone(database, client, clock, off_ms):
    """F43: one worker's clock is an hour off; nobody is online or offline by it."""
    right = PresenceService(client, database, clock)
    wrong = PresenceService(client, database, SettableClock(clock() + off_ms))
    before_ms = right.customers.now_ms()
    for opening, watching, person in ((wrong, right, "shop/a"), (right, wrong, "shop/b")):
        opening.customers.open(Connection(person, "c1", "web"), Settings())
        beats = [Beat(person, "c1", LIFETIME_MS, None)]
        assert opening.customers.beat(beats) == watching.customers.beat(beats) == []
        state = watching.look_up("customer", [person], TRUTH)[person]
        assert state["status"] == "online"
        assert before_ms <= state["at"] <= right.customers.now_ms()
        watching.customers.close(person, "c1")
        state = opening.look_up("customer", [person], TRUTH)[person]
        assert state["status"] == "offline"
        assert before_ms <= state["last_seen"] <= right.customers.now_ms()
