"""Presence over the bot API: beats, claims, look-ups, who is online, the team, typing."""

import fakeredis
import pytest
from redis.exceptions import ConnectionError

from dashboard.attendance.attendance import OTHERS
from dashboard.store import admins, keys, presence
from presence.people import Connection
from presence.settings import Settings
from presence.states import never_seen
from tests.intake.order import Order
from tests.web.bot import Bot, message


class PresenceBot(Bot):
    """A bot with presence's verbs."""

    def send(self, method: str, path: str, document, key: str | None = None):
        return self.http.open(
            f"/api/v1/{path}", method=method, json=document, headers=self.headers(key)
        )

    def beat(self, *customers: str, key: str | None = None, **more):
        beats = [{"customer": one, "device": "d", "type": "web"} | more for one in customers]
        answer = self.send("POST", "presence", {"beats": beats}, key)
        assert answer.status_code == 200, answer.json
        assert answer.json == {"accepted": len(customers)}

    def set(self, customer: str, **changes):
        answer = self.send("PUT", f"presence/{customer}", changes)
        assert answer.status_code == 200, answer.json
        return answer.json

    def states(self, *customers: str, key: str | None = None):
        answer = self.get("presence", key, customer=customers)
        assert answer.status_code == 200, answer.json
        return answer.json["presence"]

    def state(self, customer: str, key: str | None = None):
        return self.states(customer, key=key)[customer]


@pytest.fixture
def bot(database, clock) -> PresenceBot:
    order = Order(database, fakeredis.FakeRedis(), clock)
    order.tick()
    return PresenceBot(order)


def test_a_beat_brings_a_customer_online_and_offline_takes_them_away_at_once(bot):
    """R5, R8, R14."""
    assert bot.state("c-1") | {"v": 0} == never_seen(0)
    bot.beat("c-1")
    state = bot.state("c-1")
    assert (state["status"], state["devices"]) == ("online", ["web"])
    answer = bot.send("POST", "presence/offline", {"devices": [{"customer": "c-1", "device": "d"}]})
    assert answer.json == {"accepted": 1}
    state = bot.state("c-1")
    assert state["status"] == "offline" and state["last_seen"] is not None


def test_two_devices_are_two_and_an_idle_one_alone_is_away(bot):
    """R21, R28."""
    bot.beat("c-1", device="phone", type="mobile")
    bot.beat("c-1", device="desk", type="desktop", active=False)
    assert bot.state("c-1")["devices"] == ["desktop", "mobile"]
    bot.send("POST", "presence/offline", {"devices": [{"customer": "c-1", "device": "phone"}]})
    state = bot.state("c-1")
    assert (state["status"], state["devices"]) == ("away", ["desktop"])


def test_a_source_sees_its_own_customers_alone(bot):
    """R10."""
    other = bot.new_key("other")
    bot.beat("c-1")
    assert bot.state("c-1", key=other)["status"] == "offline"
    bot.beat("c-1", key=other)
    online = bot.get("presence/online", other).json
    assert [one["id"] for one in online["customers"]] == ["c-1"] and online["total"] == 1


def test_what_is_set_is_in_sql_first_and_lasts(bot, database):
    """R39, B9: a claim outlives beats, and Redis."""
    bot.beat("c-1")
    told = bot.set("c-1", status="dnd", text=" in the garden ", until="2099-01-01T00:00:00Z")
    assert (told["status"], told["text"], told["visibility"]) == (
        "dnd",
        "in the garden",
        "everyone",
    )
    bot.beat("c-1")
    assert bot.state("c-1")["status"] == "dnd"
    bot.order.client.flushall()
    bot.beat("c-1")
    assert (bot.state("c-1")["status"], bot.state("c-1")["text"]) == ("dnd", "in the garden")
    told = bot.set("c-1", status=None, text=None, until=None)
    assert told["until"] is None and bot.state("c-1")["status"] == "online"
    with database.read() as connection:
        kept = presence.of_customers(connection, ["shop/c-1"])["shop/c-1"]
    assert kept.settings.revision == 2


