"""Runs the Lua scripts: by hash, many in one round trip, loaded anew where Redis forgot them."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha1
from importlib.resources import files
from typing import Any, NamedTuple

import redis
from redis.exceptions import NoScriptError

Args = Sequence[str | bytes | int]


@dataclass(frozen=True)
class Script:
    """A Lua file of `scoring/lua`; its contract stands on top of it."""

    source: str
    digest: str

    @classmethod
    def read(cls, name: str) -> "Script":
        source = (files("scoring") / "lua" / f"{name}.lua").read_text(encoding="utf-8")
        return cls(source, sha1(source.encode(), usedforsecurity=False).hexdigest())


class Call(NamedTuple):
    script: Script
    keys: Sequence[str]
    args: Args = ()


def run(client: redis.Redis, calls: Sequence[Call]) -> list[Any]:
    """The answers of the calls, made in their order in one round trip but not as one step.

    Where Redis lacks a script (a fresh server, SCRIPT FLUSH) all calls are made again: they must
    not mind being repeated. Raises the first error that Redis answers.
    """
    answers = _send(client, calls)
    if any(isinstance(answer, NoScriptError) for answer in answers):
        for source in {call.script.source for call in calls}:
            client.script_load(source)
        answers = _send(client, calls)
    for answer in answers:
        if isinstance(answer, Exception):
            raise answer
    return answers


def _send(client: redis.Redis, calls: Sequence[Call]) -> list[Any]:
    pipeline = client.pipeline(transaction=False)
    for call in calls:
        pipeline.evalsha(call.script.digest, len(call.keys), *call.keys, *call.args)
    return pipeline.execute(raise_on_error=False)
