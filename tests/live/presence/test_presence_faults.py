"""Presence while workers die and Redis is away: others are shown no false state."""

import asyncio
import itertools
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests

from dashboard.db.accounts.presence_settings import of_customers
from tests.conftest import MODES
from tests.drivers.crowd import connect_all, sign_in_all
from tests.drivers.dashboard import DashboardDriver
from tests.drivers.lineup import LineupDriver, running_lineup
from tests.support import run_aside, stays, wait_until

#: Seconds: a tenth of the usual lifetime, and all other times with it.
TTL = 9
#: Old and new windows together are as many connections as a person may have.
ADMINS, WINDOWS = 100, 10
#: Seconds: a thousand handshakes take a while on few cores.
CROWD_TTL = 18
RELOADS = 100


pytestmark = pytest.mark.slow

#: Numbers for the names of admins: each test has its own.
_numbers = itertools.count(1)


@pytest.fixture(scope="module", params=MODES)
def servers(request, tmp_path_factory) -> Iterator[tuple[LineupDriver, LineupDriver]]:
    """Two workers for all tests that leave them alive."""
    with two_workers(tmp_path_factory.mktemp(request.param), request.param, TTL) as made:
        yield made


@pytest.fixture(params=MODES)
def mortal_desks(request, tmp_path) -> Iterator[tuple[LineupDriver, LineupDriver]]:
    with two_workers(tmp_path, request.param, TTL) as made:
        yield made


@pytest.fixture(params=MODES)
def crowded_desks(request, tmp_path) -> Iterator[tuple[LineupDriver, LineupDriver]]:
    with two_workers(tmp_path, request.param, CROWD_TTL) as made:
        yield made


@contextmanager
def two_workers(
    folder: Path, async_mode: str, ttl: int
) -> Iterator[tuple[LineupDriver, LineupDriver]]:
    """The same lineup at two workers with servers of their own."""
    options = {"async_mode": async_mode, "LINEUP_PRESENCE_TTL": str(ttl)}
    with running_lineup(folder, **options) as one, one.second(**options) as other:
        yield one, other


@contextmanager
def starved(pid: int) -> Iterator[None]:
    """Lets the process run for 50 ms of each 500 ms."""
    end = threading.Event()

    def alternate() -> None:
        while not end.is_set():
            os.kill(pid, signal.SIGSTOP)
            end.wait(0.45)
            os.kill(pid, signal.SIGCONT)
            end.wait(0.05)

    thread = threading.Thread(target=alternate)
    thread.start()
    try:
        yield
    finally:
        end.set()
        thread.join()


def keep_alive(*dashboards) -> None:
    """Answers pings as a page does."""
    for dashboard in dashboards:

        def pong(data=None, client=dashboard.client):
            client.emit("presence:pong", {"visible": True, "idle_ms": 0}, namespace="/admin")

        dashboard.client.on("presence:ping", pong, namespace="/admin")


def status_of(dashboard, person: str) -> str | None:
    states = [one["presence"][person] for one in dashboard.of("presence:update")
            if person in one["presence"]]  # fmt: skip
    return states[-1]["status"] if states else None


def me(lineup: LineupDriver, session) -> int:
    return session.get(f"{lineup.server.url}/admin/api/me").json()["id"]


def an_admin(lineup: LineupDriver) -> tuple[requests.Session, str, DashboardDriver]:
    """Brings in a new admin; returns her session, her id in presence, and her window."""
    session = lineup.server.sign_in(lineup.server.create_admin(f"Ann{next(_numbers)}"))
    dashboard = lineup.dashboard(session)
    keep_alive(dashboard)
    return session, str(me(lineup, session)), dashboard


def leave(*dashboards: DashboardDriver) -> None:
    for dashboard in dashboards:
        dashboard.disconnect()


def has_heard_nothing(watcher: DashboardDriver) -> bool:
    return watcher.of("presence:update") == []


def watching(lineup: LineupDriver, *people: str, status: str = "online"):
    """Returns a dashboard that sees the people as they are, and has got no update since."""
    dashboard = lineup.dashboard()
    keep_alive(dashboard)
    answer = dashboard.call("presence:watch", {"kind": "admin", "add": list(people)})
    for person in people:
        if answer["presence"][person]["status"] != status:
            wait_until(
                lambda person=person: status_of(dashboard, person) == status, 5, f"being {status}"
            )
    dashboard.events.clear()
    return dashboard


def connections(lineup: LineupDriver) -> int:
    """Returns how many connections of admins presence counts."""
    client = lineup.redis.client()
    return sum(client.zcard(f"{{lineup:p:admin:{shard}}}:dl") for shard in range(16))


