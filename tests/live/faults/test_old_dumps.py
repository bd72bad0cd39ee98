"""Redis comes back from an older dump: nobody goes on with a history that did not happen."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import MODES
from tests.drivers.lineup import LineupDriver, running_lineup
from tests.servers.redis import RedisServer
from tests.support import wait_until

pytestmark = pytest.mark.slow

LISTS = (("arrival", "arrival"), ("not_respond", "longest_wait"), ("history", "priority"))
RECOVERY_SECONDS = 10
SAME_ORDER = "same order"


class Dumps:
    """A Redis server whose dump of some moment is kept, and restored later."""

    def __init__(self, server: RedisServer):
        self._server = server
        self._kept = Path(f"{self._current()}.kept")

    def keep(self) -> None:
        self._server.client().save()
        shutil.copy(self._current(), self._kept)

    def kill_and_restore(self) -> None:
        current = self._current()
        self._server.kill()
        shutil.copy(self._kept, current)
        self._server.start()

    def _current(self) -> Path:
        return Path(self._server.client().config_get("dir")["dir"], "dump.rdb")


@pytest.fixture(params=MODES)
def lineup(request, tmp_path) -> Iterator[LineupDriver]:
    """A server of the test's own, for its Redis reads an old dump."""
    with running_lineup(tmp_path, async_mode=request.param) as made:
        yield made


def check_says_the_same(lineup: LineupDriver) -> bool:
    try:
        return SAME_ORDER in lineup.server.command("check")
    except AssertionError:
        return False


def is_right(lineup: LineupDriver) -> bool:
    with lineup.dashboard() as fresh:
        answers = [(fresh.open(*place), lineup.in_sql(*place)) for place in LISTS]
    return all(answer["ids"] == sql and "late" not in answer for answer, sql in answers)


def test_a_page_that_slept_across_an_old_dump_and_a_storm_opens_its_lists_anew(lineup):
    """H1: its version lies within the new history, but was never part of it."""
    dumps = Dumps(lineup.redis)
    lineup.fill()
    dumps.keep()
    with lineup.dashboard() as awake, lineup.dashboard() as sleeper:
        for place in LISTS:
            awake.open(*place)
            sleeper.open(*place)
        for name in lineup.names[:20]:
            lineup.say(name)
        wait_until(lambda: sleeper.ids("arrival", "arrival") == lineup.in_sql("arrival", "arrival"))
        sleeper.disconnect()
        dumps.kill_and_restore()
        for name in lineup.names[50:90]:
            lineup.say(name)
        sleeper.connect()
        for dashboard in (awake, sleeper):
            for place in LISTS:
                wait_until(
                    lambda d=dashboard, p=place: d.ids(*p) == lineup.in_sql(*p),
                    RECOVERY_SECONDS,
                    f"{place} being SQL's",
                )
    wait_until(lambda: check_says_the_same(lineup), RECOVERY_SECONDS, "`check` saying the same")


def test_server_and_redis_restarted_from_an_older_dump(lineup):
    """H2: below the heads, too; and `check` never says that they agree while they differ."""
    dumps = Dumps(lineup.redis)
    lineup.fill()
    dumps.keep()
    for name in lineup.names[:40]:
        lineup.say(name, at_ms=1_700_000_000_000)
        lineup.close_thread(name)
    lineup.server.kill()
    dumps.kill_and_restore()
    assert not check_says_the_same(lineup), "Redis holds the order of before"
    lineup.server.start()
    wait_until(lambda: is_right(lineup), RECOVERY_SECONDS, "the lists being right")
    # A dashboard was open: the list of its admin's mentions may be built only now.
    wait_until(lambda: check_says_the_same(lineup), RECOVERY_SECONDS, "`check` saying the same")
