"""One life of a Redis server, from its start to its end, and scripts that run in no other.

A server that starts again may have read a dump of any age, and a replica that is promoted may lack
what was written last. Whatever went on from such data would give an epoch a second history. So the
scripts of the order carry the life for which they were loaded: a server that was started since does
not hold them, and what they write is marked with the life and refused in any other.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import redis
from redis.client import Pipeline
from redis.exceptions import NoScriptError, ResponseError, WatchError

from lua_scripts.runner import LuaCall, LuaRunner, text_of

#: Hexadecimal digits that name a life.
NAME_DIGITS = 12

#: Gives what Redis drew at its start, read over the given connection; None where it does not tell.
RunId = Callable[[redis.Redis], str | None]


class LifeUnknown(Exception):
    """It is not known that the data in Redis were written since it started: rebuild them."""


def run_id_of(connection: redis.Redis) -> str | None:
    """`run_id` of INFO; None where INFO is forbidden or does not say."""
    try:
        return connection.info("server").get("run_id") or None
    except ResponseError:
        return None


class ServerLife:
    """The scripts `sources` (name -> Lua text, which may use `LIFE`) in the life of one server.

    Where INFO is allowed, the life is that of its `run_id`. Elsewhere it is what `begin` wrote to
    `key`, for as long as the server holds the scripts of that life, which only `begin` loads: not
    after a restart, and also not after SCRIPT FLUSH.
    """

    def __init__(
        self, client: redis.Redis, sources: Mapping[str, str], key: str, run_id: RunId = run_id_of
    ):
        self._client = client
        self._sources = sources
        self._key = key
        self._run_id = run_id
        self._scripts: LuaRunner | None = None

    def run_all(self, calls: Sequence[LuaCall]) -> list[Any]:
        """Results in the order of `calls`; all are repeated where the server lacked the scripts.

        Raises LifeUnknown, and what Redis raises.
        """
        scripts = self._scripts
        if scripts is not None:
            try:
                return scripts.run_all(calls)
            except NoScriptError:
                pass
        try:
            return self.renew().run_all(calls)
        except NoScriptError as error:
            raise LifeUnknown("Redis was started again just now") from error

    def renew(self) -> LuaRunner:
        """Asks the server which life it is in; returns the scripts of that life alone.

        Raises LifeUnknown, and what Redis raises.
        """
        with _one_connection(self._client, self._key) as connection:
            run_id = self._run_id(connection)
            if run_id is not None:
                name = hashlib.sha256(run_id.encode()).hexdigest()[:NAME_DIGITS]
                self._scripts = self._loaded(connection, name)
            else:
                self._scripts = self._begun_before(connection)
            scripts = self._scripts
        if scripts is None:
            raise LifeUnknown("no life of this Redis server is known")
        return scripts

    def begin(self) -> LuaRunner:
        """Like `renew`, and begins a life where none is known. Raises what Redis raises."""
        try:
            return self.renew()
        except LifeUnknown:
            with _one_connection(self._client, self._key) as connection:
                name = uuid4().hex[:NAME_DIGITS]
                self._scripts = scripts = self._loaded(connection, name)
                connection.set(self._key, name)
            return scripts

    def _begun_before(self, connection: Pipeline) -> LuaRunner | None:
        held = connection.get(self._key)
        scripts = None if held is None else self._scripts_of(text_of(held))
        return scripts if scripts is not None and scripts.are_held_by(connection) else None

    def _loaded(self, connection: Pipeline, name: str) -> LuaRunner:
        """The scripts of the life `name`, which must be that of the server at this connection."""
        scripts = self._scripts_of(name)
        if not scripts.are_held_by(connection):
            scripts.load(connection)
        return scripts

    def _scripts_of(self, name: str) -> LuaRunner:
        sources = {key: f"local LIFE = '{name}' {text}" for key, text in self._sources.items()}
        return LuaRunner(self._client, sources, loads_missing=False)


@contextmanager
def _one_connection(client: redis.Redis, key: str) -> Iterator[Pipeline]:
    """Commands at one server process: none is sent on another connection when this one breaks.

    `key` is any key that may be watched, for only a watching pipeline keeps to its connection.
    """
    with client.pipeline() as pipeline:
        pipeline.watch(key)
        try:
            yield pipeline
        except WatchError as error:
            raise redis.ConnectionError("Redis was lost while it was asked") from error