def test_a_killed_worker_whose_sockets_reconnect_causes_no_updates(crowded_desks):
    """T11, T24, R69: they are silent for a while, and then connect to another worker."""
    first, second = crowded_desks
    people = sign_in_all(first.database, ADMINS, time.time_ns() // 1_000_000)
    windows = list(people.values()) * WINDOWS

    async def live() -> None:
        gone = await connect_all(first.server.url, windows)
        watcher = await asyncio.to_thread(watching, second, *map(str, people))
        first.server.kill()
        back = await connect_all(second.server.url, windows)
        await asyncio.to_thread(
            wait_until,
            lambda: connections(first) <= len(back) + 1,
            2 * CROWD_TTL,
            "the old ones' end",
        )
        await asyncio.to_thread(stays, lambda: has_heard_nothing(watcher), 1, "afterwards")
        assert connections(first) == len(back) + 1
        assert all(one.is_cut for one in gone) and not any(one.is_cut for one in back)
        for one in back:
            one.link.close()
        watcher.disconnect()

    run_aside(live())


def test_an_admin_of_a_killed_worker_who_does_not_reconnect_expires(mortal_desks):
    """R15, R19, R57."""
    first, second = mortal_desks
    _, id, dashboard = an_admin(first)
    watcher = watching(second, id)
    first.server.kill()
    killed = time.monotonic()
    wait_until(lambda: status_of(watcher, id) == "offline", TTL + 4, "the silence")
    assert time.monotonic() - killed > TTL / 2
    assert len(watcher.of("presence:update")) == 1
    leave(dashboard, watcher)


def test_a_stopping_worker_announces_no_departures(mortal_desks):
    """R18: its admins have the time of a rolling restart to return."""
    first, second = mortal_desks
    ann, id, dashboard = an_admin(first)
    watcher = watching(second, id)
    first.server.stop()
    stays(lambda: has_heard_nothing(watcher), 3, "while she is nowhere")
    back = second.dashboard(ann)
    keep_alive(back)
    stays(lambda: has_heard_nothing(watcher), 4, "when she is elsewhere")
    leave(dashboard, back, watcher)


def test_while_redis_is_stopped_dots_stay_and_then_nothing_was_wrong(servers):
    """T12: longer than the lifetime of every connection."""
    first, second = servers
    _, id, dashboard = an_admin(first)
    watcher = watching(second, id)
    first.redis.pause()
    try:
        watcher.wait_for("presence:status", lambda one: one["late"], 6)
        stays(lambda: has_heard_nothing(watcher), TTL + 2, "while Redis is away")
    finally:
        first.redis.resume()
    watcher.wait_for("presence:status", lambda one: not one["late"], 6)
    stays(lambda: has_heard_nothing(watcher), TTL, "afterwards")
    dashboard.disconnect()
    wait_until(lambda: status_of(watcher, id) == "offline", 10, "the admin being offline")
    watcher.disconnect()


def test_a_starved_worker_announces_no_departures(servers):
    """It gets a tenth of the processor's time: it is slow, and no one goes offline. (F51)"""
    first, second = servers
    _, id, dashboard = an_admin(first)
    first.say("starved")
    watcher = watching(second, id)
    with starved(first.server.process.pid):
        stays(lambda: has_heard_nothing(watcher), 2 * TTL, "while a worker is starved")
    assert first.say("starved") == second.say("starved")
    leave(dashboard, watcher)


def test_an_emptied_redis_fills_again_without_updates(servers):
    """The settings come back from SQL, and the people from their sockets."""
    first, second = servers
    _, id, dashboard = an_admin(first)
    dashboard.call("presence:set", {"status": "busy", "text": "kept"})
    watcher = watching(second, id, status="busy")
    first.redis.client().flushall()
    stays(lambda: has_heard_nothing(watcher), TTL, "afterwards")
    again = watcher.call("presence:watch", {"kind": "admin", "add": [id]})["presence"][id]
    assert (again["status"], again["text"]) == ("busy", "kept")
    leave(dashboard, watcher)


def test_a_hundred_reloads_leave_one_connection(servers):
    """T28."""
    first, second = servers
    ann, id, last = an_admin(first)
    watcher = watching(second, id)
    for _ in range(RELOADS):
        fresh = first.dashboard(ann)
        last.disconnect()
        last = fresh
    keep_alive(last)
    # The last one's and the watcher's.
    wait_until(lambda: connections(first) == 2, 8, "the graces' end")
    assert watcher.of("presence:update") == []
    leave(last, watcher)


def listed(bot, url, names):
    """Returns the names that are on the list, which may hold customers of other tests, too."""
    found = bot.get(f"{url}/online").json()
    ids = [one["id"] for one in found["customers"]]
    assert found["total"] == len(ids)
    return [id for id in ids if id in names]


def test_last_seen_outlives_redis(servers):
    """R55, R56: it is written to SQL by and by."""
    first, _ = servers
    url = f"{first.server.url}/api/v1/presence"

    def look():
        return first.bot.get(url, params={"customer": "c-seen"}).json()["presence"]["c-seen"]

    def say_offline(device):
        first.bot.post(
            f"{url}/offline", json={"devices": [{"customer": "c-seen", "device": device}]}
        )

    def stored():
        with first.database.read() as connection:
            kept = of_customers(connection, ["shop/c-seen"]).get("shop/c-seen")
        return kept is not None and kept.last_seen == last_seen

    def is_stored(name):
        with first.database.read() as connection:
            return bool(of_customers(connection, [f"shop/{name}"]))

    first.say("seen")
    first.bot.post(url, json={"beats": [{"customer": "c-seen", "device": "d", "type": "web"}]})
    say_offline("d")
    wait_until(lambda: look()["devices"] == ["http"] or look()["last_seen"], 5)
    say_offline("messages")
    last_seen = wait_until(lambda: look()["status"] == "offline" and look()["last_seen"], 5)
    wait_until(stored, 10, "SQL knowing it")
    visitor = {"customer": "c-visitor", "device": "d", "type": "web"}
    first.bot.post(url, json={"beats": [visitor]})
    assert listed(first.bot, url, {"c-visitor", "c-seen"}) == ["c-visitor", "c-seen"]
    wait_until(lambda: is_stored("c-visitor"), 30, "SQL knowing the visitor, who never wrote")
    first.redis.client().flushall()
    assert look()["last_seen"] == last_seen
    assert listed(first.bot, url, {"c-visitor", "c-seen"}) == ["c-visitor", "c-seen"]
