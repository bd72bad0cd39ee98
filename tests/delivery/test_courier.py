"""Couriers bring everything out: in each thread's order, again when it fails, never two at once."""

import json
import threading

import pytest

from dashboard.delivery.courier import IN_HAND_PER_WEBHOOK, LEASE_MS, Courier
from dashboard.delivery.post import Answer
from dashboard.delivery.schedule import WAITS_SECONDS
from dashboard.errors import Problem
from dashboard.intake.schema import ParsedEvent, parse
from dashboard.store import outgoing, webhooks
from tests.delivery.outlet import OTHER_URL, URL, Outlet
from tests.delivery.stand_in import GOOD
from tests.support import wait_until

LOST = Answer(None, "timeout")


@pytest.fixture
def outlet(any_database, clock) -> Outlet:
    return Outlet(any_database, clock)


def failing(outlet: Outlet) -> dict[str, int]:
    with outlet.database.read() as connection:
        return webhooks.failing(connection)


def test_what_an_admin_does_is_posted_as_it_can_be_read(outlet):
    outlet.webhook()
    id = outlet.reply("Hello")
    assert outlet.delivery(id) == ("queued", "bot")
    outlet.settle()
    (body,) = outlet.poster.bodies(URL)
    assert (body["type"], body["thread"], body["seq"]) == ("message.created", "t", 1)
    assert (body["data"]["id"], body["data"]["body"]) == (id, "Hello")
    assert outlet.poster.got[0][1].headers["webhook-id"] == body["id"]
    assert outlet.delivery(id) == ("delivered", "bot")
    outlet.settle()
    assert len(outlet.poster.got) == 1


def test_each_webhook_gets_the_types_that_it_wants_of_its_source_since_it_is_there(outlet):
    outlet.reply("Too early")
    outlet.settle()
    outlet.webhook()
    outlet.webhook(OTHER_URL, ["thread.assigned"])
    outlet.desk.create("else", "https://else.example/", None)
    outlet.reply("Hello")
    outlet.actions.claim(outlet.linh, outlet.thread())
    outlet.settle()
    assert outlet.said() == ["Hello", "thread.assigned"]
    assert outlet.said(OTHER_URL) == ["thread.assigned"]
    assert outlet.poster.bodies("https://else.example/") == []


def test_what_fails_is_tried_again_later_and_later_under_the_same_id_and_then_given_up(outlet):
    """Case F3: a webhook is not dropped on one timeout."""
    outlet.webhook()
    outlet.poster.will_answer(URL, *[LOST, Answer(500, None)] * 5)
    id = outlet.reply("Hello")
    outlet.settle()
    for number, seconds in enumerate(WAITS_SECONDS, 1):
        assert len(outlet.poster.got) == number
        assert outlet.delivery(id) == ("queued", "bot")
        outlet.later(seconds * 1000 - 1)
        assert len(outlet.poster.got) == number
        outlet.later(1)
    assert len(outlet.poster.got) == 10
    assert len({body["id"] for body in outlet.poster.bodies()}) == 1
    assert len({request.body for _, request in outlet.poster.got}) == 1
    assert outlet.delivery(id) == ("failed", "bot")
    outlet.later(100 * 86_400_000)
    assert len(outlet.poster.got) == 10


def test_a_thread_is_no_other_because_its_chatbot_is_slow_or_silent(outlet):
    """Case F6: an answer to a webhook is a receipt; what a chatbot says is an event of its own."""
    outlet.webhook()
    outlet.poster.will_answer(URL, *[LOST] * 3)
    outlet.reply("Hello")
    before = outlet.shop.row()
    outlet.settle()
    for seconds in WAITS_SECONDS[:3]:
        outlet.later(seconds * 1000)
    assert len(outlet.poster.got) == 4
    after = outlet.shop.row()
    assert {**after, "rev": 0} == {**before, "rev": 0}
    assert (after["open"], after["waiting_since"], after["unanswered"]) == (True, None, 0)


