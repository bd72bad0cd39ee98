"""Whatever is posted, the answer is a result or a problem: never a 500, never half stored."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select

from dashboard.db.models.threads import customers, events, threads
from tests.drivers.bot import BotDriver, message
from tests.support import examples

ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=True, allow_infinity=True),
    st.text(max_size=20),
    st.sampled_from(["", " ", "\0", "\ud800", "x" * 200, "<script>", "' OR 1=1--", "*", "client"]),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=5), st.none(), max_size=2),
    st.sampled_from([{"id": "c-1"}, {"id": "c-1", "name": "Mai", "member_status": 3}]),
    st.sampled_from(["message", "customer", "receipt", "thread.close", "thread.priority"]),
    st.sampled_from([1, 2, 99, "high", "read"]),
)
KNOWN = ("id", "type", "thread", "occurred_at", "customer", "role", "body", "private")
FIELDS = st.sampled_from(
    [*KNOWN, "attachments", "priority", "message_id", "state", "__proto__", "extra", "events"]
)


@st.composite
def mutants(draw: st.DrawFn):
    """An event with a few members left out or replaced."""
    event = message(id=draw(st.sampled_from(["m-1", "m-2", "m-3"])))
    event |= draw(st.dictionaries(FIELDS, ODD, max_size=4))
    for name in draw(st.sets(FIELDS, max_size=2)):
        event.pop(name, None)
    return event


def counts(bot: BotDriver) -> list[int]:
    with bot.order.database.read() as connection:
        return [
            connection.scalar(select(func.count()).select_from(table))
            for table in (events, threads, customers)
        ]


def check(bot: BotDriver, data: bytes, expected: set[int]) -> None:
    before = counts(bot)
    answer = bot.post_raw(data)
    body = json.loads(answer.data)
    assert answer.status_code in expected, body
    if answer.content_type == "application/problem+json":
        assert body["status"] == answer.status_code and body["code"]
        assert counts(bot) == before
    else:
        results = body.get("results", [body])
        created = sum(result["status"] == "created" for result in results)
        assert counts(bot)[0] - before[0] == created


@given(mutants())
@settings(max_examples=examples(250))
def test_a_mutated_event_is_taken_or_refused(bot, event):
    check(bot, json.dumps(event).encode(), {200, 201, 400, 409, 413, 422})


@given(st.lists(mutants() | ODD, min_size=1, max_size=6))
@settings(max_examples=examples(120))
def test_a_batch_of_mutants_is_answered_one_by_one(bot, batch):
    check(bot, json.dumps({"events": batch}).encode(), {200, 207, 400, 422})


@given(st.binary(max_size=60) | st.text('{}[]":,\\u0019eE+-. ntf', max_size=60).map(str.encode))
@settings(max_examples=examples(250))
def test_any_bytes_are_answered(bot, data):
    check(bot, data, {400, 422})
