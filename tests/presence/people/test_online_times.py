"""Times of people who stay online, on their way to lasting storage."""

from presence.outbox import Departure, OnlineTimes
from tests.presence.world import World

INTERVAL_MS = 600_000


def taken(online: OnlineTimes, limit: int = 2) -> dict[str, Departure]:
    """The batches of one call."""
    batches = list(online.batches(limit))
    assert all(len(batch) <= limit for batch in batches)
    return {one.person: one for batch in batches for one in batch}


def test_who_stays_online_is_taken_once_an_interval(one_shard: World) -> None:
    """With both times, invisible people included; by one of the workers. (R56, R77)"""
    one, other = (OnlineTimes(one_shard.people, INTERVAL_MS) for _ in range(2))
    for number in range(5):
        one_shard.open(f"a/{number}")
    one_shard.set("a/4", status="invisible")
    hidden = one_shard.clock()
    one_shard.clock.advance(1)
    assert taken(one).keys() == {f"a/{number}" for number in range(5)}
    assert taken(other) == taken(one) == {}
    one_shard.clock.advance(INTERVAL_MS)
    for name in ("a/0", "a/4"):
        one_shard.beat(name)
    now = one_shard.clock()
    assert taken(other) == {
        "a/0": Departure("a/0", now, now),
        "a/4": Departure("a/4", now, hidden),
    }
    assert taken(one) == {}
    one_shard.clock.advance(-2 * INTERVAL_MS)
    one_shard.open("a/6")
    assert "a/6" in taken(one), "the clock was set back"
    assert taken(one) == {}


def test_each_call_takes_one_shard(world: World) -> None:
    """This spreads the work over the interval."""
    online = OnlineTimes(world.people, INTERVAL_MS)
    names = {f"a/{number}" for number in range(40)}
    for name in names:
        world.open(name)
    calls = [taken(online, 100) for _ in range(world.people.space.shards)]
    assert set().union(*calls) == names and sum(map(len, calls)) == 40
    shards = [{world.people.space.shard_of(name) for name in call} for call in calls]
    assert max(map(len, shards)) == 1
