"""A chatbot learns that an admin is writing: at once or not at all."""

import pytest

from dashboard.webhooks.service import REPEAT_SECONDS, TypingNotifier
from tests.dashboard.webhooks.fake_poster import run_here
from tests.dashboard.webhooks.webhook_driver import OTHER_URL, URL, WebhookDriver
from tests.drivers.audit import OPERATOR


class World:
    def __init__(self, driver: WebhookDriver):
        self.driver = driver
        self.seconds = 0.0
        self.pending: list[tuple] = []
        self.notifier = TypingNotifier(
            driver.database,
            driver.clock,
            driver.poster,
            spawn=run_here,
            monotonic=lambda: self.seconds,
        )

    def writes(self) -> None:
        self.notifier.notify(self.driver.thread(), self.driver.linh.id)


@pytest.fixture
def world(any_database, clock) -> World:
    return World(WebhookDriver(any_database, clock))


def test_a_notice_names_admin_thread_and_the_time_to_show_it(world):
    world.driver.webhook()
    world.writes()
    (body,) = world.driver.poster.bodies(URL)
    assert (body["type"], body["thread"]) == ("admin.typing", "t")
    assert body["data"] == {
        "thread_id": world.driver.thread(),
        "by": {"id": world.driver.linh.id, "name": "Linh"},
        "until": "2026-09-21T14:13:26.000Z",
    }
    headers = world.driver.poster.got[0][1].headers
    assert headers["webhook-signature"].startswith("v1,")


def test_a_notice_is_repeated_after_an_interval_only(world):
    world.driver.webhook()
    for _ in range(5):
        world.writes()
    assert len(world.driver.poster.got) == 1
    world.seconds += REPEAT_SECONDS
    world.writes()
    assert len(world.driver.poster.got) == 2


def test_a_notice_goes_to_subscribed_webhooks_that_do_not_fail(world):
    driver = world.driver
    driver.webhook(events=["message.created"])
    failing = driver.webhook(OTHER_URL)
    driver.webhooks.create(OPERATOR, "else", "https://else.example/", None)
    driver.poster.will_answer(OTHER_URL, 500)
    driver.reply("Hello")
    driver.settle()
    before = len(driver.poster.got)
    world.writes()
    assert len(driver.poster.got) == before
    driver.webhooks.revoke(OPERATOR, failing)
    driver.webhook("https://third.example/", ["admin.typing"])
    world.seconds += REPEAT_SECONDS
    world.writes()
    assert len(driver.poster.bodies("https://third.example/")) == 1


def test_a_notice_is_not_stored(world):
    id = world.driver.webhook()
    world.writes()
    assert world.driver.webhooks.log(id, None, 10)[0] == []
    assert world.driver.webhooks.replay(OPERATOR, id, from_ms=0, to_ms=2**52) == 0
