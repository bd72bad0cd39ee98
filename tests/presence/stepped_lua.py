"""Presence's Lua jobs with a clock that only the test moves."""

from collections.abc import Sequence
from typing import Any

from lua_scripts.runner import LuaCall, LuaRunner
from lua_scripts.servers import Client
from presence.jobs import CLOCK, JOBS, job_sources
from tests.support import SettableClock

_CLOCK = """
local NOW = tonumber(table.remove(ARGV))
local function now_ms() return NOW end
"""


class SteppedLua(LuaRunner):
    """Each call carries the time as its last argument, where the job reads a clock."""

    def __init__(self, client: Client, clock: SettableClock):
        self._clock = clock
        super().__init__(client, job_sources({CLOCK: _CLOCK}))

    def run_all(self, calls: Sequence[LuaCall], *, as_one: bool = False) -> list[Any]:
        return super().run_all([self._timed(call) for call in calls], as_one=as_one)

    def _timed(self, call: LuaCall) -> LuaCall:
        needs_time = CLOCK in JOBS[call.script]
        return call._replace(args=[*call.args, self._clock()]) if needs_time else call
