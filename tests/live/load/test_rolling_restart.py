"""All workers are replaced under load: no call fails, nothing is lost, nobody is shown as gone.

The decisions behind this are tested without processes in tests/dashboard/cli/workers,
tests/dashboard/transport/test_sending_away.py and tests/dashboard/presence.
"""

import os
import re
import signal

import pytest
import sqlalchemy as sa

from dashboard.db.models.threads import events
from tests.drivers.lineup import running_lineup
from tests.live.load.returning import ReturningDashboard, Traffic
from tests.support import wait_until

pytestmark = pytest.mark.slow

A_SECOND = 100
LISTS = [("arrival", "arrival"), ("not_respond", "longest_wait")]
RESTARTS = 2


@pytest.fixture(params=[("eventlet", 2), ("gevent", 3)], ids=["eventlet", "gevent"])
def lineup(request, tmp_path):
    async_mode, workers = request.param
    with running_lineup(
        tmp_path, async_mode=async_mode, workers=workers, LINEUP_LOG_LEVEL="INFO"
    ) as made:
        wait_until(lambda: accepting(made) == workers, what="all workers")
        yield made


def metric(lineup, name):
    text = lineup.mai.get(f"{lineup.server.url}/metrics").text
    found = re.search(rf"^{re.escape(name)} ([0-9.e+]+)$", text, re.MULTILINE)
    return float(found[1]) if found else 0


def accepting(lineup):
    return metric(lineup, "lineup_accepting")


def replace_all(lineup):
    """Waits until all workers are new ones."""
    before = set(lineup.server.worker_pids())
    assert len(before) == lineup.server.workers
    lineup.server.process.send_signal(signal.SIGHUP)

    def replaced():
        now = set(lineup.server.worker_pids())
        return len(now) == len(before) and not now & before

    wait_until(replaced, 300, f"other workers than {before}")


def dashboards_of(lineup, count):
    """Windows of two admins; each sees the presence of both."""
    sessions = [lineup.mai, lineup.server.sign_in(lineup.ken_email)]
    me = f"{lineup.server.url}/admin/api/me"
    watched = [str(session.get(me).json()["id"]) for session in sessions]
    made = [
        ReturningDashboard(lineup.server, sessions[number % 2], watched=watched)
        for number in range(count)
    ]
    for each in made:
        for view, sort in LISTS:
            each.open(view, sort)
    return made, watched


def stored_ids(lineup):
    with lineup.database.read() as connection:
        return set(connection.scalars(sa.select(events.c.external_id)))


def all_come_back(dashboards, returns):
    """Waits until each dashboard has come back more often than before."""
    wait_until(
        lambda: all(
            each.is_settled() and each.returns > count
            for each, count in zip(dashboards, returns, strict=True)
        ),
        what=f"each dashboard coming back: {[each.errors for each in dashboards]}",
    )


def holds_what_is_stored(lineup, dashboard):
    for view, sort in LISTS:
        wait_until(
            lambda p=view, s=sort: dashboard.ids(p, s) == lineup.in_sql(p, s),
            what=f"{view}/{sort} as SQL has it",
        )
        fresh = dashboard.call("list:open", {"view": view, "sort": sort, "limit": 500})
        assert dashboard.ids(view, sort) == fresh["ids"]


def statuses_shown(dashboards, people):
    """Returns every status of these people that a dashboard was sent since its first return."""
    updates = [
        data["presence"]
        for each in dashboards
        for event, data in each.events[each.events_at_first_return :]
        if event == "presence:update"
    ]
    return [states[one]["status"] for states in updates for one in people if one in states]


def test_all_workers_are_replaced_under_load(lineup):
    """H33, H34: with events of 100 a second, twice."""
    dashboards, people = dashboards_of(lineup, 6)
    try:
        with Traffic(lineup, A_SECOND) as traffic:
            for _ in range(RESTARTS):
                returns = [each.returns for each in dashboards]
                replace_all(lineup)
                all_come_back(dashboards, returns)
                traffic.goes_on()
        assert traffic.failures == []
        assert set(traffic.accepted) <= stored_ids(lineup)
        created = 'lineup_events_total{status="created"}'
        # The other worker's counts are up to a second old.
        wait_until(
            lambda: metric(lineup, created) == len(traffic.accepted), what="every event counted"
        )
        for each in dashboards:
            assert each.errors == []
            holds_what_is_stored(lineup, each)
        shown = statuses_shown(dashboards, people)
        assert len(shown) >= 2 * len(dashboards) and "offline" not in shown
    finally:
        for each in dashboards:
            each.disconnect()


def test_a_second_signal_ends_a_worker_that_hangs(lineup):
    """H33"""
    hanging = lineup.server.worker_pids()[0]
    os.kill(hanging, signal.SIGSTOP)
    process = lineup.server.process
    process.send_signal(signal.SIGTERM)
    wait_until(lambda: len(lineup.server.worker_pids()) == 1, what="the end of the others")
    assert process.poll() is None, "it waits for the one that hangs"
    process.send_signal(signal.SIGTERM)
    assert process.wait(10) == 0
    wait_until(lambda: not os.path.exists(f"/proc/{hanging}"), what="the end of what hung")


def test_a_worker_that_was_killed_takes_no_counts_along(lineup):
    """H34: a number that was shown once does not get smaller."""
    lineup.post(*[lineup.message_event(f"k-{number}") for number in range(20)])
    created = 'lineup_events_total{status="created"}'
    wait_until(lambda: metric(lineup, created) == 20, what="the events in the numbers of all")
    killed = lineup.server.worker_pids()
    for pid in killed:
        os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not set(killed) & set(lineup.server.worker_pids()), what="new workers")
    wait_until(lambda: accepting(lineup) == lineup.server.workers, what="all workers")
    assert metric(lineup, created) == 20
