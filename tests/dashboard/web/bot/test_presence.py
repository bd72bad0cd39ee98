"""Presence over the bot API: heartbeats, overrides, look-ups, lists, the team, typing."""

import pytest
from redis.exceptions import ConnectionError

from dashboard.db.accounts import admins, presence_settings
from dashboard.ingest.outgoing import Admin
from dashboard.presence.service import OTHERS
from presence.people import Connection
from presence.settings import Settings
from presence.states import never_seen
from tests.dashboard.web.answers import is_problem
from tests.drivers.bot import BEAT, message


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
    """R21, R28: a person is away if only an idle device is left."""
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
    """R39, B9: an override outlives heartbeats, and Redis."""
    bot.beat("c-1")
    shown = bot.set("c-1", status="dnd", text=" in the garden ", until="2099-01-01T00:00:00Z")
    assert (shown["status"], shown["text"], shown["visibility"]) == (
        "dnd",
        "in the garden",
        "everyone",
    )
    bot.beat("c-1")
    assert bot.state("c-1")["status"] == "dnd"
    bot.order.client.flushall()
    bot.beat("c-1")
    assert (bot.state("c-1")["status"], bot.state("c-1")["text"]) == ("dnd", "in the garden")
    shown = bot.set("c-1", status=None, text=None, until=None)
    assert shown["until"] is None and bot.state("c-1")["status"] == "online"
    with database.read() as connection:
        kept = presence_settings.of_customers(connection, ["shop/c-1"])["shop/c-1"]
    assert kept.settings.revision == 2


def test_settings_that_redis_did_not_get_are_sent_later(bot, monkeypatch):
    """The settings are in SQL though Redis is away; nothing uncovers the person meanwhile."""
    bot.beat("c-1")
    people = bot.presence_service.customers
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
    bot.presence_service.flush_unsent_settings()
    others = bot.presence_service.look_up("customer", ["shop/c-1"], OTHERS)
    assert others["shop/c-1"] | {"v": 0} == never_seen(0)


def test_a_hidden_customer_looks_like_one_never_seen(bot):
    """B41, R79: but not to their own source, which knows the truth."""
    bot.beat("c-1")
    bot.set("c-1", visibility="nobody")
    looked = bot.presence_service.look_up("customer", ["shop/c-1", "shop/c-2"], OTHERS)
    assert looked["shop/c-1"] | {"v": 0} == looked["shop/c-2"] | {"v": 0} == never_seen(0)
    assert bot.state("c-1")["status"] == "online"


def test_an_admin_who_answered_is_a_contact(bot, database):
    bot.post(message(thread="t-1", customer={"id": "c-1"}))
    bot.beat("c-1")
    bot.set("c-1", visibility="contacts")
    relations = bot.presence_service.relations
    mai = database.write(lambda c: admins.create(c, "m@example.com", "Mai", "admin", "", 0))
    assert relations.of_customers(str(mai), ["shop/c-1"]) == set()
    with database.engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE threads SET assignee_id = {mai}")
    assert relations.of_customers(str(mai), ["shop/c-1", "shop/c-2"]) == {"shop/c-1"}
    assert relations.of_customers("others", ["shop/c-1"]) == ()


def test_a_new_message_of_a_client_is_a_sign_of_life(bot, clock):
    """R6: but not one that occurred long ago, nor one known already, nor an admin's."""
    bot.order.clock.now_ms = 1_795_168_860_000  # 2026-11-20T10:01:00Z
    event = message(thread="t-1", customer={"id": "new"}, occurred_at="2026-11-20T10:00:00Z")
    bot.post(event)
    bot.post(message(customer={"id": "old"}, occurred_at="2026-11-20T09:59:59Z"))
    bot.post(message(customer={"id": "asked"}, role="admin", occurred_at="2026-11-20T10:01:00Z"))
    assert bot.bot_presence.flush_pending() == 1
    states = bot.states("new", "old", "asked")
    assert [one["status"] for one in states.values()] == ["online", "offline", "offline"]
    assert states["new"]["devices"] == ["http"]
    bot.post(event)
    assert bot.bot_presence.flush_pending() == 0


