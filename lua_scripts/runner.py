"""Runs Lua scripts by their digest: many in one round trip, on one server or on a cluster."""

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from redis import Redis
from redis.cluster import RedisCluster
from redis.exceptions import AskError, MovedError, NoScriptError, TryAgainError

Client = Redis | RedisCluster
Args = Sequence[str | bytes | int]

_REDIRECTED = (MovedError, AskError, TryAgainError)


class LuaCall(NamedTuple):
    """One run of a script; on a cluster all its keys lie in one slot."""

    script: str
    keys: Sequence[str]
    args: Args = ()


class LuaRunner:
    """Runs the scripts named in `sources` (name -> Lua text) on one Redis or on a cluster's nodes.

    Scripts are sent by digest (EVALSHA). Where a server lacks one (just started, SCRIPT FLUSH), it
    is loaded and the calls that failed are sent again. Without `loads_missing` nothing is loaded:
    NoScriptError is raised.
    """

    def __init__(self, client: Client, sources: Mapping[str, str], *, loads_missing: bool = True):
        self.client = client
        self._sources = sources
        self._digests = {
            name: hashlib.sha1(source.encode(), usedforsecurity=False).hexdigest()
            for name, source in sources.items()
        }
        self._loads_missing = loads_missing

    def run(self, script: str, keys: Sequence[str], *args: str | bytes | int) -> Any:
        """What the script returns; raises what Redis raises."""
        return self.run_all([LuaCall(script, keys, args)])[0]

    def run_all(self, calls: Sequence[LuaCall]) -> list[Any]:
        """Results in the order of `calls`: one round trip a node, not one atomic step.

        Raises the first error that Redis answers, after all calls were made.
        """
        results: list[Any] = [None] * len(calls)
        for node, indexes in self._by_node(calls).items():
            answers = self._run_on(node, [calls[index] for index in indexes])
            for index, result in zip(indexes, answers, strict=True):
                if isinstance(result, _REDIRECTED):
                    result = self._follow(calls[index])
                results[index] = result
        for result in results:
            if isinstance(result, Exception):
                raise result
        return results

    def are_held_by(self, node: Redis) -> bool:
        """Whether this server holds all scripts."""
        return all(node.script_exists(*self._digests.values()))

    def load(self, node: Redis) -> None:
        """Sends all scripts to this server."""
        for source in self._sources.values():
            node.script_load(source)

    def _by_node(self, calls: Sequence[LuaCall]) -> dict[Redis, list[int]]:
        """Node -> indexes of the calls whose keys it holds."""
        if not isinstance(self.client, RedisCluster):
            return {self.client: list(range(len(calls)))} if calls else {}
        nodes: dict[Redis, list[int]] = defaultdict(list)
        for index, call in enumerate(calls):
            node = self.client.get_node_from_key(call.keys[0])
            nodes[self.client.get_redis_connection(node)].append(index)
        return nodes

    def _run_on(self, node: Redis, calls: list[LuaCall]) -> list[Any]:
        results = self._send(node, calls)
        missing = [at for at, result in enumerate(results) if isinstance(result, NoScriptError)]
        if missing and self._loads_missing:
            for script in {calls[at].script for at in missing}:
                node.script_load(self._sources[script])
            answers = self._send(node, [calls[at] for at in missing])
            for at, result in zip(missing, answers, strict=True):
                results[at] = result
        return results

    def _send(self, node: Redis, calls: list[LuaCall]) -> list[Any]:
        with node.pipeline(transaction=False) as pipeline:
            for call in calls:
                digest = self._digests[call.script]
                pipeline.evalsha(digest, len(call.keys), *call.keys, *call.args)
            return pipeline.execute(raise_on_error=False)

    def _follow(self, call: LuaCall) -> Any:
        """Runs a call whose slot has moved or is moving: the cluster client follows it."""
        argv = [*call.keys, *call.args]
        try:
            return self.client.evalsha(self._digests[call.script], len(call.keys), *argv)
        except NoScriptError:
            return self.client.eval(self._sources[call.script], len(call.keys), *argv)


def text_of(value: Any) -> str:
    """Redis's bytes, or text where the client decodes, as text."""
    return value.decode() if isinstance(value, bytes) else str(value)