def test_what_redis_did_not_hear_it_hears_later(bot, monkeypatch):
    """What was set stands in SQL though Redis is away; nothing uncovers it meanwhile."""
    bot.beat("c-1")
    people = bot.attendance.customers
    heard = people.set

    def away(*given):
        raise ConnectionError("away")

    monkeypatch.setattr(people, "set", away)
    answer = bot.send("PUT", "presence/c-1", {"visibility": "nobody"})
    assert (answer.status_code, answer.get_json(force=True)["code"]) == (
        503,
        "presence_unavailable",
    )
    assert answer.headers["Retry-After"] == "1"
    monkeypatch.setattr(people, "set", heard)
    bot.attendance.say_unsaid()
    others = bot.attendance.look("customer", ["shop/c-1"], OTHERS)
    assert others["shop/c-1"] | {"v": 0} == never_seen(0)


def test_a_hidden_customer_looks_like_one_who_never_was(bot):
    """B41, R79: but to their own source, which knows the truth."""
    bot.beat("c-1")
    bot.set("c-1", visibility="nobody")
    looked = bot.attendance.look("customer", ["shop/c-1", "shop/c-2"], OTHERS)
    assert looked["shop/c-1"] | {"v": 0} == looked["shop/c-2"] | {"v": 0} == never_seen(0)
    assert bot.state("c-1")["status"] == "online"


def test_an_admin_who_answered_is_a_contact(bot, database):
    bot.post(message(thread="t-1", customer={"id": "c-1"}))
    bot.beat("c-1")
    bot.set("c-1", visibility="contacts")
    relations = bot.attendance.relations
    mai = database.write(lambda c: admins.create(c, "m@example.com", "Mai", "admin", "", 0))
    assert relations.of_customers(str(mai), ["shop/c-1"]) == set()
    with database.engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE threads SET assignee_id = {mai}")
    assert relations.of_customers(str(mai), ["shop/c-1", "shop/c-2"]) == {"shop/c-1"}
    assert relations.of_customers("others", ["shop/c-1"]) == ()


def test_who_was_seen_is_listed_newest_first_page_by_page(bot):
    """R62, R63, R65, B25."""
    for number in range(5):
        bot.beat(f"c-{number}")
    first = bot.get("presence/online", within=60, limit=2).json
    assert first["total"] == 5 and {one["colour"] for one in first["customers"]} == {"green"}
    second = bot.get("presence/online", limit=500, cursor=first["next"]).json
    listed = [one["id"] for one in first["customers"] + second["customers"]]
    assert sorted(listed) == [f"c-{number}" for number in range(5)] and second["next"] is None
    nobody = {"customers": [], "next": None, "total": 0}
    assert bot.get("presence/online", **{"from": 5, "to": 1}).json == nobody


@pytest.mark.parametrize(
    ("query", "pointer", "code"),
    [
        ({"within": 0}, "/within", "number_out_of_range"),
        ({"within": "x"}, "/within", "wrong_type"),
        ({"limit": 501}, "/limit", "number_out_of_range"),
        ({"cursor": "rubbish"}, "/cursor", "unknown_value"),
        ({"within": 5, "from": 1}, "/within", "unknown_field"),
    ],
)
def test_wrong_questions_are_refused_with_their_place(bot, query, pointer, code):
    answer = bot.get("presence/online", **query)
    assert answer.status_code == 422
    [error] = answer.get_json(force=True)["errors"]
    assert (error["pointer"], error["code"]) == (pointer, code)


GONE = {"customer": "c", "device": "d"}
BEAT = {"customer": "c", "device": "d", "type": "web", "active": True}


