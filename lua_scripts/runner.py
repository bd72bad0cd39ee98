"""Runs Lua scripts by their digest: many in one round trip, on one server or on a cluster."""

import hashlib
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import redis
from redis.cluster import RedisCluster
from redis.exceptions import (
    AskError,
    ConnectionError,
    MovedError,
    NoScriptError,
    TimeoutError,
    TryAgainError,
)

from lua_scripts.servers import Client, follow, holder_of, refresh

Args = Sequence[str | bytes | int]

_REDIRECTED = (MovedError, AskError, TryAgainError)
#: A call is redirected for this long while its slot moves.
FOLLOW_SECONDS = 2.0
#: Pause before the next attempt if two nodes hold a part of the keys each.
SPLIT_SECONDS = 0.02


#: Suffix of a script in `sources` that makes many calls of another one, see `as_one`.
AS_ONE = " as one"


class LuaCall(NamedTuple):
    """One run of a script; on a cluster all its keys lie in one slot."""

    script: str
    keys: Sequence[str]
    args: Args = ()


class _Scripts(NamedTuple):
    """Maps of script names to Lua texts and to digests."""

    texts: Mapping[str, str]
    digests: Mapping[str, str]


class LuaRunner:
    """Runs the scripts named in `sources` (name -> Lua text) on one Redis or on a cluster's nodes.

    Scripts are sent by digest (EVALSHA). If a server lacks one (just started, SCRIPT FLUSH), it is
    loaded and the calls that failed are sent again. Without `loads_missing`, or for a server that
    is missing in `preludes`, nothing is loaded: NoScriptError is raised. `preludes` maps names of
    servers to the Lua text in front of each script there.
    """

    def __init__(
        self,
        client: Client,
        sources: Mapping[str, str],
        *,
        loads_missing: bool = True,
        preludes: Mapping[str, str] | None = None,
    ):
        self.client = client
        self._loads_missing = loads_missing
        self._everywhere = _scripts(sources, "") if preludes is None else None
        self._by_server = {
            server: _scripts(sources, prelude) for server, prelude in (preludes or {}).items()
        }

    def run(self, script: str, keys: Sequence[str], *args: str | bytes | int) -> Any:
        """Returns the script's result; raises Redis's errors."""
        return self.run_all([LuaCall(script, keys, args)])[0]

    def run_all(self, calls: Sequence[LuaCall], *, as_one: bool = False) -> list[Any]:
        """Returns results in the order of `calls`: one round trip a node, not one atomic step.

        `as_one`: on a server that is no cluster, calls of one script are one command, during which
        the server answers nobody else. Use it for calls that take microseconds; the sources must
        hold the `as_one` of the script. Raises the first error of a node or of a call, after all
        calls were made.
        """
        if as_one and len(calls) > 1 and not isinstance(self.client, RedisCluster):
            [answer] = self._results([_merged(calls)])
            results = [answer] if isinstance(answer, Exception) else answer
        else:
            results = self._results(calls)
        for result in results:
            if isinstance(result, Exception):
                raise result
        return list(results)

    def _results(self, calls: Sequence[LuaCall]) -> list[Any]:
        """Returns the result of each call, or the error that it raised."""
        results: list[Any] = [None] * len(calls)
        for (name, server), indexes in self._by_holder(calls).items():
            answers = self._run_on(name, server, [calls[index] for index in indexes])
            for index, result in zip(indexes, answers, strict=True):
                if isinstance(result, _REDIRECTED):
                    result = self._follow(calls[index], result)
                results[index] = result
        return results

    def are_held_by(self, name: str, server: redis.Redis) -> bool:
        """Whether this server holds all scripts."""
        return all(server.script_exists(*self._scripts(name).digests.values()))

    def load(self, name: str, server: redis.Redis) -> None:
        """Sends all scripts to this server."""
        for text in self._scripts(name).texts.values():
            server.script_load(text)

    def _scripts(self, name: str) -> _Scripts:
        scripts = self._everywhere or self._by_server.get(name)
        if scripts is None:
            raise NoScriptError(f"there are no scripts for {name}")
        return scripts

    def _by_holder(self, calls: Sequence[LuaCall]) -> dict[tuple[str, redis.Redis], list[int]]:
        """Maps servers to the indexes of the calls with keys there."""
        indexes: dict[tuple[str, redis.Redis], list[int]] = defaultdict(list)
        for index, call in enumerate(calls):
            indexes[holder_of(self.client, call.keys[0])].append(index)
        return indexes

    def _run_on(
        self, name: str, server: redis.Redis, calls: list[LuaCall], *, asking: bool = False
    ) -> list[Any]:
        """Returns the result or error of each call; a cluster's node may be away."""
        try:
            scripts = self._scripts(name)
            return self._run_scripts(scripts, server, calls, asking)
        except NoScriptError as error:
            return [error] * len(calls)
        except (ConnectionError, TimeoutError) as error:
            if not isinstance(self.client, RedisCluster):
                raise
            # The other nodes go on. This one may have been replaced.
            refresh(self.client, failed=name)
            return [error] * len(calls)

    def _run_scripts(
        self, scripts: _Scripts, server: redis.Redis, calls: list[LuaCall], asking: bool
    ) -> list[Any]:
        results = _send(scripts, server, calls, asking)
        missing = [at for at, result in enumerate(results) if isinstance(result, NoScriptError)]
        if missing and self._loads_missing:
            for script in {calls[at].script for at in missing}:
                server.script_load(scripts.texts[script])
            answers = _send(scripts, server, [calls[at] for at in missing], asking)
            for at, result in zip(missing, answers, strict=True):
                results[at] = result
        return results

    def _follow(self, call: LuaCall, error: Exception) -> Any:
        """Runs a call on the node that the answers name, during or after the move of its slot.

        A slot's keys move one by one: until all have moved, a call that needs several waits.
        """
        assert isinstance(self.client, RedisCluster), "one server sends nothing on"
        end = time.monotonic() + FOLLOW_SECONDS
        while True:
            if isinstance(error, AskError):
                name, server = follow(self.client, error)
            else:
                time.sleep(SPLIT_SECONDS)
                name, server = holder_of(self.client, call.keys[0])
            asking = isinstance(error, AskError) and not isinstance(error, MovedError)
            [result] = self._run_on(name, server, [call], asking=asking)
            if not isinstance(result, _REDIRECTED) or time.monotonic() > end:
                return result
            error = result


