"""A desk with three queues over real servers, and what must hold once it is quiet."""

import json
import os
import random
import re
import signal
import threading
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

import requests
from sqlalchemy import select

from dashboard.db.accounts import admin_desks
from dashboard.db.database import Database
from dashboard.db.models.queues import queue_lists
from dashboard.db.models.threads import threads
from dashboard.db.models.views import views
from dashboard.db.models.webhooks import outgoing_events
from dashboard.db.queues import admins
from tests.drivers.admin import AdminDriver
from tests.live.queues import history
from tests.live.queues.people import Chatbot, Looker, Person
from tests.live.queues.replay import HandOut, Queue, Replay
from tests.servers.lineup import LiveServer
from tests.servers.redis import RedisServer
from tests.support import wait_until

TAGS = ("alpha", "beta", "gamma")
#: Seconds after which the second queue helps the first one.
DELAY = 2
#: Seconds in which a thread must be opened, and after which those of an absent admin go back.
TAKE_WITHIN, OFFLINE_AFTER = 10, 30


#: Threads that wait, above which no more are posted.
MUCH = 200
#: The chance that all workers of a server die at once.
ALL_DIE = 0.2


def accepting(server: LiveServer) -> int:
    """Returns how many workers of the server accept requests; 0 while that is unknown."""
    try:
        text = requests.get(f"{server.url}/metrics", timeout=2).text
    except requests.RequestException:
        return 0
    found = re.search(r"^lineup_accepting ([0-9]+)", text, re.MULTILINE)
    return int(found[1]) if found else 0


