"""What a dashboard held at random moments is what the past says of them later, also if Redis was
emptied and workers were killed in between."""

import os
import random
import signal
from typing import NamedTuple

import pytest
from sqlalchemy import func, select

from dashboard.db.lists import named_lists
from dashboard.db.models.threads import threads
from tests.drivers.admin import AdminDriver
from tests.drivers.dashboard import DashboardDriver, ListName
from tests.drivers.lineup import LineupDriver, rfc3339, running_lineup
from tests.live.queues.scene import accepting
from tests.support import now_ms, wait_until

pytestmark = pytest.mark.slow

#: Views, and queries by their text; time changes the last one.
LISTS: tuple[ListName, ...] = (
    ("arrival", "arrival", "all"),
    ("not_respond", "longest_wait", "unassigned"),
    ("history", "priority", "all"),
    ("?(last:client or is:closed)", "unanswered_first", "all"),
    ("?waits:>4s", "longest_wait", "all"),
)
THREADS = 9
Held = dict[ListName, list[tuple[int, int]]]


class Moment(NamedTuple):
    """What the dashboard held: for each list its entries of (id, score)."""

    at: int
    held: Held


@pytest.mark.parametrize(("count", "every"), [(24, 3), (1_000, 40)])
def test_the_past_is_what_a_dashboard_held(tmp_path, count, every):
    """One moment after each of `count` changes; before one in `every`, Redis is emptied or a worker
    killed, in turns."""
    chosen = random.Random(count)
    with running_lineup(tmp_path, workers=2) as lineup, lineup.dashboard() as dashboard:
        admin_id = AdminDriver(lineup.server.url, lineup.mai).id
        for name in LISTS:
            dashboard.open(*name)
        moments = []
        for number in range(count):
            if number % (2 * every) == every:
                lineup.redis.client().flushall()
            elif number % (2 * every) == 2 * every - 1:
                kill_a_worker(lineup, dashboard, chosen)
            happen(lineup, chosen)
            moments.append(moment(lineup, dashboard, admin_id))
        for at, held in moments:
            for name, entries in held.items():
                assert past(lineup, name, at) == entries, (at, name)
        assert len({str(held) for _, held in moments}) > count / 2, "most differ"


def moment(lineup: LineupDriver, dashboard: DashboardDriver, admin_id: int) -> Moment:
    """Returns a moment for which the dashboard is up to date."""

    def found() -> Moment | None:
        at, expected = in_sql(lineup, admin_id)
        held = {name: dashboard.entries(*name) for name in LISTS}
        return Moment(at, held) if held == expected else None

    return wait_until(found, 60, "the lists of SQL")


def in_sql(lineup: LineupDriver, admin_id: int) -> tuple[int, Held | None]:
    """Returns a moment, and the lists as SQL has them then: none if a state begins later, or if
    time has changed one and it is not taken up yet, so that its state may begin before."""
    lasting = select(func.max(threads.c.listed_at), func.min(threads.c.next_change_at))
    with lineup.database.read() as connection:
        at = now_ms()
        last, due = connection.execute(lasting).one()
        if last > at or (due is not None and due <= at):
            return at, None
        expected = {}
        for name in LISTS:
            named = named_lists.find(connection, list_name(*name), admin_id)
            entries, _ = named.listed(connection, at, 100)
            expected[name] = [(entry.id, entry.score) for entry in entries]
    return at, expected


def list_name(view: str, sort: str, filter: str) -> named_lists.ListName:
    query = view[1:] if view.startswith("?") else None
    return named_lists.ListName(None if query else view, sort, filter, query)


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
    # Their connections may be those of the worker that is gone.
    lineup.bot.close()
    lineup.mai.close()
    dashboard.connect()


def past(lineup: LineupDriver, name: tuple[str, str, str], at: int) -> list[tuple[int, int]]:
    view, sort, filter = name
    listed = {"query": view[1:]} if view.startswith("?") else {"view": view}
    query = listed | {"sort": sort, "filter": filter, "at": rfc3339(at), "limit": 100}
    answer = lineup.mai.get(f"{lineup.server.url}/admin/api/history", params=query)
    assert answer.status_code == 200, answer.text
    part = answer.json()
    assert part["total"] == len(part["ids"])
    return list(zip(part["ids"], part["scores"], strict=True))
