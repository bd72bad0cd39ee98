"""A queue hands out its threads to admins who are here, through HTTP and Socket.IO."""

from typing import Any

import pytest

from tests.drivers.admin import AdminDriver
from tests.drivers.dashboard import DashboardDriver
from tests.support import wait_until

OWN_SERVER = True
SECONDS = 20


class Desk:
    """A supervisor with a window, and a view of the threads with the tag of the test."""

    def __init__(self, lineup, name: str):
        self.lineup, self.name = lineup, name
        self.windows: list[DashboardDriver] = []
        self.sue = lineup.admin(lineup.server.create_admin("Sue", "supervisor"))
        draft = {"name": name, "query": f"tag:{name}", "sort": "longest_wait", "owner": "all"}
        self.view = self.sue.post("views", draft)

    def queue(self, **more: Any) -> dict[str, Any]:
        return self.sue.post("queues", {"view": self.view["id"], "mode": "push"} | more)["queue"]

    def thread(self, thread: str) -> int:
        [id] = self.lineup.post(self.lineup.message_event(f"{self.name}-{thread}"))
        self.happens("thread.tags", thread, add=[self.name])
        return id

    def happens(self, type: str, thread: str, **more: Any) -> None:
        """Posts an event of the chatbot."""
        message = self.lineup.message_event(f"{self.name}-{thread}")
        event = {name: message[name] for name in ("id", "thread", "occurred_at")}
        self.lineup.post(event | {"type": type} | more)

    def place(self, thread: str) -> dict[str, Any]:
        """The place in line, as the chatbot reads it."""
        path = f"{self.lineup.server.url}/api/v1/threads/{self.name}-{thread}/place"
        answer = self.lineup.bot.get(path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def told(self) -> list[dict[str, Any]]:
        """The places that the chatbot was told."""
        events = self.lineup.bot.get(f"{self.lineup.server.url}/api/v1/events?limit=500").json()
        return [
            event
            for event in events["events"]
            if event["type"] == "thread.position" and event["thread"].startswith(self.name)
        ]

    def admin(self, name: str, **accepting: Any) -> tuple[AdminDriver, DashboardDriver]:
        """An admin who is online and accepts threads."""
        admin = self.lineup.admin(self.lineup.server.create_admin(name))
        window = self.lineup.dashboard(admin.session)
        self.windows.append(window)
        if accepting:
            admin.put("me/accepting", {"accepting": True} | accepting)
        return admin, window

    def close(self) -> None:
        for window in self.windows:
            window.disconnect()
        for queue in self.sue.get("queues")["queues"]:
            self.sue.delete(f"queues/{queue['id']}")


@pytest.fixture
def desk(lineup, request):
    name = f"q{abs(hash(request.node.name)) % 10**8}"
    made = Desk(lineup, name)
    yield made
    made.close()


def given(window: DashboardDriver) -> list[int]:
    return [data["thread_id"] for name, data in window.events if name == "queue:given"]


def test_threads_go_in_their_order_to_those_who_are_here(desk):
    """Q: first the longest wait; two admins in turn, up to their capacity."""
    desk.queue(take_within=600)
    ids = [desk.thread(str(number)) for number in range(4)]
    one, at_one = desk.admin("Ona", capacity=1)
    wait_until(lambda: given(at_one) == ids[:1], SECONDS, "the first thread")
    _, at_two = desk.admin("Tom", capacity=2)
    wait_until(lambda: given(at_two) == ids[1:3], SECONDS, "the next two")
    one.reply(ids[0], "Done.")
    wait_until(lambda: given(at_one) == [ids[0], ids[3]], SECONDS, "a freed place is filled")
    assert given(at_two) == ids[1:3]
    why = desk.sue.get(f"threads/{ids[1]}/explain?view=arrival&sort=arrival")["queue"]
    assert why["admin"]["name"] == "Tom" and why["admins"][0]["is"] == "given"
    assert [(each["name"], each["is"]) for each in why["admins"][1:2]] == [("Ona", "at_capacity")]


def test_two_who_ask_at_once_get_the_first_two(desk):
    desk.queue(mode="pull")
    ids = [desk.thread(str(number)) for number in range(3)]
    one, _ = desk.admin("Ona")
    two, _ = desk.admin("Tom")
    answers = [admin.post("queues/next", {}) for admin in (one, two)]
    assert [(each["row"]["id"], each["rank"], each["of"]) for each in answers] == [
        (ids[0], 1, 3),
        (ids[1], 1, 2),
    ]
    assert one.session.post(f"{one._api}/threads/{ids[0]}/release", json={}).status_code == 200
    assert two.post("queues/next", {})["row"]["id"] == ids[0]
    assert one.post("queues/next", {})["row"]["id"] == ids[2]
    assert one.session.post(f"{one._api}/queues/next", json={}).status_code == 204
    one.put("me/accepting", {"accepting": False, "capacity": 1})
    refused = one.session.post(f"{one._api}/queues/next", json={})
    assert (refused.status_code, refused.json()["code"]) == (409, "at_capacity")
    assert (refused.json()["load"], refused.json()["capacity"]) == (1, 1)


def test_what_is_not_opened_in_time_goes_on(desk):
    desk.queue(take_within=10)
    one, at_one = desk.admin("Ona", capacity=1)
    id = desk.thread("a")
    wait_until(lambda: given(at_one) == [id], SECONDS, "the thread")
    returned = lambda: [data for name, data in at_one.events if name == "queue:returned"]  # noqa: E731
    wait_until(returned, SECONDS, "the return")
    assert returned()[0]["reason"] == "not_taken" and returned()[0]["accepting"] is False
    assert one.get("me/accepting") == {
        "accepting": False,
        "capacity": 1,
        "capacity_max": 5,
        "load": 0,
        "counts": "waiting",
    }
    _, at_two = desk.admin("Tom", capacity=1)
    wait_until(lambda: given(at_two) == [id], SECONDS, "the thread at another admin")
    at_two.call("thread:open", {"id": id})
    assert desk.sue.get("queues")["queues"][0]["waiting"] == 0


def test_a_chatbot_knows_the_place_of_its_customer(desk):
    """Q80, Q82."""
    desk.queue(take_within=600)
    ids = [desk.thread(str(number)) for number in range(3)]
    # The list is a queue's once its entries are complete.
    wait_until(lambda: desk.place("2")["queue"], SECONDS, "the place")
    place = desk.place("2")
    assert (place["position"], place["of"], place["expected_seconds"]) == (3, 3, None)
    assert place["queue"]["name"] == desk.name
    desk.happens("thread.handoff", "2", watch_place=True)
    wait_until(lambda: desk.told(), SECONDS, "the first position")
    assert desk.told()[0]["data"]["position"] == 3
    _, at_one = desk.admin("Ona", capacity=2)
    wait_until(lambda: given(at_one) == ids[:2], SECONDS, "the first threads")
    assert desk.place("2")["position"] == 1 and desk.place("0")["position"] is None