def test_a_device_closed_after_a_message_stays_closed_when_its_beat_comes_later(bot):
    """R14, R42: a message's heartbeat is sent later, and counts from when the message was taken."""
    bot.order.clock.now_ms = 1_795_168_860_000
    recent = {"customer": {"id": "c-1"}, "occurred_at": "2026-11-20T10:01:00Z"}
    offline = {"devices": [{"customer": "c-1", "device": "messages"}]}
    for status, seconds in (("offline", 5), ("online", 0), ("offline", 5)):
        bot.post(message(**recent))
        if status == "offline":
            bot.send("POST", "presence/offline", offline)
        bot.order.seconds += seconds
        bot.bot_presence.flush_pending()
        assert bot.state("c-1")["status"] == status


def test_a_message_does_not_end_what_was_begun_after_it(bot):
    bot.order.clock.now_ms = 1_795_168_860_000
    recent = {"customer": {"id": "c-1"}, "occurred_at": "2026-11-20T10:01:00Z"}
    bot.post(message(thread="t-1", **recent))
    bot.send("POST", "typing", {"thread": "t-1", "customer": "c-1"})
    bot.order.seconds += 5
    bot.bot_presence.flush_pending()
    assert typing_in(bot, "t-1") == ["shop/c-1"]


def typing_in(bot, thread: str) -> list[str]:
    id = bot.get(f"threads/{thread}").json["id"]
    room = bot.presence_service.writers.look_up([str(id)])[str(id)]
    return [one.person for one in room.members if one.mode == "typing"]


def test_typing_ends_with_the_message(bot):
    """R6: typing is a sign of life, too."""
    bot.post(message(thread="t-1", customer={"id": "c-1"}))
    said = {"thread": "t-1", "customer": "c-1"}
    assert bot.send("POST", "typing", said).json == {"accepted": 1}
    assert typing_in(bot, "t-1") == ["shop/c-1"] and bot.state("c-1")["status"] == "online"
    bot.order.clock.now_ms = 1_795_168_860_000
    bot.post(message(thread="t-1", customer={"id": "c-1"}, occurred_at="2026-11-20T10:01:00Z"))
    bot.bot_presence.flush_pending()
    assert typing_in(bot, "t-1") == []
    assert bot.send("POST", "typing", said | {"thread": "t-2"}).status_code == 404


@pytest.mark.parametrize(
    "hides", [{"show_typing": False}, {"status": "invisible"}, {"visibility": "nobody"}]
)
def test_typing_of_a_hidden_customer_is_not_shown(bot, hides):
    bot.post(message(thread="t-1", customer={"id": "c-1"}))
    bot.set("c-1", **hides)
    assert bot.send("POST", "typing", {"thread": "t-1", "customer": "c-1"}).status_code == 200
    assert typing_in(bot, "t-1") == []


def test_the_team_route_answers_who_is_online_and_the_assignee(bot, database):
    """T5, case E7: a chatbot can ask whether anybody, or the assignee, is here."""
    bot.post(message(thread="t-1", customer={"id": "c-1"}))
    assert bot.get("presence/team", thread="t-1").json == {"online": False, "assignee": None}
    assert bot.get("presence/team", thread="t-9").status_code == 404
    assert bot.get("presence/team").status_code == 422
    mai = database.write(lambda c: admins.create(c, "m@example.com", "Mai", "admin", "", 0))
    with database.engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE threads SET assignee_id = {mai}")
    bot.presence_service.admins.open(Connection(str(mai), "s"), Settings())
    team = {"online": True, "assignee": {"name": "Mai", "status": "online"}}
    assert bot.get("presence/team", thread="t-1").json == team
    bot.presence_service.set_admin(mai, {"visibility": "nobody"})
    team = {"online": False, "assignee": {"name": "Mai", "status": "offline"}}
    assert bot.get("presence/team", thread="t-1").json == team


def test_without_redis_the_answer_says_so_and_events_are_still_taken(bot, monkeypatch):
    """T12."""

    def away(*given, **more):
        raise ConnectionError("away")

    monkeypatch.setattr(bot.presence_service.customers.lua, "run_all", away)
    for answer in (
        bot.send("POST", "presence", {"beats": [BEAT]}),
        bot.get("presence", customer="c"),
        bot.get("presence/online"),
    ):
        assert answer.status_code == 503
        assert answer.get_json(force=True)["code"] == "presence_unavailable"
    assert bot.post(message()).status_code == 201


