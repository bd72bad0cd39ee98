"""What a dashboard held at quiet moments is what the past says of them later, also if Redis was
emptied and workers were killed in between."""

import os
import random
import signal
import time
from typing import NamedTuple

import pytest

from tests.drivers.dashboard import DashboardDriver
from tests.drivers.lineup import LineupDriver, rfc3339, running_lineup
from tests.live.queues.scene import accepting
from tests.support import now_ms, wait_until

pytestmark = pytest.mark.slow

#: Views, and queries by their text; time changes the last one.
LISTS = (
    ("arrival", "arrival", "all"),
    ("not_respond", "longest_wait", "unassigned"),
    ("history", "priority", "all"),
    ("?(last:client or is:closed)", "unanswered_first", "all"),
    ("?waits:>4s", "longest_wait", "all"),
)
ROUNDS, THREADS = 12, 9
#: A moment is quiet if nothing was posted so long before, and nothing arrives so long after it.
BEFORE_SECONDS, AFTER_SECONDS = 1.0, 0.5


class Moment(NamedTuple):
    """What the dashboard held: for each list its entries of (id, score)."""

    at: int
    held: dict[tuple[str, str, str], list[tuple[int, int]]]


def test_the_past_is_what_a_dashboard_held(tmp_path):
    chosen = random.Random(11)
    with running_lineup(tmp_path, workers=2) as lineup, lineup.dashboard() as dashboard:
        for name in LISTS:
            dashboard.open(*name)
        moments = []
        for number in range(ROUNDS):
            for _ in range(chosen.randint(1, 6)):
                happen(lineup, chosen)
            if number % 4 == 1:
                lineup.redis.client().flushall()
            elif number % 4 == 3:
                kill_a_worker(lineup, dashboard, chosen)
            moments += quiet_moment(lineup, dashboard)
        assert len(moments) > ROUNDS / 2
        for moment in moments:
            for name, entries in moment.held.items():
                assert past(lineup, name, moment.at) == entries, (moment.at, name)
        assert len({str(moment.held) for moment in moments}) == len(moments), "each differs"


def happen(lineup: LineupDriver, chosen: random.Random) -> None:
    """Something happens to one thread, also late."""
    thread = f"t-{chosen.randrange(THREADS)}"
    id = lineup.say(thread, at_ms=now_ms() - chosen.choice((0, 0, 60_000)))
    what = chosen.choice(("nothing", "close", "claim", "priority", "replies"))
    path = f"{lineup.server.url}/admin/api/threads/{id}"
    if what == "priority":
        body = {"priority": chosen.choice(("low", "urgent"))}
        lineup.mai.put(f"{path}/priority", json=body).raise_for_status()
    elif what != "nothing":
        body = {"body": "Hello", "token": f"k-{now_ms()}"} if what == "replies" else {}
        answer = lineup.mai.post(f"{path}/{what}", json=body)
        assert answer.status_code in (200, 201, 409), answer.text


def kill_a_worker(lineup: LineupDriver, dashboard: DashboardDriver, chosen: random.Random) -> None:
    """The dashboard connects again, to whichever worker is there."""
    dashboard.disconnect()
    os.kill(chosen.choice(lineup.server.worker_pids()), signal.SIGKILL)
    wait_until(lambda: accepting(lineup.server) == 2, what="another worker")
    dashboard.connect()


def quiet_moment(lineup: LineupDriver, dashboard: DashboardDriver) -> list[Moment]:
    """Returns a moment at which the dashboard was up to date; none if something arrived."""
    begun = time.monotonic()
    for view, sort, filter in LISTS[:3]:
        wait_until(
            lambda v=view, s=sort, f=filter: dashboard.ids(v, s, f) == lineup.in_sql(v, s, f),
            what="the lists of SQL",
        )
    time.sleep(max(0.0, BEFORE_SECONDS - (time.monotonic() - begun)))
    frames = len(dashboard.frames)
    held = {name: dashboard.entries(*name) for name in LISTS}
    at = now_ms()
    time.sleep(AFTER_SECONDS)
    return [Moment(at, held)] if len(dashboard.frames) == frames else []


def past(lineup: LineupDriver, name: tuple[str, str, str], at: int) -> list[tuple[int, int]]:
    view, sort, filter = name
    listed = {"query": view[1:]} if view.startswith("?") else {"view": view}
    query = listed | {"sort": sort, "filter": filter, "at": rfc3339(at), "limit": 100}
    answer = lineup.mai.get(f"{lineup.server.url}/admin/api/history", params=query)
    assert answer.status_code == 200, answer.text
    part = answer.json()
    assert part["total"] == len(part["ids"])
    return list(zip(part["ids"], part["scores"], strict=True))
