"""Queues while workers are killed and Redis loses its data: what was promised holds (I1 to I6).

Each hand-out is checked against the facts at its commit, which a history in the database keeps.
"""

import random
import time
from collections import Counter

import pytest

from tests.live.faults.test_clocks import HOUR, wrong_clock
from tests.live.queues import history
from tests.live.queues.replay import TOLD
from tests.live.queues.scene import (
    DELAY,
    OFFLINE_AFTER,
    Scene,
    check_events,
    check_places,
    could_go_out,
    latencies,
    report,
    status_of,
)
from tests.servers.lineup import LiveServer
from tests.servers.postgres import running_postgres
from tests.servers.redis import running_redis
from tests.support import wait_until

pytestmark = pytest.mark.slow

#: Admins, threads that are posted, threads of one call, and seconds between two calls.
PEOPLE, THREADS, BATCH, PAUSE_SECONDS = 20, 2_000, 10, 0.3
#: On a slow machine fewer threads are posted, for so many seconds.
POST_SECONDS = 120.0
#: The same for the smaller test.
FEW_PEOPLE, FEW_THREADS = 6, 100
#: Seconds between two kills.
KILL_SECONDS = 6.0
#: Shares of the posted threads, or of their time, at which Redis is emptied.
EMPTIED_AT = (0.35, 0.7)
#: Seconds for the rest of the work once all threads are posted.
FINISH_SECONDS = 120
#: Seconds until nobody is free while a thread waits for them, once all is quiet.
QUIET_SECONDS = 2.0
#: Seconds until everybody is here and has nothing to do.
READY_SECONDS = 30
#: Seconds until admins who went with their worker are known to have gone.
GONE_SECONDS = 30
#: Threads that are posted for every two admins to a desk at rest, where nobody answers.
AT_REST = 5
#: Seconds of a presence that is refreshed: a tenth of the usual time.
PRESENCE = {"LINEUP_PRESENCE_TTL": "9", "LINEUP_LOG_LEVEL": "INFO"}


@pytest.mark.postgres
def test_two_servers_whose_workers_die():
    """I1 to I6, on PostgreSQL, with an hour between the clocks of the servers."""
    with running_postgres(history.POSTGRES) as postgres, running_redis() as redis:
        url = postgres.new_database()
        right = LiveServer(url, redis.url, workers=2, async_mode="eventlet", **PRESENCE)
        wrong = LiveServer(
            url, redis.url, workers=2, async_mode="gevent", **PRESENCE, **wrong_clock(HOUR)
        )
        with right, wrong, Scene([right, wrong], redis, PEOPLE) as scene:
            run(scene, THREADS)


def test_a_server_whose_workers_die(tmp_path):
    """I1 to I6, on SQLite."""
    url = f"sqlite:///{tmp_path / 'lineup.sqlite'}"
    with (
        running_redis() as redis,
        LiveServer(url, redis.url, workers=2, **PRESENCE) as server,
        Scene([server], redis, FEW_PEOPLE) as scene,
    ):
        run(scene, FEW_THREADS)
        go_with_the_workers(scene)


def run(scene: Scene, count: int) -> None:
    """Works through threads while workers die, then rests, and checks what happened."""
    fail_meanwhile(scene, count)
    begun = time.monotonic()
    finish(scene)
    finished_seconds = time.monotonic() - begun
    numbers = rest(scene)
    replay = scene.replayed()
    text = report(
        scene, replay, finished_seconds=round(finished_seconds, 1), kills=len(scene.kills)
    )
    print(text)
    assert replay.broken == [], "\n".join([f"{len(replay.broken)}:", *replay.broken[:TOLD], text])
    assert [one.unexpected for one in scene.people if one.unexpected] == []
    check_events(scene, replay)
    check_places(replay)
    assert len(replay.hand_outs) >= len(scene.chatbot.threads) > 0
    assert max(numbers.values()) - min(numbers.values()) <= 1, f"I4: {numbers}"


def fail_meanwhile(scene: Scene, count: int) -> None:
    """Posts the threads; meanwhile workers are killed, and Redis is emptied."""
    chance = random.Random(7)
    begun = time.monotonic()
    posting = scene.post_all(count, BATCH, PAUSE_SECONDS, POST_SECONDS)
    to_empty = [*EMPTIED_AT]
    while posting.is_alive():
        posting.join(KILL_SECONDS * chance.uniform(0.5, 1.5))
        scene.kill_workers(chance)
        past = max(len(scene.chatbot.threads) / count, (time.monotonic() - begun) / POST_SECONDS)
        if to_empty and past > to_empty[0]:
            to_empty.pop(0)
            scene.empty_redis()


def finish(scene: Scene) -> None:
    """The admins do the rest; nobody dies any more."""
    wait_until(scene.is_done, FINISH_SECONDS, "the end of all work")


def rest(scene: Scene) -> Counter[int]:
    """Everybody is here, and only opens threads: returns how many each admin got."""
    for person in scene.people:
        person.only_opens = True
    wait_until(scene.everybody_is_ready, READY_SECONDS, "everybody being here")
    before = len(scene.replayed().hand_outs)
    for _ in range(len(scene.people) // 2):
        scene.chatbot.begin(AT_REST, "beta")
    time.sleep(DELAY + QUIET_SECONDS)
    replay = scene.replayed()
    assert could_go_out(replay) == [], "I2"
    given_now = replay.hand_outs[before:]
    assert latencies(given_now)["max"] <= 1_000 * QUIET_SECONDS, "I2"
    told = Counter((one.id, thread) for one in scene.people for _, thread, _ in one.told)
    assert {told[one.admin, one.thread] for one in given_now} == {1}, "told once"
    given = Counter(dict.fromkeys((one.id for one in scene.people), 0))
    given.update(one.admin for one in given_now)
    print("at rest:", latencies(given_now), sorted(given.values()))
    return given


def go_with_the_workers(scene: Scene) -> None:
    """Some admins do not come back after their worker was killed: their threads go to others."""
    gone, here = scene.people[:2], scene.people[2:]
    for person in gone:
        person.returns = False
    before = scene.replayed()
    scene.kill_all_workers()
    for person in gone:
        wait_until(lambda id=person.id: status_of(scene, id) == "offline", GONE_SECONDS)
    for person in here:
        person.only_opens = False
    wait_until(scene.is_done, OFFLINE_AFTER + FINISH_SECONDS, "the end of all work")
    replay = scene.replayed()
    assert replay.broken == [], "\n".join(replay.broken[:TOLD])
    held = sum(before.load(person.id) for person in gone)
    assert (replay.returns - before.returns).total() >= held > 0
    assert replay.returns["offline"] > 0
