"""One clock for all processes, whatever the clocks of their machines say (H25)."""

import logging
import time

import pytest

from dashboard import ROOT
from dashboard.clock import SharedClock
from dashboard.services import Services
from dashboard.settings import Settings
from tests.servers.lineup import SECRET_KEY
from tests.support import now_ms


class Machine:
    """A machine with a clock that is wrong by `wrong_ms`, and the clock that it shares."""

    def __init__(self, wrong_ms: int = 0):
        self.true_ms = 1_790_000_000_000.0
        self.wrong_ms = wrong_ms
        self.delays_ms: list[tuple[float, float]] = []  # of questions and of answers
        self.is_away = False
        self.clock = SharedClock(
            self._read,
            own=lambda: int(self.true_ms) + self.wrong_ms,
            ticks=lambda: self.true_ms - 1_789_000_000_000,
        )

    def _read(self) -> float:
        if self.is_away:
            raise ConnectionError
        there, back = self.delays_ms.pop(0) if self.delays_ms else (0.0, 0.0)
        self.true_ms += there
        read = self.true_ms
        self.true_ms += back
        return read


@pytest.mark.parametrize("wrong_ms", [-3_600_000, 0, 3_600_000])
def test_the_time_is_that_of_the_shared_clock(wrong_ms):
    machine = Machine(wrong_ms)
    assert machine.clock() == machine.true_ms + wrong_ms, "nothing else is known yet"
    machine.clock.adjust()
    machine.true_ms += 1_234
    assert machine.clock() == machine.true_ms
    assert machine.clock.own_ahead_ms == wrong_ms


def test_setting_the_clock_of_the_machine_changes_nothing():
    machine = Machine()
    machine.clock.adjust()
    machine.wrong_ms = 86_400_000
    assert machine.clock() == machine.true_ms


def test_the_quickest_reading_counts():
    machine = Machine()
    machine.delays_ms = [(0, 400), (1, 1), (300, 0)]
    machine.clock.adjust()
    assert abs(machine.clock() - machine.true_ms) <= 1


def test_a_slow_reading_that_proves_nothing_moves_nothing():
    machine = Machine()
    machine.clock.adjust()
    machine.delays_ms = [(0, 500)] * 3
    machine.clock.adjust()
    assert machine.clock() == machine.true_ms


def test_the_clock_follows_the_shared_one():
    machine = Machine()
    machine.clock.adjust()
    machine.true_ms += 70_000
    shared = machine.clock()
    ahead = SharedClock(lambda: shared + 5_000, own=lambda: 0, ticks=lambda: 7.0)
    ahead.adjust()
    assert ahead() == shared + 5_000


def test_small_corrections_do_not_turn_the_time_back():
    times = [1_000_000.0]
    clock = SharedClock(lambda: times[0], own=lambda: 0, ticks=lambda: 0.0)
    clock.adjust()
    seen = [clock()]
    for step in (-400, -900, +50):
        times[0] = 1_000_000.0 + step
        clock.adjust()
        seen.append(clock())
    assert seen == [1_000_000, 1_000_000, 1_000_000, 1_000_050]
    times[0] -= 3_600_000
    clock.adjust()
    assert clock() == times[0], "the shared clock itself was set back"


def test_the_clock_goes_on_while_the_shared_one_is_away():
    machine = Machine(5_000)
    machine.clock.adjust()
    machine.is_away = True
    with pytest.raises(ConnectionError):
        machine.clock.adjust()
    machine.true_ms += 60_000
    assert machine.clock() == machine.true_ms


@pytest.mark.parametrize(
    ("wrong_ms", "words"), [(2_500, "2.5 s ahead"), (-7_200_000, "7200.0 s behind")]
)
def test_a_clock_that_is_off_is_logged_once_until_it_is_right(caplog, wrong_ms, words):
    machine = Machine(wrong_ms)
    with caplog.at_level(logging.WARNING):
        machine.clock.adjust()
        machine.clock.adjust()
        assert [words in record.getMessage() for record in caplog.records] == [True]
        machine.wrong_ms = 2_000
        machine.clock.adjust()
        machine.clock.adjust()
    assert [record.getMessage() for record in caplog.records][1:] == [
        "The clock of this machine is correct again."
    ]
    assert not machine.clock.is_off


def test_with_postgresql_the_clock_is_that_of_its_server(postgres_database, monkeypatch):
    """A wrong clock of the machine changes nothing; Redis is not asked."""
    services = Services(_settings(), "")
    services.database = postgres_database
    services.shared_clock.adjust()
    _set_clock_wrong(monkeypatch)
    assert abs(services.clock() - now_ms()) < 2_000
    assert services.shared_clock.is_off


def test_with_sqlite_the_clock_is_that_of_redis(database, redis_server, monkeypatch):
    services = Services(_settings(), redis_server.url)
    services.database = database
    services.shared_clock.adjust()
    _set_clock_wrong(monkeypatch)
    assert abs(services.clock() - now_ms()) < 2_000
    assert services.shared_clock.is_off


def _settings() -> Settings:
    return Settings.from_environment({"LINEUP_SECRET_KEY": SECRET_KEY}, ROOT / "instance")


def _set_clock_wrong(monkeypatch) -> None:
    right = time.time_ns
    monkeypatch.setattr("dashboard.clock.time.time_ns", lambda: right() - 3_600 * 10**9)
    monkeypatch.setattr("tests.dashboard.test_clock.now_ms", lambda: right() // 1_000_000)
