"""Supervisors are told whether the lists equal the database, and since when they may differ."""

import pytest

URL = "/admin/api/health"


@pytest.fixture
def boss(dashboard):
    return dashboard.sign_in("Boss", "supervisor")


def test_when_the_lists_were_last_found_equal(dashboard, boss):
    reconciler = dashboard.services.reconciler
    assert boss.get(URL).json["compared_at"] is None
    assert reconciler.tick()
    found = boss.get(URL).json
    assert found == {"late_since": None, "compared_at": dashboard.clock(), "repairs": 0}
    dashboard.clock.advance(5_000)
    assert boss.get(URL).json["compared_at"] == dashboard.clock() - 5_000


def test_since_when_they_may_be_out_of_date(dashboard, boss):
    reconciler = dashboard.services.reconciler
    assert reconciler.tick()
    compared_at = dashboard.clock()
    dashboard.server.connected = False
    dashboard.clock.advance(2_000)
    assert not reconciler.tick()
    late_since = dashboard.clock()
    dashboard.clock.advance(2_000)
    found = boss.get(URL).json
    assert (found["late_since"], found["compared_at"]) == (late_since, compared_at)
    dashboard.server.connected = True
    assert reconciler.tick()
    assert boss.get(URL).json["late_since"] is None


def test_what_was_repaired_is_counted(dashboard, boss):
    reconciler = dashboard.services.reconciler
    dashboard.say("t-1")
    reconciler.tick()
    dashboard.redis.zadd("{lineup:arrival}|longest_wait", {"no thread": 7})
    for _ in range(3):
        dashboard.clock.advance(10_000)
        reconciler.tick()
    assert boss.get(URL).json["repairs"] == 1


def test_it_is_for_supervisors(mai):
    assert mai.get(URL).status_code == 403