def _scripts(sources: Mapping[str, str], prelude: str) -> _Scripts:
    texts = {name: prelude + source for name, source in sources.items()}
    digests = {
        name: hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()
        for name, text in texts.items()
    }
    return _Scripts(texts, digests)


def _merged(calls: Sequence[LuaCall]) -> LuaCall:
    """Merges calls of one script into one call."""
    [script] = {call.script for call in calls}
    args: list[str | bytes | int] = [len(calls)]
    for call in calls:
        args += [len(call.keys), len(call.args), *call.args]
    return LuaCall(f"{script}{AS_ONE}", [key for call in calls for key in call.keys], args)


def as_one(text: str) -> str:
    """Returns a script that makes many calls of the script `text`. ARGV: their number; then for
    each call the number of its keys, that of its arguments, and the arguments. An error of a call
    is its result."""
    return f"""
local function job(KEYS, ARGV)
{text}
end
local answers, key, arg = {{}}, 1, 2
for call = 1, tonumber(ARGV[1]) do
  local keys, args = tonumber(ARGV[arg]), tonumber(ARGV[arg + 1])
  local ok, answer = pcall(job, {{unpack(KEYS, key, key + keys - 1)}},
    {{unpack(ARGV, arg + 2, arg + 1 + args)}})
  key, arg = key + keys, arg + 2 + args
  if not ok then
    answer = {{err = type(answer) == 'table' and answer.err or tostring(answer)}}
  end
  answers[call] = answer or false
end
return answers
"""


def _send(
    scripts: _Scripts, server: redis.Redis, calls: Sequence[LuaCall], asking: bool
) -> list[Any]:
    with server.pipeline(transaction=False) as pipeline:
        for call in calls:
            if asking:
                pipeline.execute_command("ASKING")
            digest = scripts.digests[call.script]
            pipeline.evalsha(digest, len(call.keys), *call.keys, *call.args)
        answers = pipeline.execute(raise_on_error=False)
    return answers[1::2] if asking else answers


def text_of(value: Any) -> str:
    """Returns Redis's bytes as text, also if the client decodes by itself."""
    return value.decode() if isinstance(value, bytes) else str(value)
