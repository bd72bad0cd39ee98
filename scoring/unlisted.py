"""Threads that changed while they are on no view: snoozed ones, and those of the archive."""

from typing import NamedTuple

from lua_scripts.servers import Client
from scoring.keys import Keys, thread_id

#: Members that are kept: who has missed more of them looks at all threads that concern it.
UNLISTED_ENTRIES = 1_000


class UnlistedChanges(NamedTuple):
    """`number` of the last change, to ask what came later; `ids` of what has changed since the
    number that was asked for, None where that is not known any more."""

    number: int
    ids: set[int] | None


def unlisted_since(client: Client, keys: Keys, number: int | None) -> UnlistedChanges:
    """What changed since then; None: nothing is known yet. Raises RedisError."""
    with client.pipeline(transaction=False) as pipeline:
        # Read first: what comes in between is read once more.
        pipeline.zrange(keys.unlisted, -1, -1, withscores=True)
        pipeline.zrange(keys.unlisted, 0, 0, withscores=True)
        pipeline.zrangebyscore(keys.unlisted, f"({number or 0}", "+inf")
        newest, oldest, found = pipeline.execute()
    last = int(newest[0][1]) if newest else 0
    first = int(oldest[0][1]) if oldest else 1
    if number is None or last < number or first > number + 1:
        return UnlistedChanges(last, None)
    return UnlistedChanges(last, {id for name in found if (id := thread_id(name)) is not None})
