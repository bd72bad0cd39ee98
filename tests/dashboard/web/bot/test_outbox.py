"""A chatbot reads by itself what admins did: from cursor to cursor, none skipped."""

import jsonschema
import pytest

from dashboard.db.threads import messages
from dashboard.ingest.actions import Actions, Admin, Reply
from dashboard.web.bot.openapi import document
from dashboard.web.http.queries import Cursors
from tests.dashboard.ingest.shop import new_admin
from tests.drivers.bot import BotDriver, message
from tests.servers.lineup import SECRET_KEY


class Linh:
    """An admin who answers in a thread of the bot's."""

    def __init__(self, bot: BotDriver):
        self.bot = bot
        self.database = bot.order.database
        self.actions = Actions(self.database, bot.order.clock)
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
