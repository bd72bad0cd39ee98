"""One life of a Redis server, from its start to its end, and scripts that run in no other.

A server that starts again may have read a dump of any age, and a promoted replica may lack the last
writes. Going on from such data would give an epoch a second history. So the scripts of the order
carry the life for which they were loaded: a server that was started since does not hold them, and
their writes are marked with the life and refused in any other. A promotion begins a life, too.

In a cluster each primary has its own life. Data that move to another primary with a slot are whole,
so each primary accepts the lives of the others. A promoted replica does not accept the life of the
primary that it replaces.

A server forgets its promotion after an hour without a replica, and lives on. Processes that knew of
it keep the name of that life; processes that start later cannot know it, and use the run alone as
the name. So both accept all lives of this run, until they learn of the next promotion.
"""

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any
from uuid import uuid4

import redis
from redis.cluster import RedisCluster
from redis.exceptions import NoScriptError

from lua_scripts.runner import LuaCall, LuaRunner, text_of
from lua_scripts.servers import ONLY, Client, lives_on, refresh, run_id_of, servers_of

#: Hexadecimal digits that name a life.
NAME_DIGITS = 12

#: The other lives of a run that is accepted as a whole.
_OF_A_RUN = """{ __index = function(lives, life)
  local run = life and string.match(life, '^(%x+)%.')
  return run and lives[run]
end }"""

#: Returns a text that identifies this start or promotion of a server; None if it is unknown.
RunId = Callable[[redis.Redis], str | None]


class LifeUnknown(Exception):
    """The data in Redis may be older than the server's start: rebuild them."""


class ServerLife:
    """The scripts `sources` (name -> Lua text, which may use `LIFE` and `LIVES`) in the life of one
    server, or of each primary of a cluster.

    `LIFE` is the life of the server that runs the script. `LIVES` maps it, and the lives that the
    server accepts, to their runs; a run names a server. If INFO is allowed, `run_id` gives the
    life. Otherwise, but not in a cluster, it is the one that `begin` wrote to `key`. That one ends
    when the server loses its scripts, which only `begin` loads: at a restart, or by SCRIPT FLUSH.
    """

    def __init__(
        self, client: Client, sources: Mapping[str, str], key: str, run_id: RunId = run_id_of
    ):
        self._client = client
        self._sources = sources
        self._key = key
        self._run_id = run_id
        self._scripts: LuaRunner | None = None
        #: Maps the run of a server to the run id that was first read in this life.
        self._told: dict[str, str] = {}
        #: Maps the life of a server to the lives that it accepts.
        self._accepted: dict[str, frozenset[str]] = {}
        #: Maps the name of a server to the Lua text in front of its scripts.
        self._preludes: dict[str, str] = {}

    def run_all(self, calls: Sequence[LuaCall]) -> list[Any]:
        """Returns results in the order of `calls`; repeats all if a server lacked the scripts.

        Raises LifeUnknown, and errors of Redis.
        """
        scripts = self._scripts
        if scripts is not None:
            try:
                return scripts.run_all(calls)
            except NoScriptError:
                if isinstance(self._client, RedisCluster):
                    # Perhaps a replica was promoted.
                    refresh(self._client)
        try:
            return self.renew().run_all(calls)
        except NoScriptError as error:
            if isinstance(self._client, RedisCluster):
                # The lists at the other nodes are not lost.
                raise redis.ConnectionError("a node was started again just now") from error
            raise LifeUnknown("Redis was started again just now") from error

    def renew(self) -> LuaRunner:
        """Asks each server for its life; returns the scripts of these lives alone.

        Raises LifeUnknown, and errors of Redis.
        """
        servers = servers_of(self._client)
        run_ids = self._run_ids(servers)
        if None in run_ids.values():
            self._scripts = scripts = self._begun_before(servers[ONLY])
            if scripts is None:
                raise LifeUnknown("no life of this Redis server is known")
            return scripts
        lives = {name: self._life_of(str(run_id)) for name, run_id in run_ids.items()}
        # After a forgotten promotion this is the run: all its lives are accepted.
        told = {_life(str(run_id)) for run_id in run_ids.values()}
        self._scripts = scripts = self._scripts_of(lives, servers, told)
        for name in lives:
            if not scripts.are_held_by(name, servers[name]):
                scripts.load(name, servers[name])
                if self._run_id(servers[name]) != run_ids[name]:
                    raise redis.ConnectionError("Redis was started again while it was asked")
        return scripts

    def begin(self) -> LuaRunner:
        """Does `renew`, and begins a life if none is known. Raises errors of Redis."""
        try:
            return self.renew()
        except LifeUnknown:
            server, name = servers_of(self._client)[ONLY], uuid4().hex[:NAME_DIGITS]
            self._scripts = scripts = self._scripts_of({ONLY: name})
            scripts.load(ONLY, server)
            server.set(self._key, name)
            return scripts

    def _run_ids(self, servers: Mapping[str, redis.Redis]) -> dict[str, str | None]:
        """Returns the run ids of servers that answer; raises the last error if none does."""
        run_ids: dict[str, str | None] = {}
        failure: redis.RedisError | None = None
        for name, server in servers.items():
            try:
                run_ids[name] = self._run_id(server)
            except (redis.ConnectionError, redis.TimeoutError) as error:
                failure = error
            else:
                if run_ids[name] is None and name != ONLY:
                    raise redis.RedisError(f"INFO must be allowed in a cluster, also at {name}")
        if not run_ids:
            raise failure or redis.ConnectionError("no primary is known")
        return run_ids

    def _begun_before(self, server: redis.Redis) -> LuaRunner | None:
        held = server.get(self._key)
        scripts = None if held is None else self._scripts_of({ONLY: text_of(held)})
        return scripts if scripts is not None and scripts.are_held_by(ONLY, server) else None

    def _life_of(self, run_id: str) -> str:
        run = run_id.partition(":")[0]
        if run not in self._told or not lives_on(self._told[run], run_id):
            self._told[run] = run_id
        return _life(self._told[run])

    def _scripts_of(
        self,
        lives: Mapping[str, str],
        servers: Iterable[str] = (ONLY,),
        told: Collection[str] = frozenset(),
    ) -> LuaRunner:
        """Returns scripts; `lives`: by name of a server that answered; `told`: others to accept."""
        # Earlier lives, too: a node that has given all its slots away is no longer a primary.
        self._accepted = {
            life: self._accepted.get(life, frozenset()).union(lives.values(), told)
            for life in lives.values()
        }
        # A node that does not answer keeps its text: calls to it fail, but its lists are not lost.
        self._preludes = {
            name: _prelude(lives[name], self._accepted[lives[name]])
            if name in lives
            else self._preludes.get(name, "")
            for name in servers
        }
        return LuaRunner(self._client, self._sources, loads_missing=False, preludes=self._preludes)


def _life(run_id: str) -> str:
    """Returns the name of a life: `RUN`, or `RUN.PROMOTION` after a known promotion."""
    run, _, promotion = run_id.partition(":")
    return f"{_digest(run)}.{_digest(promotion)}" if promotion else _digest(run)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:NAME_DIGITS]


def _prelude(life: str, accepted: frozenset[str]) -> str:
    lives = ", ".join(f"['{name}'] = '{name.partition('.')[0]}'" for name in sorted(accepted))
    return f"local LIFE, LIVES = '{life}', setmetatable({{ {lives} }}, {_OF_A_RUN}) "
