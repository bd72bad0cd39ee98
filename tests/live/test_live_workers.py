"""Several web processes on one Redis: each hears its own bell and serves its own sockets."""

import pytest

from tests.live.desk import Desk
from tests.live_server import LiveServer
from tests.support import wait_until

pytestmark = [pytest.mark.live, pytest.mark.real_redis]
LISTS = [("arrival", "arrival"), ("not_respond", "longest_wait"), ("arrival", "priority")]


@pytest.fixture(scope="module", params=["eventlet", "gevent"])
def desks(request, tmp_path_factory, redis_server):
    """Two servers on one database and one Redis."""
    url = f"sqlite:///{tmp_path_factory.mktemp(request.param) / 'lineup.sqlite'}"
    redis_server.client().flushall()
    options = {"async_mode": request.param}
    with (
        LiveServer(url, redis_server.url, **options) as one,
        LiveServer(url, redis_server.url, **options) as other,
    ):
        desk = Desk(one, redis_server)
        yield desk, desk.at(other)


def test_what_one_server_takes_is_seen_at_the_other(desks):
    here, there = desks
    with here.browser() as near, there.browser() as far:
        for browser in (near, far):
            for page, sort in LISTS:
                browser.open(page, sort)
        for number in range(10):
            (here, there)[number % 2].say(f"both-{number % 4}")
        for page, sort in LISTS:
            for browser in (near, far):
                wait_until(
                    lambda b=browser, p=page, s=sort: b.ids(p, s) == here.in_sql(p, s),
                    what=f"{page}/{sort}",
                )
        wait_until(
            lambda: (
                totals_of(near) == totals_of(far) == {"all", "unassigned", "mine"}
                and numbers_of(near) == numbers_of(far)
            ),
            what="the same totals at both",
        )


def totals_of(browser) -> set[str]:
    """The filters that were told of."""
    return set(numbers_of(browser))


def numbers_of(browser) -> dict:
    """What was told last of each filter."""
    return {told["filter"]: told for told in browser.of("pages:totals")}


def test_a_message_reaches_who_has_its_thread_open_at_the_other(desks):
    here, there = desks
    id = here.say("talk")
    with there.browser() as browser:
        assert browser.call("thread:open", {"id": id})["ok"]
        here.say("talk", body="across")
        assert browser.wait_for("thread:message")["message"]["body"] == "across"


def test_a_list_is_taken_up_at_another_server_where_it_was_left(desks):
    here, there = desks
    with here.browser() as browser:
        left = browser.open("arrival", "arrival")
    id = here.say("meanwhile")
    named = {"page": "arrival", "sort": "arrival", "filter": "all"}
    with there.browser() as browser:
        synced = browser.call(
            "list:sync", named | {"epoch": left["epoch"], "version": left["version"]}
        )
        assert synced["resync"] is False
        assert [entry[0] for entry in synced["set"]] == [id]


def test_wrong_attempts_are_counted_at_all_servers_together(desks):
    here, there = desks
    codes = []
    for number in range(6):
        desk = (here, there)[number % 2]
        given = {"email": "nobody@example.com", "password": "x"}
        headers = {"Origin": desk.server.url}
        url = f"{desk.server.url}/login"
        codes.append(desk.mai.post(url, json=given, headers=headers).status_code)
    assert codes == [401] * 5 + [429]


def test_workers_share_a_port(tmp_path, redis_server):
    url = f"sqlite:///{tmp_path / 'lineup.sqlite'}"
    redis_server.client().flushall()
    with LiveServer(url, redis_server.url, workers=2) as server:
        desk = Desk(server, redis_server)
        browsers = [desk.browser() for _ in range(6)]
        try:
            for browser in browsers:
                browser.open("arrival", "arrival")
            id = desk.say("shared")
            for browser in browsers:
                wait_until(lambda b=browser: b.ids("arrival", "arrival") == [id], 10)
        finally:
            for browser in browsers:
                browser.client.disconnect()
