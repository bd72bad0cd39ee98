"""Updates the scores of last-seen rows that an earlier version wrote."""

from lua_scripts.runner import LuaCall
from presence.people import People

#: Rows of each set that one call changes.
_BATCH = 500


def regroup(people: People) -> int:
    """Changes some of the rows; returns how many. Lists do not find unchanged rows.

    Call it until it returns 0.
    """
    calls = [
        LuaCall("people/regroup", people.space.people(shard), ["", "", _BATCH])
        for shard in range(people.space.shards)
    ]
    return sum(people.lua.run_all(calls, as_one=True))
