"""A database is restored under dashboards and a chatbot that have seen later states of it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.drivers.admin import AdminDriver
from tests.drivers.dashboard import DashboardDriver
from tests.drivers.lineup import LineupDriver
from tests.servers.lineup import LiveServer
from tests.servers.postgres import running_postgres
from tests.servers.redis import start_redis
from tests.support import wait_until

pytestmark = pytest.mark.slow

LISTS = (("arrival", "arrival"), ("not_respond", "longest_wait"), ("history", "priority"))


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def lineup(request, tmp_path) -> Iterator[LineupDriver]:
    """A server with a saved view, on either database; on PostgreSQL with two workers."""
    redis_server = start_redis(tmp_path)
    try:
        if request.param == "sqlite":
            url = f"sqlite:///{tmp_path / 'lineup.sqlite'}"
            with LiveServer(url, redis_server.url) as server:
                yield LineupDriver(server, redis_server)
        else:
            with (
                running_postgres() as postgres,
                LiveServer(
                    postgres.new_database(), redis_server.url, async_mode="gevent", workers=2
                ) as server,
            ):
                yield LineupDriver(server, redis_server)
    finally:
        redis_server.close()


def outgoing(lineup: LineupDriver, after: str = "") -> tuple[list[str], str]:
    """Returns the texts that the chatbot reads, and its next cursor."""
    url = f"{lineup.server.url}/api/v1/events"
    answer = lineup.bot.get(url, params={"after": after} if after else {})
    assert answer.status_code == 200, answer.text
    found = answer.json()
    return [each["data"].get("body", "") for each in found["events"]], found["next"]


@contextmanager
def posting(lineup: LineupDriver) -> Iterator[None]:
    """Posts messages of a chatbot, one after another."""
    ended = threading.Event()

    def post() -> None:
        number = 0
        while not ended.is_set():
            number += 1
            lineup.say(f"t-{number % 50}", f"Message {number}")

    thread = threading.Thread(target=post)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(60)


def test_dashboards_and_chatbots_go_on_with_what_was_restored(lineup, tmp_path):
    backup = str(tmp_path / "lineup.backup")
    mai = AdminDriver(lineup.server.url, lineup.mai)
    view = mai.save_view("Open", "is:open", "arrival")["id"]
    lineup.fill()
    with posting(lineup):
        lineup.server.command("backup", backup)

    with lineup.dashboard() as dashboard:
        for place in (*LISTS, (view, "arrival")):
            dashboard.open(*place)
        lost = lineup.say("lost", "Never heard of")
        for number in range(60):
            lineup.close_thread(f"t-{number}")
        mai.reply(lineup.ids["t-7"], "Lost reply")
        wait_until(lambda: lost in dashboard.ids("arrival", "arrival"), what="the last event")
        texts, cursor = outgoing(lineup)
        assert texts[-1] == "Lost reply"

        lineup.server.stop()
        lineup.server.command("restore", "--force", backup)
        lineup.server.start()
        assert lineup.mai.get(f"{lineup.server.url}/admin/api/me").status_code == 401

    session = lineup.server.sign_in(lineup.mai_email)
    again = lineup.say("new", "After the restore")
    assert again != lost, "no id stands for another thread"
    with lineup.dashboard(session) as dashboard:
        wait_until_lists_are_restored(lineup, dashboard)
        dashboard.open(view, "arrival")
        in_sql = set(lineup.in_sql("arrival", "arrival"))
        wait_until(lambda: set(dashboard.ids(view, "arrival")) == in_sql, what="the saved view")
        assert lost not in in_sql and again in in_sql and len(in_sql) > 100
        AdminDriver(lineup.server.url, session).reply(again, "Heard again")
        texts, _ = outgoing(lineup, cursor)
        assert texts == ["Heard again"], "the cursor of the lost time goes on"
        lineup.close_thread("new")
        wait_until(lambda: again not in dashboard.ids("arrival", "arrival"), what="a frame")
    wait_until(lambda: check_says_the_same(lineup), what="the lists of all views")


def wait_until_lists_are_restored(lineup: LineupDriver, dashboard: DashboardDriver) -> None:
    for place in LISTS:
        dashboard.open(*place)
        wait_until(
            lambda place=place: dashboard.ids(*place) == lineup.in_sql(*place),
            what=f"the restored list {place}",
        )


def check_says_the_same(lineup: LineupDriver) -> bool:
    try:
        return "same order" in lineup.server.command("check")
    except AssertionError:
        return False
