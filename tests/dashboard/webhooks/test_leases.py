"""A lease gives each delivery to one dispatcher at a time."""

import json
import math
import threading

import pytest

from dashboard.webhooks.dispatcher import ACTIVE_PER_WEBHOOK_MAX, LEASE_MS, WebhookDispatcher
from dashboard.webhooks.http_client import Answer
from tests.dashboard.webhooks.fake_poster import GOOD
from tests.dashboard.webhooks.webhook_driver import OTHER_URL, URL
from tests.support import wait_until


def test_after_a_crash_another_dispatcher_delivers_when_the_lease_expires(driver):
    """The process was killed before it saved an outcome. (F52)"""
    driver.webhook()
    id = driver.reply("Hello")
    dead: list[object] = []
    driver.new_dispatcher(spawn=lambda *given: dead.append(given)).turn()
    assert len(dead) == 1
    driver.settle()
    driver.later(LEASE_MS)
    assert driver.poster.got == []
    driver.later(1)
    assert driver.said() == ["Hello"]
    assert driver.delivery(id) == ("delivered", "bot")


def test_a_renewed_lease_does_not_expire(driver):
    driver.webhook()
    driver.reply("Hello")
    held: list[object] = []
    holder = driver.new_dispatcher(spawn=lambda *given: held.append(given))
    holder.turn()
    for _ in range(10):
        driver.clock.advance(LEASE_MS // 2)
        holder.turn()
        driver.settle()
    assert (len(held), driver.poster.got) == (1, [])


def test_an_outcome_after_the_end_of_the_lease_changes_nothing(driver):
    """The process was frozen for longer than its lease. (F52)"""
    driver.webhook()
    driver.reply("Hello")
    frozen: list[tuple] = []
    zombie = driver.new_dispatcher(spawn=lambda *given: frozen.append(given))
    zombie.turn()
    driver.later(LEASE_MS + 1)
    assert driver.states() == ["done"]
    driver.poster.will_answer(URL, 410)
    work, claimed = frozen[0]
    work(claimed)
    assert driver.states() == ["done"]
    assert (zombie.lost, driver.dispatcher.lost) == (1, 0)
    assert driver.failing() == {}
    assert driver.webhooks.listing()[0][0].disabled_at is None


@pytest.mark.parametrize("seconds", [2, 10, 50, 300])
def test_a_delivery_ends_however_seldom_its_dispatchers_run(driver, seconds):
    """Each of two processes does one step in that time: it posts, and looks for more. An outcome
    that comes after another has taken over is refused, so with leases of one length they would post
    for ever. (F51)"""
    driver.webhook()
    driver.reply("Hello")
    held: list[list[tuple]] = [[], []]
    dispatchers = [driver.new_dispatcher(spawn=lambda *its, to=own: to.append(its)) for own in held]
    for step in range(40):
        dispatcher, own = dispatchers[step % 2], held[step % 2]
        if own:
            work, delivery = own.pop()
            work(delivery)
        dispatcher.turn()
        driver.clock.advance(seconds * 500)
    assert driver.states() == ["done"]
    assert len(driver.said()) <= 2 + max(0, math.ceil(math.log2(seconds * 1_000 / LEASE_MS)))


def test_a_slow_receiver_does_not_delay_other_webhooks(driver):
    driver.webhook()
    driver.webhook(OTHER_URL)
    for number in range(20):
        driver.reply(f"{number}", f"t-{number}")
    slow: list[object] = []

    def spawn(work, claimed) -> None:
        if claimed.webhook_id == 1:
            slow.append(claimed)
        else:
            work(claimed)

    dispatcher = driver.new_dispatcher(spawn=spawn)
    for _ in range(10):
        dispatcher.turn()
    assert len(slow) == ACTIVE_PER_WEBHOOK_MAX
    assert sorted(driver.said(OTHER_URL), key=int) == [str(number) for number in range(20)]


class SlowPoster:
    """Takes a moment, and counts posts of one delivery at the same time."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.inside: dict[str, int] = {}
        self.order: dict[str, list[int]] = {}
        self.together = 0
        self.barrier = threading.Event()

    def post(self, url, request) -> Answer:
        name = request.headers["webhook-id"]
        with self.lock:
            self.inside[name] = self.inside.get(name, 0) + 1
            self.together += self.inside[name] > 1
            found = json.loads(request.body)
            self.order.setdefault(found["thread"], []).append(found["seq"])
        self.barrier.wait(0.002)
        with self.lock:
            self.inside[name] -= 1
        return GOOD


def test_several_dispatchers_post_each_event_once_and_in_order(driver):
    driver.webhook()
    for number in range(40):
        driver.reply(f"{number}", f"t-{number % 7}")
    poster = SlowPoster()
    dispatchers = [WebhookDispatcher(driver.database, driver.clock, poster) for _ in range(3)]
    running = [threading.Thread(target=dispatcher.run, daemon=True) for dispatcher in dispatchers]
    for one in running:
        one.start()
    for dispatcher in dispatchers:
        dispatcher.wake()
    wait_until(lambda: driver.states().count("done") == 40, 30, "all deliveries")
    for dispatcher in dispatchers:
        dispatcher.stop()
    for one in running:
        one.join(5)
    assert poster.together == 0
    assert sum(map(len, poster.order.values())) == 40
    assert all(seqs == sorted(seqs) for seqs in poster.order.values())
