"""Without notifications the pulse tells dashboards of changes, within a second."""

import fakeredis
import pytest
import redis

from tests.dashboard.ordering.order import Order


@pytest.fixture
def order(database, clock) -> Order:
    made = Order(database, fakeredis.FakeRedis(), clock)
    made.tick()
    return made


@pytest.fixture
def told(order, monkeypatch) -> list:
    """The calls that the pushing parts received."""
    services, found = order.services, []
    broadcaster = services.broadcaster
    monkeypatch.setattr(broadcaster, "notify", lambda ids: found.extend(sorted(ids)))
    monkeypatch.setattr(broadcaster, "notify_queries", lambda: found.append("queries"))
    monkeypatch.setattr(broadcaster, "notify_unlisted", lambda: found.append("unlisted"))
    monkeypatch.setattr(services.view_changes, "wake", lambda: found.append("views"))
    services.pulse.observe(services.pulse_changed)
    services.pulse.turn()
    found.clear()
    return found


def test_a_pulse_tells_of_each_change_once(order, told):
    """H35, F9: whatever becomes of notifications."""
    pulse = order.services.pulse
    pulse.turn()
    assert told == []
    order.post("t")
    pulse.turn()
    assert told == ["arrival", "not_respond"]
    told.clear()
    order.services.view_changes.announce()
    pulse.turn()
    assert told == ["views"]
    told.clear()
    order.client.incr(order.ranking.keys.shared_groups()[0].calls)
    order.client.zadd(order.ranking.keys.unlisted, {"000000000001": 7})
    pulse.turn()
    assert told == ["queries", "unlisted"]


def test_after_an_outage_all_counts_as_changed(order, told, monkeypatch):
    def away():
        raise redis.ConnectionError("away")

    with monkeypatch.context() as patched:
        patched.setattr(order.ranking, "pulse", away)
        with pytest.raises(redis.ConnectionError):
            order.services.pulse.turn()
    assert order.services.pulse.latest is None and told == []
    order.services.pulse.turn()
    assert told == ["arrival", "history", "not_respond", "queries", "unlisted", "views"]