def test_a_thread_keeps_its_order_while_other_threads_go_on(outlet):
    outlet.webhook()
    outlet.poster.will_answer(URL, LOST)
    outlet.reply("first", "slow")
    outlet.settle()
    outlet.reply("second", "slow")
    outlet.reply("elsewhere", "quick")
    outlet.settle()
    assert outlet.said() == ["first", "elsewhere"]
    outlet.later(5_000)
    assert outlet.said() == ["first", "elsewhere", "first", "second"]


def test_when_one_is_given_up_what_waited_behind_it_goes_on_at_once(outlet):
    outlet.webhook()
    outlet.poster.will_answer(URL, *[LOST] * 10)
    outlet.reply("lost")
    outlet.reply("next")
    for seconds in (0, *WAITS_SECONDS):
        outlet.later(seconds * 1000)
    assert outlet.said() == ["lost"] * 10 + ["next"]


def test_a_receiver_says_when_to_come_again(outlet):
    outlet.webhook()
    outlet.poster.will_answer(URL, Answer(429, None, "", "120"))
    outlet.reply("Hello")
    outlet.settle()
    outlet.later(119_999)
    assert len(outlet.poster.got) == 1
    outlet.later(1)
    assert len(outlet.poster.got) == 2


@pytest.mark.parametrize("status", [301, 307, 400, 404, 500, 199])
def test_whatever_is_no_2xx_is_tried_again(outlet, status):
    outlet.webhook()
    outlet.poster.will_answer(URL, status)
    outlet.reply("Hello")
    outlet.settle()
    outlet.later(5_000)
    assert len(outlet.poster.got) == 2
    assert outlet.states() == ["done"]


def test_a_receiver_that_is_gone_is_switched_off_with_all_that_waited(outlet):
    id = outlet.webhook()
    outlet.poster.will_answer(URL, 410)
    first = outlet.reply("Hello")
    second = outlet.reply("more")
    outlet.settle()
    assert len(outlet.poster.got) == 1
    assert outlet.delivery(first) == outlet.delivery(second) == ("failed", "bot")
    ((webhook, waiting),) = outlet.desk.listing()
    assert (webhook.disabled_why, waiting) == ("gone", 0)
    outlet.reply("even more")
    outlet.settle()
    assert len(outlet.poster.got) == 1
    outlet.desk.enable(id)
    assert outlet.desk.replay(id, from_ms=0, to_ms=outlet.clock()) == 3
    outlet.settle()
    assert outlet.said()[1:] == ["Hello", "more", "even more"]


def test_a_source_whose_deliveries_fail_is_named_until_one_succeeds(outlet):
    outlet.webhook()
    assert failing(outlet) == {}
    outlet.poster.will_answer(URL, LOST, LOST)
    outlet.reply("Hello")
    outlet.settle()
    since = outlet.clock()
    outlet.later(5_000)
    assert failing(outlet) == {"shop": since}
    outlet.later(300_000)
    assert failing(outlet) == {}


def test_an_admin_tries_a_message_again_at_once(outlet):
    outlet.webhook()
    outlet.poster.will_answer(URL, LOST, LOST)
    outlet.reply("before")
    id = outlet.reply("Hello")
    outlet.settle()
    outlet.later(5_000)
    assert outlet.said() == ["before", "before"]
    outlet.actions.send_again(outlet.linh, outlet.thread(), id)
    outlet.settle()
    assert outlet.said() == ["before", "before", "before", "Hello"]
    assert outlet.delivery(id) == ("delivered", "bot")


def test_a_delivery_that_died_with_its_worker_is_taken_over_under_the_same_id(outlet):
    """kill -9 in the middle of a delivery: nothing was written back."""
    outlet.webhook()
    id = outlet.reply("Hello")
    dead: list[object] = []
    outlet.new_courier(spawn=lambda *given: dead.append(given)).turn()
    assert len(dead) == 1
    outlet.settle()
    outlet.later(LEASE_MS)
    assert outlet.poster.got == []
    outlet.later(1)
    assert outlet.said() == ["Hello"]
    assert outlet.delivery(id) == ("delivered", "bot")


