"""API keys: wrong ones, scopes and rates."""

import pytest

from dashboard.db.accounts import api_keys
from tests.dashboard.web.answers import is_problem
from tests.drivers.bot import EVENTS, message

WRONG_KEYS = {
    "none": None,
    "empty": "Bearer ",
    "another scheme": "Basic abc",
    "malformed": "Bearer lu_x",
    "unknown": f"Bearer lu_aaaaaaaaaa_{'a' * 43}",
    "long": "Bearer " + "a" * 10_000,
    "not ASCII": "Bearer l\xfc_",
}


@pytest.mark.parametrize("header", WRONG_KEYS.values(), ids=WRONG_KEYS.keys())
def test_every_wrong_key_gets_the_same_answer(bot, header):
    given = {} if header is None else {"Authorization": header}
    answer = bot.http.post(EVENTS, json=message(), headers=given)
    assert is_problem(answer, 401, "unauthorized")
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="Lineup"'
    assert answer.data == bot.post(message(), key=bot.key[:-1] + "~").data


def test_a_right_prefix_with_a_wrong_secret_is_refused(bot):
    other = bot.new_key()
    mixed = bot.key[:-43] + other[-43:]
    assert is_problem(bot.post(message(), key=mixed), 401, "unauthorized")


def test_a_right_key_in_another_scheme_is_refused(bot):
    """Bad input 70."""
    headers = {"Authorization": f"Basic {bot.key}"}
    answer = bot.http.post(EVENTS, json=message(), headers=headers)
    assert is_problem(answer, 401, "unauthorized")


def test_a_revoked_key_ends_within_a_second(bot):
    assert bot.post(message()).status_code == 201
    bot.order.database.write(lambda connection: api_keys.revoke(connection, bot.key, 5))
    bot.order.seconds += 1.1
    assert is_problem(bot.post(message()), 401, "unauthorized")


def test_a_key_in_the_query_string_is_ignored(bot):
    answer = bot.http.post(f"{EVENTS}?key={bot.key}&access_token={bot.key}", json=message())
    assert is_problem(answer, 401, "unauthorized")


def test_a_key_without_the_scope_is_forbidden(bot):
    reader = bot.new_key(scopes=["read"])
    writer = bot.new_key(scopes=["events"])
    assert is_problem(bot.post(message(), key=reader), 403, "forbidden_scope")
    assert is_problem(bot.get("threads/t", key=writer), 403, "forbidden_scope")
    assert is_problem(bot.get("lists/arrival/arrival", key=writer), 403, "forbidden_scope")


def test_a_key_above_its_rate_gets_429_with_retry_after(bot):
    key = bot.new_key(rate=3)
    statuses = [bot.post(message(), key=key).status_code for _ in range(4)]
    assert statuses == [201, 201, 201, 429]
    answer = bot.post(message(), key=key)
    assert is_problem(answer, 429, "rate_limited")
    bot.order.clock.advance(1_000 * int(answer.headers["Retry-After"]))
    assert bot.post(message(), key=key).status_code == 201
    assert bot.post(message()).status_code == 201, "the other key has no quota"


def test_a_batch_over_the_quota_is_refused_whole(bot):
    key = bot.new_key(rate=5)
    answer = bot.post({"events": [message() for _ in range(6)]}, key=key)
    assert is_problem(answer, 429, "rate_limited")
    assert bot.stored() == 0
    assert bot.post({"events": [message() for _ in range(5)]}, key=key).status_code == 200