class Scene:
    """`people` are admins who see all threads; every other one belongs to the desk of helpers."""

    def __init__(self, servers: Sequence[LiveServer], redis: RedisServer, people: int):
        self.servers, self.redis = servers, redis
        first = servers[0]
        self.database = Database(first.environment["LINEUP_DATABASE_URL"])
        first.create_desk("helpers")
        emails = [first.create_admin(f"P{number}") for number in range(people)]
        self.supervisor = AdminDriver(
            first.url, first.sign_in(first.create_admin("Sue", "supervisor"))
        )
        sessions = [first.sign_in(email) for email in emails]
        ids = [AdminDriver(first.url, session).id for session in sessions]
        self._set_desks(ids)
        history.keep(self.database)
        for id in ids:
            self.supervisor.put(f"accounts/{id}", {"capacity": 3})
        self.queues = self._add_queues(ids)
        self.looker = Looker(self.database)
        self.people = [
            Person(id, session, servers, self.looker)
            for id, session in zip(ids, sessions, strict=True)
        ]
        self.chatbot = Chatbot(first.create_key(), servers, TAGS)
        self.kills: list[tuple[float, str]] = []
        self.began = time.time()

    def _set_desks(self, ids: Sequence[int]) -> None:
        """Every other admin belongs to the helpers; all see the desk of the threads."""

        def write(connection: Any) -> None:
            for at, id in enumerate(ids):
                admin_desks.save(connection, id, {"main", "helpers"} if at % 2 else {"main"})

        self.database.write(write)

    def _add_queues(self, ids: Sequence[int]) -> list[Queue]:
        """First threads for the helpers, who are helped after a while by all; the last queue has
        to be asked."""
        helpers = frozenset(ids[1::2])
        everybody = frozenset(ids)
        return [
            self._add_queue("push", "alpha", helpers, 0),
            self._add_queue("push", "beta", everybody, DELAY),
            self._add_queue("pull", "gamma", everybody, 0),
        ]

    def _add_queue(self, mode: str, tag: str, admins: frozenset[int], delay: int) -> Queue:
        query = "tag:alpha,beta" if tag == "beta" else f"tag:{tag}"
        draft = {"name": tag, "query": query, "sort": "longest_wait", "owner": "all"}
        view = self.supervisor.post("views", draft)["id"]
        made = self.supervisor.post(
            "queues",
            {
                "view": view,
                "mode": mode,
                "admins": ["helpers"] if tag == "alpha" else "all",
                "take_within": TAKE_WITHIN,
                "delay": delay,
                "return": {"offline_after": OFFLINE_AFTER, "which": "waiting"},
            },
        )["queue"]
        with self.database.read() as connection:
            number = select(queue_lists.c.number).join(
                views, views.c.list_id == queue_lists.c.list_id
            )
            found = connection.scalar(number.where(views.c.id == int(view.lstrip("v"))))
        assert found is not None
        return Queue(int(made["id"]), mode, found, admins, delay * 1_000, tag)

    # What happens

    def kill_workers(self, chance: random.Random) -> None:
        """Kills a worker of one of the servers, now and then all of them, if none is starting; the
        server starts others."""
        server = chance.choice(self.servers)
        if accepting(server) < server.workers:
            return
        pids = server.worker_pids()
        for pid in pids if chance.random() < ALL_DIE else [chance.choice(pids)]:
            os.kill(pid, signal.SIGKILL)
            self.kills.append((time.time(), f"worker {pid} of {server.port}"))

    def kill_all_workers(self) -> None:
        """Kills all workers of all servers; returns when others have taken their places."""
        for server in self.servers:
            for pid in server.worker_pids():
                os.kill(pid, signal.SIGKILL)
                self.kills.append((time.time(), f"worker {pid} of {server.port}"))
        wait_until(lambda: all(accepting(one) == one.workers for one in self.servers), 120)

    def empty_redis(self) -> None:
        client = self.redis.client()
        client.flushall()
        client.close()
        self.kills.append((time.time(), "Redis emptied"))

    def post_all(
        self, count: int, batch: int, pause_seconds: float, most_seconds: float
    ) -> threading.Thread:
        """Posts threads in the background, for `most_seconds`; waits while MUCH is left to do."""
        until = time.monotonic() + most_seconds

        def post() -> None:
            while len(self.chatbot.threads) < count and time.monotonic() < until:
                if self.looker.waiting > MUCH:
                    time.sleep(pause_seconds)
                    continue
                self.chatbot.begin(batch)
                self.chatbot.write_again(batch // 4)
                time.sleep(pause_seconds)

        posting = threading.Thread(target=post, daemon=True)
        posting.start()
        return posting

    def is_done(self) -> bool:
        """Whether no thread waits that somebody has or a queue could hand out."""
        statement = select(threads.c.id).where(
            threads.c.closed.is_(False),
            threads.c.snoozed_until.is_(None),
            threads.c.waiting_since.is_not(None),
        )
        with self.database.read() as connection:
            return connection.execute(statement.limit(1)).first() is None

    def everybody_is_ready(self) -> bool:
        """Whether all admins are here, accept threads, and have none."""
        if not all(one.is_connected for one in self.people):
            return False
        replay = self.replayed()
        return all(replay.is_eligible(one.id) and not replay.load(one.id) for one in self.people)

    def replayed(self) -> Replay:
        return Replay(self.queues).follow(history.changes(self.database))

    def __enter__(self) -> "Scene":
        self.looker.start()
        for person in self.people:
            person.start()
        wait_until(lambda: all(one.is_connected for one in self.people), 60, "everybody's window")
        return self

    def __exit__(self, *error: object) -> None:
        for person in self.people:
            person.ended.set()
        for one in (*self.people, self.looker):
            one.end()
        self.database.close()


def check_events(scene: Scene, replay: Replay) -> None:
    """I6: one event for each hand-out, and one hand-out for each event."""
    statement = select(
        outgoing_events.c.thread_id, outgoing_events.c.data, outgoing_events.c.occurred_at
    ).where(outgoing_events.c.type == "thread.assigned")
    with scene.database.read() as connection:
        rows = connection.execute(statement).all()
        held = connection.execute(select(threads.c.id, threads.c.assignee_id)).all()
    told = Counter(
        (row.thread_id, row.data["assignee"]["id"], row.occurred_at)
        for row in rows
        if "queue" in row.data
    )
    assert told == replay.acts
    assert max(told.values()) == 1
    for id, assignee in held:
        assert replay.threads[id]["assignee_id"] == assignee
    assert {one[0] for one in held} >= set(scene.chatbot.threads.values())


def check_places(replay: Replay) -> None:
    """I5: what stands in a queue is what its facts put there, and in the order of these."""
    for queue in replay.queues:
        tags = {"alpha", "beta"} if queue.tag == "beta" else {queue.tag}
        right = {
            id
            for id, thread in replay.threads.items()
            if not thread["closed"] and tags & set((thread["tags"] or "").split())
        }
        assert replay.entries[queue.number].keys() == right
        for id in right:
            ready = replay.threads[id]["assignee_id"] is None
            ready = ready and not replay.threads[id]["snoozed_until"]
            assert bool(replay.entries[queue.number][id]["ready"]) == ready


def status_of(scene: Scene, admin_id: int) -> str:
    """Returns the presence of an admin as hand-outs know it."""
    with scene.database.read() as connection:
        found = admins.one(connection, admin_id)
    assert found is not None
    return found.status


def could_go_out(replay: Replay) -> list[tuple[int, int, int]]:
    """I2: the hand-out that is due although all is quiet."""
    due = replay.due(int(time.time() * 1_000))
    return [due] if due else []


def latencies(hand_outs: Sequence[HandOut]) -> dict[str, float]:
    """Returns milliseconds from when thread and admin were both there to the commit of the push."""
    waits = sorted(one.at - one.both_there for one in hand_outs if not one.pulled)
    if not waits:
        return {}
    of = lambda share: round(waits[min(len(waits) - 1, int(share * len(waits)))], 1)  # noqa: E731
    over = sum(wait > 1_000 for wait in waits)
    return {"count": len(waits), "p50": of(0.5), "p90": of(0.9), "p99": of(0.99)} | {
        "max": round(waits[-1], 1),
        "over_1s": over,
    }


def report(scene: Scene, replay: Replay, **more: Any) -> str:
    """Returns what was measured, and the slowest hand-outs with what happened before them."""
    slow = sorted(
        (one for one in replay.hand_outs if not one.pulled), key=lambda one: one.both_there - one.at
    )[:12]
    lines = [
        json.dumps(latencies(replay.hand_outs)),
        json.dumps({"returns": replay.returns, "pulled": sum(o.pulled for o in replay.hand_outs)}),
        json.dumps(more),
    ]
    for one in slow:
        begun = one.both_there / 1_000
        near = [f"{what} {at - begun:+.1f} s" for at, what in scene.kills if -8 < at - begun < 5]
        lines.append(
            f"{one.at - one.both_there:.0f} ms at {begun - scene.began:.1f} s: {one} {near}"
        )
    return "\n".join(lines)
