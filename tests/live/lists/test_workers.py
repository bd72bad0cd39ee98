"""Several web processes on one Redis: each gets notifications and serves its own sockets."""

import pytest

from tests.drivers.lineup import LineupDriver
from tests.servers.lineup import LiveServer
from tests.support import wait_until

pytestmark = pytest.mark.slow

LISTS = [("arrival", "arrival"), ("not_respond", "longest_wait"), ("arrival", "priority")]


@pytest.fixture(scope="module", params=["eventlet", "gevent"])
def servers(request, tmp_path_factory, redis_server):
    """Two servers on one database and one Redis."""
    url = f"sqlite:///{tmp_path_factory.mktemp(request.param) / 'lineup.sqlite'}"
    redis_server.client().flushall()
    options = {"async_mode": request.param}
    with (
        LiveServer(url, redis_server.url, **options) as one,
        LiveServer(url, redis_server.url, **options) as other,
    ):
        lineup = LineupDriver(one, redis_server)
        yield lineup, lineup.at(other)


def test_an_event_at_one_server_reaches_dashboards_at_the_other(servers):
    """Case B8."""
    here, there = servers
    with here.dashboard() as near, there.dashboard() as far:
        for dashboard in (near, far):
            for view, sort in LISTS:
                dashboard.open(view, sort)
        for number in range(10):
            (here, there)[number % 2].say(f"both-{number % 4}")
        for view, sort in LISTS:
            for dashboard in (near, far):
                wait_until(
                    lambda b=dashboard, p=view, s=sort: b.ids(p, s) == here.in_sql(p, s),
                    what=f"{view}/{sort}",
                )
        wait_until(
            lambda: (
                set(near.totals()) == {"all", "unassigned", "mine"}
                and near.totals() == far.totals()
            ),
            what="the same totals at both",
        )


def test_a_message_reaches_admins_of_the_other_worker_with_the_thread_open(servers):
    here, there = servers
    id = here.say("talk")
    with there.dashboard() as dashboard:
        assert dashboard.call("thread:open", {"id": id})["ok"]
        here.say("talk", body="across")
        assert dashboard.wait_for("thread:message")["message"]["body"] == "across"


def test_a_list_is_taken_up_at_another_server_where_it_was_left(servers):
    here, there = servers
    with here.dashboard() as dashboard:
        left = dashboard.open("arrival", "arrival")
    id = here.say("meanwhile")
    named = {"view": "arrival", "sort": "arrival", "filter": "all"}
    with there.dashboard() as dashboard:
        synced = dashboard.call(
            "list:sync", named | {"epoch": left["epoch"], "version": left["version"]}
        )
        assert synced["resync"] is False
        assert [entry[0] for entry in synced["set"]] == [id]


def test_wrong_attempts_are_counted_at_all_servers_together(servers):
    here, there = servers
    codes = []
    for number in range(6):
        lineup = (here, there)[number % 2]
        given = {"email": "nobody@example.com", "password": "x"}
        headers = {"Origin": lineup.server.url}
        url = f"{lineup.server.url}/login"
        codes.append(lineup.mai.post(url, json=given, headers=headers).status_code)
    assert codes == [401] * 5 + [429]


def test_workers_share_a_port(tmp_path, redis_server):
    url = f"sqlite:///{tmp_path / 'lineup.sqlite'}"
    redis_server.client().flushall()
    with LiveServer(url, redis_server.url, workers=2) as server:
        lineup = LineupDriver(server, redis_server)
        dashboards = [lineup.dashboard() for _ in range(6)]
        try:
            for dashboard in dashboards:
                dashboard.open("arrival", "arrival")
            id = lineup.say("shared")
            for dashboard in dashboards:
                wait_until(lambda b=dashboard: b.ids("arrival", "arrival") == [id], 10)
        finally:
            for dashboard in dashboards:
                dashboard.disconnect()
