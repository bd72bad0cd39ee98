"""Presence while workers die and Redis is away: others see nothing that is not so."""

import time
from collections.abc import Iterator

import pytest

from tests.live.desk import Desk
from tests.live_server import LiveServer
from tests.redis_server import start_redis
from tests.support import wait_until

pytestmark = [pytest.mark.live, pytest.mark.real_redis]

#: Seconds: a tenth of the usual lifetime, and all other times with it.
TTL = 9
SOCKETS = 30
RELOADS = 100


@pytest.fixture(params=["eventlet", "gevent"])
def desks(request, tmp_path) -> Iterator[tuple[Desk, Desk]]:
    """The same desk at two workers with servers of their own."""
    redis_server = start_redis(tmp_path)
    url = f"sqlite:///{tmp_path / 'lineup.sqlite'}"
    options = {"async_mode": request.param, "LINEUP_PRESENCE_TTL": str(TTL)}
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


def watching(desk: Desk, person: str, status: str = "online"):
    """A browser that sees the person as they are, and has heard nothing since."""
    browser = desk.browser()
    keep_alive(browser)
    answer = browser.call("presence:watch", {"kind": "admin", "add": [person]})
    if answer["presence"][person]["status"] != status:
        wait_until(lambda: status_of(browser, person) == status, what=f"being {status}")
    browser.events.clear()
    return browser


def test_of_a_killed_worker_whose_sockets_come_back_nobody_hears(desks):
    """T11, T24, R69: they are silent for a while, and then they are elsewhere."""
    first, second = desks
    email = first.server.create_admin("Ann")
    ann = first.server.sign_in(email)
    browsers = [first.browser(ann) for _ in range(SOCKETS // 2)]
    keep_alive(*browsers)
    watcher = watching(second, str(me(first, ann)))
    first.server.kill()
    back = [second.browser(ann) for _ in range(SOCKETS // 2)]
    keep_alive(*back)
    time.sleep(TTL + 2)
    assert watcher.of("presence:update") == []
    for browser in [*browsers, *back, watcher]:
        browser.client.disconnect()


def test_a_killed_workers_admin_who_does_not_come_back_goes_after_the_lifetime(desks):
    """R15, R19, R57."""
    first, second = desks
    ann = first.server.sign_in(first.server.create_admin("Ann"))
    id = str(me(first, ann))
    browser = first.browser(ann)
    keep_alive(browser)
    watcher = watching(second, id)
    first.server.kill()
    killed = time.monotonic()
    wait_until(lambda: status_of(watcher, id) == "offline", TTL + 4, "the silence")
    assert time.monotonic() - killed > TTL / 2
    assert len(watcher.of("presence:update")) == 1
    for one in (browser, watcher):
        one.client.disconnect()


def test_a_stopping_worker_announces_nobody(desks):
    """R18: its admins have the time of a rolling restart to come back."""
    first, second = desks
    ann = first.server.sign_in(first.server.create_admin("Ann"))
    id = str(me(first, ann))
    browser = first.browser(ann)
    watcher = watching(second, id)
    first.server.stop()
    time.sleep(3)
    back = second.browser(ann)
    keep_alive(back)
    time.sleep(4)
    assert watcher.of("presence:update") == []
    for one in (browser, back, watcher):
        one.client.disconnect()


def test_while_redis_is_stopped_dots_stay_and_then_nothing_was_wrong(desks):
    """T12: longer than the lifetime of every connection."""
    first, second = desks
    ann = first.server.sign_in(first.server.create_admin("Ann"))
    id = str(me(first, ann))
    browser = first.browser(ann)
    keep_alive(browser)
    watcher = watching(second, id)
    first.redis.pause()
    try:
        watcher.wait_for("presence:status", lambda one: one["late"], 6)
        time.sleep(TTL + 2)
    finally:
        first.redis.resume()
    watcher.wait_for("presence:status", lambda one: not one["late"], 6)
    time.sleep(TTL)
    assert watcher.of("presence:update") == []
    browser.client.disconnect()
    wait_until(lambda: status_of(watcher, id) == "offline", 10, "the goodbye")
    watcher.client.disconnect()


def test_an_emptied_redis_fills_again_and_nobody_hears(desks):
    """What was set and who is here comes back from SQL and from the sockets."""
    first, second = desks
    ann = first.server.sign_in(first.server.create_admin("Ann"))
    id = str(me(first, ann))
    browser = first.browser(ann)
    keep_alive(browser)
    browser.call("presence:set", {"status": "busy", "text": "kept"})
    watcher = watching(second, id, "busy")
    first.redis.client().flushall()
    time.sleep(TTL)
    assert watcher.of("presence:update") == []
    again = watcher.call("presence:watch", {"kind": "admin", "add": [id]})["presence"][id]
    assert (again["status"], again["text"]) == ("busy", "kept")
    for one in (browser, watcher):
        one.client.disconnect()


def test_a_hundred_reloads_leave_one_connection(desks):
    """T28."""
    first, second = desks
    ann = first.server.sign_in(first.server.create_admin("Ann"))
    id = str(me(first, ann))
    last = first.browser(ann)
    watcher = watching(second, id)
    for _ in range(RELOADS):
        fresh = first.browser(ann)
        last.client.disconnect()
        last = fresh
    keep_alive(last)
    conn = "{lineup:p:admin:%d}:dl"
    client = first.redis.client()

    def connections() -> int:
        return (
            sum(client.zcount(conn % shard, "-inf", "+inf") for shard in range(16)) - 1
        )  # the watcher's

    wait_until(lambda: connections() == 1, 8, "the graces' end")
    assert watcher.of("presence:update") == []
    for one in (last, watcher):
        one.client.disconnect()


def test_last_seen_outlives_redis(desks):
    """R55, R56: it goes to SQL by and by."""
    first, _ = desks
    thread = first.say("seen")
    beats = {"beats": [{"customer": "c-seen", "device": "d", "type": "web"}]}
    url = f"{first.server.url}/api/v1/presence"
    first.bot.post(url, json=beats)
    first.bot.post(f"{url}/offline", json={"devices": [{"customer": "c-seen", "device": "d"}]})
    look = lambda: first.bot.get(url, params={"customer": "c-seen"}).json()["presence"]["c-seen"]  # noqa: E731
    messages = {"devices": [{"customer": "c-seen", "device": "messages"}]}
    wait_until(lambda: look()["devices"] == ["http"] or look()["last_seen"], 5)
    first.bot.post(f"{url}/offline", json=messages)
    last_seen = wait_until(lambda: look()["status"] == "offline" and look()["last_seen"], 5)
    time.sleep(5)
    first.redis.client().flushall()
    assert look()["last_seen"] == pytest.approx(last_seen, abs=2_000) and thread
