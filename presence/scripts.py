"""Runs the Lua jobs: loads them once, finds the node, many in one round trip."""

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from importlib import resources
from typing import Any, NamedTuple

from redis import Redis
from redis.cluster import RedisCluster
from redis.exceptions import AskError, MovedError, NoScriptError, TryAgainError

_LOG = ("clock", "log")
_READ = (*_LOG, "people", "rows", "state")
_WRITE = (*_LOG, "people", "claims", "standing", "rows", "state", "settle")
_ROOM = (*_LOG, "room")

#: The pieces that stand before each job, in order.
JOBS: dict[str, tuple[str, ...]] = {
    "open": (*_WRITE, "take"),
    "beat": _WRITE,
    "idle": _WRITE,
    "close": _WRITE,
    "close_all": _WRITE,
    "settings": (*_WRITE, "take"),
    "forget": _WRITE,
    "sweep": (*_WRITE, "silence"),
    "trim": _READ,
    "look": _READ,
    "where": ("people",),
    "head": _LOG,
    "since": _LOG,
    "page": (),
    "now": ("clock",),
    "room_put": _ROOM,
    "room_beat": ("clock",),
    "room_leave": _ROOM,
    "room_due": ("clock",),
    "room_reap": _ROOM,
    "room_look": _ROOM,
}

_REDIRECTED = (MovedError, AskError, TryAgainError)

Client = Redis | RedisCluster


class Call(NamedTuple):
    """One job to run; all its keys lie in one slot."""

    job: str
    keys: Sequence[str]
    argv: Sequence[str | int]


def piece(name: str) -> str:
    """The text of a Lua file of this package."""
    return resources.files("presence").joinpath("lua", f"{name}.lua").read_text("utf-8")


class Scripts:
    """Jobs on one Redis or on the primaries of a cluster."""

    def __init__(self, client: Client):
        self.client = client
        self._source = {
            job: "\n".join(map(self.text, (*pieces, job))) for job, pieces in JOBS.items()
        }
        self._sha = {
            job: hashlib.sha1(source.encode()).hexdigest() for job, source in self._source.items()
        }

    def text(self, name: str) -> str:
        return piece(name)

    def arguments(self, call: Call) -> list[str | int]:
        return list(call.argv)

    def run(self, job: str, keys: Sequence[str], *argv: str | int) -> Any:
        """What the job returns; raises what Redis raises."""
        return self.run_all([Call(job, keys, argv)])[0]

    def run_all(self, calls: Sequence[Call]) -> list[Any]:
        """Results in the order of `calls`: one round trip a node."""
        results: list[Any] = [None] * len(calls)
        for node, indexes in self._by_node(calls).items():
            for index, result in zip(indexes, self._run_on(node, calls, indexes), strict=True):
                if isinstance(result, _REDIRECTED):
                    result = self._follow(calls[index])
                results[index] = result
        for result in results:
            if isinstance(result, Exception):
                raise result
        return results

    def _by_node(self, calls: Sequence[Call]) -> dict[Redis, list[int]]:
        if not isinstance(self.client, RedisCluster):
            return {self.client: list(range(len(calls)))} if calls else {}
        nodes: dict[Redis, list[int]] = defaultdict(list)
        for index, call in enumerate(calls):
            node = self.client.get_node_from_key(call.keys[0])
            nodes[self.client.get_redis_connection(node)].append(index)
        return nodes

    def _run_on(self, node: Redis, calls: Sequence[Call], indexes: list[int]) -> list[Any]:
        results = self._send(node, [calls[index] for index in indexes])
        lost = [at for at, result in enumerate(results) if isinstance(result, NoScriptError)]
        if lost:
            for job in {calls[indexes[at]].job for at in lost}:
                node.script_load(self._source[job])
            again = self._send(node, [calls[indexes[at]] for at in lost])
            for at, result in zip(lost, again, strict=True):
                results[at] = result
        return results

    def _send(self, node: Redis, calls: list[Call]) -> list[Any]:
        with node.pipeline(transaction=False) as pipeline:
            for call in calls:
                argv = [*call.keys, *self.arguments(call)]
                pipeline.evalsha(self._sha[call.job], len(call.keys), *argv)
            return pipeline.execute(raise_on_error=False)

    def _follow(self, call: Call) -> Any:
        """The slot has moved or is moving: the cluster client knows how to go after it."""
        argv = [*call.keys, *self.arguments(call)]
        try:
            return self.client.evalsha(self._sha[call.job], len(call.keys), *argv)
        except NoScriptError:
            return self.client.eval(self._source[call.job], len(call.keys), *argv)


def text_of(value: Any) -> str:
    """Redis's bytes, or text where the client decodes, as text."""
    return value.decode() if isinstance(value, bytes) else str(value)
