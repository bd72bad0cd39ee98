"""The pieces of each Lua job, and its whole text."""

from collections.abc import Mapping

from lua_scripts.runner import AS_ONE, as_one
from lua_scripts.sources import read_lua

#: The only piece that reads a clock: Redis's own.
CLOCK = "feed/clock"

_FEED = (CLOCK, "feed/numbers", "feed/announcements")
_ROWS = (*_FEED, "state/keys", "state/groups", "state/last_seen_rows")
_READ = (*_ROWS, "state/snapshot")
_WRITE = (
    *_ROWS,
    "state/batch",
    "state/overrides",
    "state/derive_state",
    "state/snapshot",
    "state/state",
    "state/settle",
)
_ROOM = (*_FEED, "rooms/room")

#: Job to the pieces before it, in order.
JOBS: dict[str, tuple[str, ...]] = {
    "people/open": (*_WRITE, "state/take_settings"),
    "people/beat": _WRITE,
    "people/idle": _WRITE,
    "people/close": _WRITE,
    "people/set_settings": (*_WRITE, "state/take_settings"),
    "people/forget": _WRITE,
    "people/due": (CLOCK, "feed/numbers", "state/outage"),
    "people/sweep": _WRITE,
    "people/trim": _ROWS,
    "people/regroup": _ROWS,
    "people/claim_saving": _ROWS,
    "people/look_up": _READ,
    "people/connections": ("state/keys",),
    "people/connected": _FEED,
    "people/unfinished": (),
    "people/unsaved": (CLOCK,),
    "people/remove_consumers": (),
    "people/seen_among": _ROWS,
    "people/seen_page": (*_ROWS, "state/row_order"),
    "feed/head": _FEED,
    "feed/since": _FEED,
    "feed/now": (CLOCK,),
    "rooms/put": _ROOM,
    "rooms/beat": (CLOCK,),
    "rooms/leave": _ROOM,
    "rooms/due": (CLOCK,),
    "rooms/reap": _ROOM,
    "rooms/look_up": _ROOM,
}

#: Jobs that run for all shards of a server in one command.
IN_ALL_SHARDS = (
    "people/connected",
    "people/regroup",
    "people/unfinished",
    "people/unsaved",
    "feed/head",
)


def job_sources(replaced: Mapping[str, str] | None = None) -> dict[str, str]:
    """Maps jobs to Lua texts with all pieces; `replaced`: other texts of pieces (tests)."""
    others = replaced or {}
    sources = {
        job: "\n".join(others.get(name) or read_lua("presence", name) for name in (*pieces, job))
        for job, pieces in JOBS.items()
    }
    return sources | {f"{job}{AS_ONE}": as_one(sources[job]) for job in IN_ALL_SHARDS}