def test_what_a_worker_holds_for_long_is_not_taken_over(outlet):
    outlet.webhook()
    outlet.reply("Hello")
    held: list[object] = []
    holder = outlet.new_courier(spawn=lambda *given: held.append(given))
    holder.turn()
    for _ in range(10):
        outlet.clock.advance(LEASE_MS // 2)
        holder.turn()
        outlet.settle()
    assert (len(held), outlet.poster.got) == (1, [])


def test_who_comes_back_too_late_is_refused(outlet):
    """F52: a worker that was frozen for longer than its lease changes nothing any more."""
    outlet.webhook()
    outlet.reply("Hello")
    frozen: list[tuple] = []
    zombie = outlet.new_courier(spawn=lambda *given: frozen.append(given))
    zombie.turn()
    outlet.later(LEASE_MS + 1)
    assert outlet.states() == ["done"]
    outlet.poster.will_answer(URL, 410)
    work, claimed = frozen[0]
    work(claimed)
    assert outlet.states() == ["done"]
    assert failing(outlet) == {}
    assert outlet.desk.listing()[0][0].disabled_at is None


def test_a_slow_receiver_holds_up_nobody_else(outlet):
    outlet.webhook()
    outlet.webhook(OTHER_URL)
    for number in range(20):
        outlet.reply(f"{number}", f"t-{number}")
    slow: list[object] = []

    def spawn(work, claimed) -> None:
        if claimed.webhook_id == 1:
            slow.append(claimed)
        else:
            work(claimed)

    courier = outlet.new_courier(spawn=spawn)
    for _ in range(10):
        courier.turn()
    assert len(slow) == IN_HAND_PER_WEBHOOK
    assert sorted(outlet.said(OTHER_URL), key=int) == [str(number) for number in range(20)]


class SlowStandIn:
    """Takes a moment, and notes who is with it at the same time."""

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


def test_several_workers_share_the_work_and_send_nothing_twice(outlet):
    outlet.webhook()
    for number in range(40):
        outlet.reply(f"{number}", f"t-{number % 7}")
    poster = SlowStandIn()
    couriers = [Courier(outlet.database, outlet.clock, poster) for _ in range(3)]
    running = [threading.Thread(target=courier.run, daemon=True) for courier in couriers]
    for one in running:
        one.start()
    wait_until(lambda: outlet.states().count("done") == 40, 30, "all deliveries")
    for courier in couriers:
        courier.stop()
    for one in running:
        one.join(5)
    assert poster.together == 0
    assert sum(map(len, poster.order.values())) == 40
    assert all(seqs == sorted(seqs) for seqs in poster.order.values())


def test_a_message_that_waits_for_a_chatbot_that_reads_by_itself_is_not_told_twice(outlet):
    id = outlet.reply("Hello")
    outlet.actions.send_again(outlet.linh, outlet.thread(), id)
    outlet.settle()
    with outlet.database.read() as connection:
        found, _ = outgoing.after(connection, outlet.shop.source_id, 0, 10)
    assert [event.data["body"] for event in found] == ["Hello"]


def test_a_message_that_the_customer_did_not_get_is_told_the_chatbot_anew(outlet):
    outlet.webhook()
    id = outlet.reply("Hello")
    outlet.settle()
    with pytest.raises(Problem, match="already_delivered"):
        outlet.actions.send_again(outlet.linh, outlet.thread(), id)
    outlet.shop.send(receipt(id, "failed"))
    assert outlet.delivery(id) == ("failed", "customer")
    outlet.actions.send_again(outlet.linh, outlet.thread(), id)
    outlet.settle()
    first, second = outlet.poster.bodies()
    assert first["id"] != second["id"]
    assert first["data"] == second["data"]
    outlet.shop.send(receipt(id, "delivered"))
    assert outlet.delivery(id) == ("delivered", "customer")


def receipt(message_id: int, state: str) -> ParsedEvent:
    return parse(
        {
            "id": f"r-{message_id}-{state}",
            "type": "receipt",
            "occurred_at": "2026-09-21T14:00:00Z",
            "message_id": message_id,
            "state": state,
        }
    )
