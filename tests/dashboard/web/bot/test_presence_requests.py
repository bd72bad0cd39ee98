"""Presence over the bot API: lists, limits, and what is refused."""

import pytest

from dashboard.db.accounts import api_keys
from tests.drivers.bot import BEAT


def test_seen_customers_are_listed_newest_first_page_by_page(bot):
    """R62, R63, R65, B25."""
    for number in range(5):
        bot.beat(f"c-{number}")
    first = bot.get("presence/online", within=60, limit=2).json
    assert first["total"] == 5 and {one["colour"] for one in first["customers"]} == {"green"}
    second = bot.get("presence/online", limit=500, cursor=first["next"]).json
    listed = [one["id"] for one in first["customers"] + second["customers"]]
    assert sorted(listed) == [f"c-{number}" for number in range(5)] and second["next"] is None
    empty = {"customers": [], "next": None, "total": 0}
    assert bot.get("presence/online", **{"from": 5, "to": 1}).json == empty


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
def test_wrong_queries_are_refused_with_their_pointer(bot, query, pointer, code):
    answer = bot.get("presence/online", **query)
    assert answer.status_code == 422
    [error] = answer.get_json(force=True)["errors"]
    assert (error["pointer"], error["code"]) == (pointer, code)


GONE = {"customer": "c", "device": "d"}


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
def test_wrong_bodies_are_refused_with_their_pointer(
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
    """A page of people seen counts as its limit; other keys have a limit of their own."""
    other = bot.new_key("other")
    for _ in range(19):
        assert bot.get("presence/online", limit=500).status_code == 200
    assert bot.get("presence", customer=[f"c-{n}" for n in range(500)]).status_code == 200
    for refused in (bot.get("presence", customer="c-1"), bot.get("presence/online", limit=1)):
        assert (refused.status_code, refused.json["code"]) == (429, "rate_limited")
    assert bot.get("presence", other, customer="c-1").status_code == 200
    bot.order.clock.advance(1_000 * int(refused.headers["Retry-After"]))
    assert bot.state("c-1")["status"] == "offline"
    assert bot.get("presence/online", limit=500).status_code == 429


def test_another_scope_does_not_do(bot):
    """R9: the scopes of the key decide who may send a heartbeat."""
    key = bot.new_key("shop", scopes=set(api_keys.SCOPES) - {"presence"})
    assert bot.send("POST", "presence", {"beats": [BEAT]}, key).status_code == 403
    assert bot.send("POST", "presence", {"beats": [BEAT]}, "wrong").status_code == 401
