"""Faults under load: seconds until every list is whole and live again."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from scoring.keys import Keys
from tests.drivers.replay import shared_replay
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

#: A server under load, and a function that makes the fault and returns when it is over, such as
#: after the promotion of a replica.
Faulty = tuple[Scene, Callable[[], object]]


@dataclass(frozen=True)
class Faults:
    """`fault` is a name in `FAULTS`. 200 events a second are posted during it."""

    fault: str
    rounds: int = 2


def run(faults: Faults, folder: Path, templates: Path, deadline: float) -> dict[str, Any]:
    """Runs each round on new servers; checks that nothing is lost and all lists equal SQL."""
    # The replay of the scenario before has ended, like everything that a scenario starts.
    shared_replay.cache_clear()
    rounds: list[dict[str, Any]] = []
    for number in range(faults.rounds):
        here = folder / f"{number}"
        here.mkdir(parents=True)
        with FAULTS[faults.fault](here) as (scene, fault):
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
def _primary_killed(folder: Path) -> Iterator[Faulty]:
    cluster = RedisClusterServer(folder, replicas=1)
    with _opened(folder, cluster) as scene:
        yield scene, partial(cluster.replace_primary_of, Keys().meta("arrival"))


@contextmanager
def _slots_moved(folder: Path) -> Iterator[Faulty]:
    cluster = RedisClusterServer(folder, replicas=1)
    with _opened(folder, cluster) as scene:
        yield scene, partial(cluster.move_to_new_node, moved_keys())


@contextmanager
def _master_killed(folder: Path) -> Iterator[Faulty]:
    sentinels = RedisSentinels(folder)
    with _opened(folder, sentinels) as scene:
        yield scene, sentinels.replace_master


@contextmanager
def _redis_emptied(folder: Path) -> Iterator[Faulty]:
    server = start_redis(folder)

    def restart() -> None:
        server.kill()
        server.start()

    with _opened(folder, server) as scene:
        yield scene, restart


@contextmanager
def _worker_killed(folder: Path) -> Iterator[Faulty]:
    with _opened(folder, start_redis(folder), workers=2) as scene:
        yield scene, lambda: os.kill(scene.server.worker_pids()[0], signal.SIGKILL)


@contextmanager
def _postgres_restarted(folder: Path) -> Iterator[Faulty]:
    with (
        running_postgres() as postgres,
        _opened(folder, start_redis(folder), postgres.new_database()) as scene,
    ):
        yield scene, postgres.restart


@contextmanager
def _opened(
    folder: Path, redis_server: Any, database_url: str | None = None, workers: int = 1
) -> Iterator[Scene]:
    url = database_url or f"sqlite:///{folder / 'lineup.sqlite'}"
    with closing(redis_server), closing(Scene(url, redis_server, "eventlet", workers)) as scene:
        yield scene


FAULTS: dict[str, Callable[[Path], AbstractContextManager[Faulty]]] = {
    "a primary of a cluster is killed": _primary_killed,
    "slots of a cluster move to a new node": _slots_moved,
    "the master of Sentinels is killed": _master_killed,
    "Redis is killed and starts empty": _redis_emptied,
    "one of two workers is killed": _worker_killed,
    "PostgreSQL restarts": _postgres_restarted,
}