def test_a_close_ends_typing_in_its_thread(bot, clock):
    """H13: by the chatbot or on the dashboard; typing that comes later is shown again."""
    bot.order.clock.now_ms = 1_795_168_860_000  # 2026-11-20T10:01:00Z
    ids = {}
    for name in ("t-1", "t-2", "t-3"):
        bot.post(message(thread=name, customer={"id": "c-1"}))
        ids[name] = bot.get(f"threads/{name}").json["id"]
        bot.send("POST", "typing", {"thread": name, "customer": "c-1"})
    bot.bot_presence.flush_pending()
    bot.post(
        {
            "id": "x-1",
            "type": "thread.close",
            "thread": "t-1",
            "occurred_at": "2026-11-20T10:00:01Z",
        }
    )
    mai = bot.order.database.write(
        lambda c: admins.create(c, "m@example.com", "Mai", "admin", "", 0)
    )
    bot.order.tick()
    bot.services.ingest.act(bot.services.actions.close, Admin(mai, "Mai"), ids["t-2"])
    # Redis' clock forgets typing after seconds, so it is sent again here.
    bot.send("POST", "typing", {"thread": "t-3", "customer": "c-1"})
    bot.bot_presence.flush_pending()
    assert [typing_in(bot, name) for name in ids] == [[], [], ["shop/c-1"]]
    bot.send("POST", "typing", {"thread": "t-1", "customer": "c-1"})
    bot.bot_presence.flush_pending()
    assert typing_in(bot, "t-1") == ["shop/c-1"]


@pytest.mark.parametrize("closes", ["the chatbot", "an admin"])
def test_typing_goes_on_until_the_thread_is_closed(bot, closes):
    """H13: nothing but the close ends it."""
    bot.order.clock.now_ms = 1_795_168_860_000  # 2026-11-20T10:01:00Z
    bot.post(message(thread="t-1", customer={"id": "c-1"}))
    bot.bot_presence.flush_pending()
    bot.send("POST", "typing", {"thread": "t-1", "customer": "c-1"})
    assert typing_in(bot, "t-1") == ["shop/c-1"]
    if closes == "the chatbot":
        close = {"id": "x-1", "type": "thread.close", "thread": "t-1"}
        bot.post(close | {"occurred_at": "2026-11-20T10:00:01Z"})
    else:
        mai = bot.order.database.write(
            lambda c: admins.create(c, "m@example.com", "Mai", "admin", "", 0)
        )
        thread_id = bot.get("threads/t-1").json["id"]
        bot.services.ingest.act(bot.services.actions.close, Admin(mai, "Mai"), thread_id)
    bot.bot_presence.flush_pending()
    assert typing_in(bot, "t-1") == []


def test_a_customer_types_in_their_own_threads_only(bot):
    """Another's sign is refused, and brings nobody online."""
    bot.post(message(thread="t-1", customer={"id": "c-1"}))
    answer = bot.send("POST", "typing", {"thread": "t-1", "customer": "c-2"})
    assert answer.status_code == 404 and typing_in(bot, "t-1") == []
    assert bot.state("c-2")["status"] == "offline"


def test_a_customer_called_like_a_call_is_set_by_the_query(bot):
    for id in ("online", "offline", "team", "c-1"):
        answer = bot.send("PUT", f"presence?customer={id}", {"text": f"I am {id}"})
        assert answer.status_code == 200 and answer.json["text"] == f"I am {id}"
    for id, method in (("online", "GET"), ("offline", "POST"), ("team", "GET")):
        answer = bot.send("PUT", f"presence/{id}", {"text": "another"})
        assert is_problem(answer, 405, "method_not_allowed")
        assert {*answer.headers["Allow"].split(", ")} - {"HEAD", "OPTIONS"} == {method}
    assert bot.set("c-1")["text"] == "I am c-1"
    assert bot.send("PUT", "presence?customer=team", {}).json["text"] == "I am team"


def test_a_customer_who_is_online_is_nobody_of_the_team(bot):
    """R10: customers and admins are kept apart."""
    bot.post(message(thread="t-1", customer={"id": "c-1"}))
    bot.beat("c-1")
    assert bot.get("presence/team", thread="t-1").json["online"] is False


def test_who_was_seen_is_listed_with_the_colour_of_that_time(bot):
    """R38."""
    ages = {"now": 0, "a-minute": 61_000, "long": 301_000}
    now_ms, people = bot.presence_service.customers.now_ms(), bot.presence_service.customers
    for name, age in ages.items():
        people.open(Connection(f"shop/{name}", "d", opened_ms=now_ms - age), Settings())
    listed = bot.get("presence/online", within=3_600).json["customers"]
    colours = {"now": "green", "a-minute": "yellow", "long": "grey"}
    assert {one["id"]: one["colour"] for one in listed} == colours
