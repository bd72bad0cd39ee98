"""A chatbot reads by itself what admins did: from cursor to cursor, none skipped."""

import jsonschema
import pytest
from redis.exceptions import ConnectionError

from dashboard.db.threads import messages, threads
from dashboard.ingest.actions import Admin, Reply
from dashboard.web.bot.openapi import document
from dashboard.web.http.queries import Cursors
from tests.dashboard.ingest.shop import new_admin
from tests.drivers.bot import BotDriver, message
from tests.servers.lineup import SECRET_KEY

NOW = "2026-11-20T10:00:00Z"


class Linh:
    """An admin who answers in a thread of the bot's."""

    def __init__(self, bot: BotDriver):
        self.bot = bot
        self.database = bot.order.database
        self.actions = bot.services.actions
        self.admin = Admin(new_admin(self.database, "Linh"), "Linh")
        self.thread_id = bot.post(message(thread="t-42")).json["thread_id"]

    def says(self, body: str, **given) -> int:
        reply = Reply(body, f"tok-{body}", confirm=True, **given)
        return self.bot.order.ingest.act(
            self.actions.reply, self.admin, self.thread_id, reply
        ).message["id"]

    def claims(self) -> None:
        self.bot.order.ingest.act(self.actions.claim, self.admin, self.thread_id)

    def sees(self, message_id: int) -> dict:
        with self.database.read() as connection:
            return messages.one(connection, message_id)["delivery"]


@pytest.fixture
def linh(bot) -> Linh:
    return Linh(bot)


def test_a_chatbot_reads_what_admins_did_and_goes_on_from_there(bot, linh):
    empty = bot.get("events").json
    assert empty["events"] == [] and empty["next"]
    linh.claims()
    id = linh.says("Hello")
    linh.says("A note", private=True)
    answer = bot.get("events", after=empty["next"], limit=1).json
    assert [event["type"] for event in answer["events"]] == ["thread.assigned"]
    answer = bot.get("events", after=answer["next"]).json
    (event,) = answer["events"]
    assert event | {"id": "", "data": {}} == {
        "id": "",
        "type": "message.created",
        "occurred_at": "2026-09-21T14:13:20.001Z",
        "seq": 2,
        "thread": "t-42",
        "data": {},
    }
    assert (event["data"]["id"], event["data"]["body"]) == (id, "Hello")
    assert bot.get("events", after=answer["next"]).json == {"events": [], "next": answer["next"]}


def test_the_same_question_has_the_same_answer(bot, linh):
    linh.says("Hello")
    assert bot.get("events").json == bot.get("events").json


def customer_at(bot: BotDriver) -> list[tuple[bool | None, int | None]]:
    """What each message.created says of the customer."""
    data = [event["data"] for event in bot.get("events").json["events"]]
    return [(one["customer_online"], one["last_seen"]) for one in data]


def test_a_message_says_whether_its_customer_was_online_when_it_was_stored(bot, linh):
    """And says it ever after; a hidden customer's own source knows the truth."""
    linh.says("Too early")
    bot.beat("c")
    bot.set("c", visibility="nobody")
    online = bot.state("c")["last_seen"]
    linh.says("You are here")
    bot.send("POST", "presence/offline", {"devices": [{"customer": "c", "device": "d"}]})
    linh.says("You have left")
    left = bot.state("c")["last_seen"]
    bot.beat("c")
    linh.says("Of you", private=True)
    assert customer_at(bot) == [(False, None), (True, online), (False, left)]


def test_a_message_is_sent_without_presence_while_redis_is_away(bot, linh, monkeypatch):
    bot.beat("c")

    def away(*given):
        raise ConnectionError("away")

    monkeypatch.setattr(bot.presence_service.customers, "snapshots", away)
    linh.says("Hello")
    bot.order.services.ordering_status.mark_late()
    monkeypatch.setattr(bot.bot_presence, "of_thread", pytest.fail)
    linh.says("A Redis that is known to be away is not asked")
    assert customer_at(bot) == [(None, None)] * 2


def test_a_message_to_nobody_says_nothing_of_a_customer(bot, linh):
    bot.post({"id": "h", "type": "thread.handoff", "thread": "t-9", "occurred_at": NOW})
    with linh.database.read() as connection:
        linh.thread_id = threads.id_of(connection, bot.order.source_id, "t-9")
    linh.says("Hello")
    assert customer_at(bot) == [(None, None)]


def test_a_message_that_is_sent_again_says_it_anew(bot, linh):
    id = linh.says("Hello")
    receipt = {"id": "r", "type": "receipt", "occurred_at": NOW, "message_id": id}
    bot.post(receipt | {"state": "failed"})
    bot.beat("c")
    bot.order.ingest.act(linh.actions.send_again, linh.admin, linh.thread_id, id)
    assert customer_at(bot) == [(False, None), (True, bot.state("c")["last_seen"])]


def test_what_is_answered_fits_the_schema(bot, linh):
    linh.says("Hello")
    linh.claims()
    described = {"components": document()["components"]}
    schema = {"$ref": "#/components/schemas/OutgoingEvents"} | described
    answer = bot.get("events").json
    assert len(answer["events"]) == 2
    jsonschema.Draft202012Validator(schema).validate(answer)


def test_a_chatbot_that_comes_back_with_a_cursor_has_what_stands_before_it(bot, linh):
    id = linh.says("Hello")
    first = bot.get("events").json
    assert linh.sees(id)["state"] == "queued"
    bot.get("events", after=first["next"])
    assert (linh.sees(id)["state"], linh.sees(id)["to"]) == ("delivered", "bot")


def test_receipts_say_how_far_a_message_has_come_whatever_their_order(bot, linh):
    id = linh.says("Hello")
    for state, shown in (
        ("failed", "failed"),
        ("read", "read"),
        ("delivered", "read"),
        ("failed", "read"),
    ):
        receipt = {
            "id": f"r-{state}-{shown}",
            "type": "receipt",
            "occurred_at": "2026-09-21T14:00:00Z",
            "message_id": id,
            "state": state,
        }
        assert bot.post(receipt).status_code == 201
        assert (linh.sees(id)["state"], linh.sees(id)["to"]) == (shown, "customer")


def test_other_keys_and_cursors_read_nothing(bot, linh):
    linh.says("Hello")
    other = bot.new_key("other")
    assert bot.get("events", key=other).json["events"] == []
    assert bot.get("events", key=bot.new_key(scopes=["events"])).status_code == 403
    for wrong in ("x", "…", Cursors(SECRET_KEY).encode("events", 10_000), "a" * 500):
        answer = bot.get("events", after=wrong)
        assert (answer.status_code, answer.get_json(force=True)["code"]) == (422, "unknown_value")
    assert bot.get("events", limit=501).status_code == 422
    assert bot.get("events", after="").json["events"] != []