@pytest.mark.parametrize(
    ("method", "path", "document", "status", "pointer", "code"),
    [
        ("POST", "presence", {}, 422, "/beats", "missing_field"),
        ("POST", "presence", [], 422, "", "wrong_type"),
        ("POST", "presence", {"beats": []}, 422, "/beats", "batch_empty"),
        ("POST", "presence", {"beats": [BEAT] * 1001}, 413, None, "batch_too_large"),
        ("POST", "presence", {"beats": [BEAT | {"x": 1}]}, 422, "/beats/0/x", "unknown_field"),
        ("POST", "presence", {"beats": [BEAT | {"type": "tv"}]}, 422, "/beats/0/type",
         "unknown_value"),
        ("POST", "presence", {"beats": [BEAT | {"active": 1}]}, 422, "/beats/0/active",
         "wrong_type"),
        ("POST", "presence", {"beats": [BEAT | {"customer": "a b"}]}, 422, "/beats/0/customer",
         "invalid_id"),
        ("POST", "presence", {"beats": [BEAT | {"device": "\x1f"}]}, 422, "/beats/0/device",
         "forbidden_character"),
        ("POST", "presence/offline", {"devices": [GONE | {"type": "web"}]}, 422,
         "/devices/0/type", "unknown_field"),
        ("PUT", "presence/c", {"status": "offline"}, 422, "/status", "unknown_value"),
        ("PUT", "presence/c", {"text": "x" * 141}, 422, "/text", "too_long"),
        ("PUT", "presence/c", {"until": "soon"}, 422, "/until", "invalid_timestamp"),
        ("PUT", "presence/c", {"until": -1}, 422, "/until", "number_out_of_range"),
        ("PUT", "presence/c", {"show_typing": "no"}, 422, "/show_typing", "wrong_type"),
        ("PUT", "presence/a%20b", {"status": "away"}, 422, "/customer", "invalid_id"),
        ("POST", "typing", {"thread": "t"}, 422, "/customer", "missing_field"),
    ],
)  # fmt: skip
def test_wrong_bodies_are_refused_with_their_place(
    bot, method, path, document, status, pointer, code
):
    """R20, R29."""
    answer = bot.send(method, path, document)
    problem = answer.get_json(force=True)
    assert (answer.status_code, problem["code"]) == (status, code), problem
    if pointer is not None:
        assert [error["pointer"] for error in problem["errors"]] == [pointer]


def test_a_look_up_names_one_to_500_customers(bot):
    assert bot.get("presence").status_code == 422
    assert bot.get("presence", customer=[str(n) for n in range(501)]).status_code == 422
    assert len(bot.states(*(str(n) for n in range(500)))) == 500


def test_a_key_may_look_up_twenty_times_500_people_a_minute(bot):
    """A page of who was seen counts as its limit; other keys have their own."""
    other = bot.new_key("other")
    for _ in range(19):
        assert bot.get("presence/online", limit=500).status_code == 200
    assert bot.get("presence", customer=[f"c-{n}" for n in range(500)]).status_code == 200
    for refused in (bot.get("presence", customer="c-1"), bot.get("presence/online", limit=1)):
        assert (refused.status_code, refused.json["code"]) == (429, "rate_limited")
    assert bot.get("presence", other, customer="c-1").status_code == 200
    bot.order.seconds += int(refused.headers["Retry-After"])
    assert bot.state("c-1")["status"] == "offline"
    assert bot.get("presence/online", limit=500).status_code == 429


def test_another_scope_does_not_do(bot):
    """R9: who may send a beat is decided by the key."""
    key = bot.new_key("shop", scopes=set(keys.SCOPES) - {"presence"})
    assert bot.send("POST", "presence", {"beats": [BEAT]}, key).status_code == 403
    assert bot.send("POST", "presence", {"beats": [BEAT]}, "wrong").status_code == 401


def test_a_new_message_of_a_client_is_a_sign_of_life(bot, clock):
    """R6: but not one that occurred long ago, nor one known already, nor an admin's."""
    bot.order.clock.now_ms = 1_795_168_860_000  # 2026-11-20T10:01:00Z
    event = message(thread="t-1", customer={"id": "new"}, occurred_at="2026-11-20T10:00:00Z")
    bot.post(event)
    bot.post(message(customer={"id": "old"}, occurred_at="2026-11-20T09:59:59Z"))
    bot.post(message(customer={"id": "asked"}, role="admin", occurred_at="2026-11-20T10:01:00Z"))
    assert bot.chatbots.tell() == 1
    states = bot.states("new", "old", "asked")
    assert [one["status"] for one in states.values()] == ["online", "offline", "offline"]
    assert states["new"]["devices"] == ["http"]
    bot.post(event)
    assert bot.chatbots.tell() == 0


