"""Faults under load: seconds until every list is whole and live again."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from redis.crc import key_slot

from scoring.keys import Keys
from tests.live.cluster.recovery import (
    Recovery,
    fresh_lists_are_those_of,
    moved_keys,
    under_load,
)
from tests.live.faults.scene import Scene
from tests.servers.postgres import running_postgres
from tests.servers.redis import start_redis
from tests.servers.redis_cluster import RedisClusterServer
from tests.servers.redis_sentinel import RedisSentinels

#: A server under load, and what is done to it or to what it stands on. Returns when that is over,
#: such as at the promotion of a replica.
Faulty = tuple[Scene, Callable[[], object]]


@dataclass(frozen=True)
class Faults:
    """`fault` is a name of `FAULTS`. 200 events a second are posted meanwhile."""

    fault: str
    async_mode: str = "eventlet"
    rounds: int = 2


def run(faults: Faults, folder: Path, templates: Path, deadline: float) -> dict[str, Any]:
    """Each round with servers of its own. Afterwards nothing is lost, and all lists are SQL's."""
    rounds: list[dict[str, Any]] = []
    for number in range(faults.rounds):
        here = folder / f"{number}"
        here.mkdir(parents=True)
        with FAULTS[faults.fault](here, faults.async_mode) as (scene, fault):
            rounds.append(_measured(scene, fault))
    return {"bench": "faults", "scenario": asdict(faults), "rounds": rounds, "broken": {}}


def _measured(scene: Scene, fault: Callable[[], object]) -> dict[str, float]:
    recovery, found = Recovery(scene), dict[str, float]()

    def until_live() -> None:
        fault()
        found["live_seconds"] = recovery.seconds_until_live()

    found["events_a_second"] = under_load(scene, until_live)
    scene.check_nothing_is_lost()
    fresh_lists_are_those_of(scene)
    return found


@contextmanager
def _primary_killed(folder: Path, async_mode: str) -> Iterator[Faulty]:
    with closing(RedisClusterServer(folder, replicas=1)) as cluster:

        def kill() -> None:
            killed = cluster.holder_of(Keys().meta("arrival"))
            cluster.kill(killed)
            cluster.wait_for_promotion(killed)

        with closing(_scene(folder, cluster, async_mode)) as scene:
            yield scene, kill


@contextmanager
def _slots_moved(folder: Path, async_mode: str) -> Iterator[Faulty]:
    with closing(RedisClusterServer(folder, replicas=1)) as cluster:

        def move() -> None:
            added = cluster.add_node()
            for key in moved_keys():
                cluster.move_slot(key_slot(key.encode()), added)

        with closing(_scene(folder, cluster, async_mode)) as scene:
            yield scene, move


@contextmanager
def _master_killed(folder: Path, async_mode: str) -> Iterator[Faulty]:
    with closing(RedisSentinels(folder)) as sentinels:

        def kill() -> None:
            killed = sentinels.master()
            sentinels.servers[killed].kill()
            sentinels.wait_for_promotion(killed)

        with closing(_scene(folder, sentinels, async_mode)) as scene:
            yield scene, kill


@contextmanager
def _redis_emptied(folder: Path, async_mode: str) -> Iterator[Faulty]:
    with closing(start_redis(folder)) as server:

        def restart() -> None:
            server.kill()
            server.start()

        with closing(_scene(folder, server, async_mode)) as scene:
            yield scene, restart


@contextmanager
def _worker_killed(folder: Path, async_mode: str) -> Iterator[Faulty]:
    with (
        closing(start_redis(folder)) as server,
        closing(_scene(folder, server, async_mode, workers=2)) as scene,
    ):
        yield scene, lambda: os.kill(scene.server.worker_pids()[0], signal.SIGKILL)


@contextmanager
def _postgres_restarted(folder: Path, async_mode: str) -> Iterator[Faulty]:
    with running_postgres() as postgres, closing(start_redis(folder)) as server:
        scene = Scene(postgres.new_database(), server, async_mode)
        with closing(scene):
            yield scene, postgres.restart


def _scene(folder: Path, redis_server: Any, async_mode: str, workers: int = 1) -> Scene:
    return Scene(f"sqlite:///{folder / 'lineup.sqlite'}", redis_server, async_mode, workers)


FAULTS: dict[str, Callable[[Path, str], AbstractContextManager[Faulty]]] = {
    "a primary of a cluster is killed": _primary_killed,
    "slots of a cluster move to a new node": _slots_moved,
    "the master of Sentinels is killed": _master_killed,
    "Redis is killed and starts empty": _redis_emptied,
    "one of two workers is killed": _worker_killed,
    "PostgreSQL restarts": _postgres_restarted,
}
