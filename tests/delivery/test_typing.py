"""Chatbots learn that an admin is writing: at once or not at all."""

import pytest

from dashboard.delivery.typing import AGAIN_SECONDS, TypingNews
from tests.delivery.outlet import OTHER_URL, URL, Outlet
from tests.delivery.stand_in import run_here


class World:
    def __init__(self, outlet: Outlet):
        self.outlet = outlet
        self.seconds = 0.0
        self.pending: list[tuple] = []
        self.news = TypingNews(
            outlet.database,
            outlet.clock,
            outlet.poster,
            spawn=run_here,
            monotonic=lambda: self.seconds,
        )

    def writes(self) -> None:
        self.news.tell(self.outlet.thread(), self.outlet.linh.id)


@pytest.fixture
def world(any_database, clock) -> World:
    return World(Outlet(any_database, clock))


def test_it_says_who_writes_where_and_until_when_to_show_it(world):
    world.outlet.webhook()
    world.writes()
    (body,) = world.outlet.poster.bodies(URL)
    assert (body["type"], body["thread"]) == ("admin.typing", "t")
    assert body["data"] == {
        "thread_id": world.outlet.thread(),
        "by": {"id": world.outlet.linh.id, "name": "Linh"},
        "until": "2026-09-21T14:13:26.000Z",
    }
    headers = world.outlet.poster.got[0][1].headers
    assert headers["webhook-signature"].startswith("v1,")


def test_it_is_told_again_only_after_a_while(world):
    world.outlet.webhook()
    for _ in range(5):
        world.writes()
    assert len(world.outlet.poster.got) == 1
    world.seconds += AGAIN_SECONDS
    world.writes()
    assert len(world.outlet.poster.got) == 2


def test_it_goes_where_it_is_wanted_and_where_deliveries_do_not_fail(world):
    outlet = world.outlet
    outlet.webhook(events=["message.created"])
    failing = outlet.webhook(OTHER_URL)
    outlet.desk.create("else", "https://else.example/", None)
    outlet.poster.will_answer(OTHER_URL, 500)
    outlet.reply("Hello")
    outlet.settle()
    before = len(outlet.poster.got)
    world.writes()
    assert len(outlet.poster.got) == before
    outlet.desk.revoke(failing)
    outlet.webhook("https://third.example/", ["admin.typing"])
    world.seconds += AGAIN_SECONDS
    world.writes()
    assert len(outlet.poster.bodies("https://third.example/")) == 1


def test_it_is_not_among_what_is_kept(world):
    id = world.outlet.webhook()
    world.writes()
    assert world.outlet.desk.log(id, None, 10)[0] == []
    assert world.outlet.desk.replay(id, from_ms=0, to_ms=2**52) == 0