def test_who_leaves_after_a_message_has_left_though_its_beat_comes_later(bot):
    """R14, R42: beats of messages are gathered, and count as of when the message was taken."""
    bot.order.clock.now_ms = 1_795_168_860_000
    recent = {"customer": {"id": "c-1"}, "occurred_at": "2026-11-20T10:01:00Z"}
    goodbye = {"devices": [{"customer": "c-1", "device": "messages"}]}
    for status, seconds in (("offline", 5), ("online", 0), ("offline", 5)):
        bot.post(message(**recent))
        if status == "offline":
            bot.send("POST", "presence/offline", goodbye)
        bot.order.seconds += seconds
        bot.chatbots.tell()
        assert bot.state("c-1")["status"] == status


def test_a_message_does_not_end_what_was_begun_after_it(bot):
    bot.order.clock.now_ms = 1_795_168_860_000
    recent = {"customer": {"id": "c-1"}, "occurred_at": "2026-11-20T10:01:00Z"}
    bot.post(message(thread="t-1", **recent))
    bot.send("POST", "typing", {"thread": "t-1", "customer": "c-1"})
    bot.order.seconds += 5
    bot.chatbots.tell()
    assert typing_in(bot, "t-1") == ["shop/c-1"]


def typing_in(bot, thread: str) -> list[str]:
    id = bot.get(f"threads/{thread}").json["id"]
    room = bot.attendance.writers.look([str(id)])[str(id)]
    return [one.person for one in room.members if one.mode == "typing"]


def test_typing_is_seen_until_the_message_comes(bot):
    bot.post(message(thread="t-1", customer={"id": "c-1"}))
    said = {"thread": "t-1", "customer": "c-1"}
    assert bot.send("POST", "typing", said).json == {"accepted": 1}
    assert typing_in(bot, "t-1") == ["shop/c-1"] and bot.state("c-1")["status"] == "online"
    bot.order.clock.now_ms = 1_795_168_860_000
    bot.post(message(thread="t-1", customer={"id": "c-1"}, occurred_at="2026-11-20T10:01:00Z"))
    bot.chatbots.tell()
    assert typing_in(bot, "t-1") == []
    assert bot.send("POST", "typing", said | {"thread": "t-2"}).status_code == 404


@pytest.mark.parametrize(
    "hides", [{"show_typing": False}, {"status": "invisible"}, {"visibility": "nobody"}]
)
def test_who_hides_is_not_seen_typing(bot, hides):
    bot.post(message(thread="t-1", customer={"id": "c-1"}))
    bot.set("c-1", **hides)
    assert bot.send("POST", "typing", {"thread": "t-1", "customer": "c-1"}).status_code == 200
    assert typing_in(bot, "t-1") == []


def test_a_customer_learns_whether_the_team_is_there_and_who_has_their_thread(bot, database):
    """T5 is the product's: presence is what it reads. Case E7: nobody is bound to who is away."""
    bot.post(message(thread="t-1", customer={"id": "c-1"}))
    assert bot.get("presence/team", thread="t-1").json == {"online": False, "assignee": None}
    assert bot.get("presence/team", thread="t-9").status_code == 404
    assert bot.get("presence/team").status_code == 422
    mai = database.write(lambda c: admins.create(c, "m@example.com", "Mai", "admin", "", 0))
    with database.engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE threads SET assignee_id = {mai}")
    bot.attendance.admins.open(Connection(str(mai), "s"), Settings())
    told = {"online": True, "assignee": {"name": "Mai", "status": "online"}}
    assert bot.get("presence/team", thread="t-1").json == told
    bot.attendance.set_admin(mai, {"visibility": "nobody"})
    told = {"online": False, "assignee": {"name": "Mai", "status": "offline"}}
    assert bot.get("presence/team", thread="t-1").json == told


def test_without_redis_the_answer_says_so_and_events_are_still_taken(bot, monkeypatch):
    """T12."""

    def away(*given, **more):
        raise ConnectionError("away")

    monkeypatch.setattr(bot.attendance.customers.scripts, "run_all", away)
    for answer in (
        bot.send("POST", "presence", {"beats": [BEAT]}),
        bot.get("presence", customer="c"),
        bot.get("presence/online"),
    ):
        assert answer.status_code == 503
        assert answer.get_json(force=True)["code"] == "presence_unavailable"
    assert bot.post(message()).status_code == 201
