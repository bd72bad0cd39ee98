"""Presence while workers die and Redis is away: others see nothing that is not so."""

import asyncio
import itertools
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests

from dashboard.store.presence import of_customers
from tests.live.crowd import come, sign_in_all
from tests.live.desk import Browser, Desk
from tests.live_server import LiveServer
from tests.redis_server import start_redis
from tests.support import run_aside, stays, wait_until

pytestmark = [pytest.mark.live, pytest.mark.real_redis]

#: Seconds: a tenth of the usual lifetime, and all other times with it.
TTL = 9
#: Old and new windows together are as many connections as a person may have.
ADMINS, WINDOWS = 100, 10
#: Seconds: a thousand handshakes take a while on few cores.
CROWD_TTL = 18
RELOADS = 100


MODES = ("eventlet", "gevent")
#: For the names of admins, of whom each test has its own.
_numbers = itertools.count(1)


@pytest.fixture(scope="module", params=MODES)
def desks(request, tmp_path_factory) -> Iterator[tuple[Desk, Desk]]:
    """For all tests that leave the workers alive."""
    with two_desks(tmp_path_factory.mktemp(request.param), request.param, TTL) as made:
        yield made


@pytest.fixture(params=MODES)
def mortal_desks(request, tmp_path) -> Iterator[tuple[Desk, Desk]]:
    with two_desks(tmp_path, request.param, TTL) as made:
        yield made


@pytest.fixture(params=MODES)
def crowded_desks(request, tmp_path) -> Iterator[tuple[Desk, Desk]]:
    with two_desks(tmp_path, request.param, CROWD_TTL) as made:
        yield made


@contextmanager
def two_desks(folder: Path, async_mode: str, ttl: int) -> Iterator[tuple[Desk, Desk]]:
    """The same desk at two workers with servers of their own."""
    redis_server = start_redis(folder)
    url = f"sqlite:///{folder / 'lineup.sqlite'}"
    options = {"async_mode": async_mode, "LINEUP_PRESENCE_TTL": str(ttl)}
    try:
        with (
            LiveServer(url, redis_server.url, **options) as one,
            LiveServer(url, redis_server.url, **options) as other,
        ):
            desk = Desk(one, redis_server)
            yield desk, desk.at(other)
    finally:
        redis_server.close()


def keep_alive(*browsers) -> None:
    """Answers pings as a page does."""
    for browser in browsers:

        def pong(data=None, client=browser.client):
            client.emit("presence:pong", {"visible": True, "idle_ms": 0}, namespace="/admin")

        browser.client.on("presence:ping", pong, namespace="/admin")


def status_of(browser, person: str) -> str | None:
    told = [one["presence"][person] for one in browser.of("presence:update")
            if person in one["presence"]]  # fmt: skip
    return told[-1]["status"] if told else None


def me(desk: Desk, session) -> int:
    return session.get(f"{desk.server.url}/admin/api/me").json()["id"]


def somebody(desk: Desk) -> tuple[requests.Session, str, Browser]:
    """A new admin is here: her session, her id in presence, and her window."""
    session = desk.server.sign_in(desk.server.create_admin(f"Ann{next(_numbers)}"))
    browser = desk.browser(session)
    keep_alive(browser)
    return session, str(me(desk, session)), browser


def leave(*browsers: Browser) -> None:
    for browser in browsers:
        browser.client.disconnect()


def has_heard_nothing(watcher: Browser) -> bool:
    return watcher.of("presence:update") == []


def watching(desk: Desk, *people: str, status: str = "online"):
    """A browser that sees the people as they are, and has heard nothing since."""
    browser = desk.browser()
    keep_alive(browser)
    answer = browser.call("presence:watch", {"kind": "admin", "add": list(people)})
    for person in people:
        if answer["presence"][person]["status"] != status:
            wait_until(
                lambda person=person: status_of(browser, person) == status, 5, f"being {status}"
            )
    browser.events.clear()
    return browser


def connections(desk: Desk) -> int:
    """How many connections of admins presence counts."""
    client = desk.redis.client()
    return sum(client.zcard(f"{{lineup:p:admin:{shard}}}:dl") for shard in range(16))


def test_of_a_killed_worker_whose_sockets_come_back_nobody_hears(crowded_desks):
    """T11, T24, R69: they are silent for a while, and then they are elsewhere."""
    first, second = crowded_desks
    people = sign_in_all(first.database, ADMINS, time.time_ns() // 1_000_000)
    windows = list(people.values()) * WINDOWS

    async def live() -> None:
        gone = await come(first.server.url, windows)
        watcher = await asyncio.to_thread(watching, second, *map(str, people))
        first.server.kill()
        back = await come(second.server.url, windows)
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
        watcher.client.disconnect()

    run_aside(live())


def test_a_killed_workers_admin_who_does_not_come_back_goes_after_the_lifetime(mortal_desks):
    """R15, R19, R57."""
    first, second = mortal_desks
    _, id, browser = somebody(first)
    watcher = watching(second, id)
    first.server.kill()
    killed = time.monotonic()
    wait_until(lambda: status_of(watcher, id) == "offline", TTL + 4, "the silence")
    assert time.monotonic() - killed > TTL / 2
    assert len(watcher.of("presence:update")) == 1
    leave(browser, watcher)


def test_a_stopping_worker_announces_nobody(mortal_desks):
    """R18: its admins have the time of a rolling restart to come back."""
    first, second = mortal_desks
    ann, id, browser = somebody(first)
    watcher = watching(second, id)
    first.server.stop()
    stays(lambda: has_heard_nothing(watcher), 3, "while she is nowhere")
    back = second.browser(ann)
    keep_alive(back)
    stays(lambda: has_heard_nothing(watcher), 4, "when she is elsewhere")
    leave(browser, back, watcher)


def test_while_redis_is_stopped_dots_stay_and_then_nothing_was_wrong(desks):
    """T12: longer than the lifetime of every connection."""
    first, second = desks
    _, id, browser = somebody(first)
    watcher = watching(second, id)
    first.redis.pause()
    try:
        watcher.wait_for("presence:status", lambda one: one["late"], 6)
        stays(lambda: has_heard_nothing(watcher), TTL + 2, "while Redis is away")
    finally:
        first.redis.resume()
    watcher.wait_for("presence:status", lambda one: not one["late"], 6)
    stays(lambda: has_heard_nothing(watcher), TTL, "afterwards")
    browser.client.disconnect()
    wait_until(lambda: status_of(watcher, id) == "offline", 10, "the goodbye")
    watcher.client.disconnect()


def test_an_emptied_redis_fills_again_and_nobody_hears(desks):
    """What was set and who is here comes back from SQL and from the sockets."""
    first, second = desks
    _, id, browser = somebody(first)
    browser.call("presence:set", {"status": "busy", "text": "kept"})
    watcher = watching(second, id, status="busy")
    first.redis.client().flushall()
    stays(lambda: has_heard_nothing(watcher), TTL, "afterwards")
    again = watcher.call("presence:watch", {"kind": "admin", "add": [id]})["presence"][id]
    assert (again["status"], again["text"]) == ("busy", "kept")
    leave(browser, watcher)


def test_a_hundred_reloads_leave_one_connection(desks):
    """T28."""
    first, second = desks
    ann, id, last = somebody(first)
    watcher = watching(second, id)
    for _ in range(RELOADS):
        fresh = first.browser(ann)
        last.client.disconnect()
        last = fresh
    keep_alive(last)
    # The last one's and the watcher's.
    wait_until(lambda: connections(first) == 2, 8, "the graces' end")
    assert watcher.of("presence:update") == []
    leave(last, watcher)


def test_last_seen_outlives_redis(desks):
    """R55, R56: it goes to SQL by and by."""
    first, _ = desks
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

    first.say("seen")
    first.bot.post(url, json={"beats": [{"customer": "c-seen", "device": "d", "type": "web"}]})
    say_offline("d")
    wait_until(lambda: look()["devices"] == ["http"] or look()["last_seen"], 5)
    say_offline("messages")
    last_seen = wait_until(lambda: look()["status"] == "offline" and look()["last_seen"], 5)
    wait_until(stored, 10, "SQL knowing it")
    first.redis.client().flushall()
    assert look()["last_seen"] == last_seen
