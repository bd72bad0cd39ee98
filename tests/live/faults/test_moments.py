"""Workers and Redis are killed while snoozes end and threads become late: each act comes once."""

import contextlib
import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

import pytest
from sqlalchemy import select

from dashboard.db.models.threads import thread_acts, threads
from dashboard.db.models.webhooks import outgoing_events
from scoring.ranking import Ranking
from tests.conftest import MODES
from tests.drivers.lineup import LineupDriver, rfc3339
from tests.servers.lineup import LiveServer
from tests.servers.redis import start_redis
from tests.support import now_ms, wait_until

pytestmark = pytest.mark.slow

THREADS = 12
#: The promise of the policy.
TARGET_MS = 60_000
#: From the request to the first moment, between two moments, and the promise.
AHEAD_MS, APART_MS, LATE_MS = 1_500, 150, 1_000
#: Far longer than anything takes, also on a busy machine.
PATIENCE_SECONDS = 60
#: From the death of a worker to the loss of Redis: some snoozes have ended, and others have not.
FLUSH_SECONDS = 0.7


class Done(NamedTuple):
    """An act of time: when it was to be done, and when it was, in ms."""

    moment: int
    at: int


class Moments:
    """Two workers, and threads whose snoozes end, or that become late, one after the other."""

    def __init__(self, lineup: LineupDriver):
        self.lineup = lineup
        self.said: dict[int, int] = {}
        self.snoozed = [self._say(f"snoozed-{number}", now_ms()) for number in range(THREADS)]
        #: The moments of each thread: its snoozes, and its wait.
        self.moments: dict[str, dict[int, list[int]]] = {
            "thread.woken": {id: [] for id in self.snoozed},
            "thread.due": {},
        }
        self._promise()
        self._rounds = 0

    def _say(self, name: str, at_ms: int, **customer: int) -> int:
        customer_of = {"id": f"c-{name}", "name": name, **customer}
        id = self.lineup.say(name, at_ms=at_ms, customer=customer_of)
        self.said[id] = at_ms
        return id

    def _promise(self) -> None:
        """Adds a policy: members of status 0 are answered within a minute, at any time."""
        session = self.lineup.server.sign_in(self.lineup.server.create_admin("Ken", "supervisor"))
        days = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
        week = {day: [["00:00", "24:00"]] for day in days}
        api = f"{self.lineup.server.url}/admin/api"
        calendar = {"name": "Always", "timezone": "UTC", "week": week}
        answer = session.post(f"{api}/calendars", json=calendar)
        assert answer.status_code == 201, answer.text
        policy = {
            "name": "Soon",
            "query": "member:0",
            "calendar": answer.json()["calendar"]["id"],
        }
        policy |= {"first_reply": 1, "next_reply": None}
        answer = session.post(f"{api}/policies", json=policy)
        assert answer.status_code == 201, answer.text

    def set_all(self) -> None:
        """Snoozes threads, and lets customers write in others, nearly a minute ago."""
        self._rounds += 1
        for number, id in enumerate(self.snoozed):
            moment = now_ms() + AHEAD_MS + number * APART_MS
            url = f"{self.lineup.server.url}/admin/api/threads/{id}/snooze"
            body = {"until": rfc3339(moment), "wake": "never"}
            answer = self.lineup.mai.post(url, json=body, timeout=PATIENCE_SECONDS)
            assert answer.status_code == 200, answer.text
            self.moments["thread.woken"][id].append(moment)
            due_at = now_ms() + AHEAD_MS + number * APART_MS
            late = self._say(f"late-{self._rounds}-{number}", due_at - TARGET_MS, member_status=0)
            self.moments["thread.due"][late] = [due_at]

    def wait_until_both_serve(self) -> None:
        def both_serve() -> bool:
            log = "\n".join(self.lineup.server.log)
            return log.count("Lineup is at") - log.count("is started again") >= 2

        wait_until(both_serve, PATIENCE_SECONDS, "both workers")

    def kill_a_worker(self) -> None:
        """Kills the workers in turn, one a call: it restarts while the other one serves."""
        os.kill(self.lineup.server.worker_pids()[self._rounds % 2], signal.SIGKILL)

    def last(self) -> int:
        return max(at for each in self.moments.values() for found in each.values() for at in found)

    def wait_until_all_is_done(self) -> None:
        wait_until(lambda: not self._ahead(), PATIENCE_SECONDS, "what was to be done")

    def _ahead(self) -> list[int]:
        with self.lineup.database.read() as connection:
            found = select(threads.c.id).where(threads.c.next_change_at.is_not(None))
            return list(connection.scalars(found))

    def check_each_was_done_once(self) -> list[Done]:
        """Checks conversations and the chatbot's events; returns acts, the last ones last."""
        done = [each for type in self.moments for each in self._done_once(type)]
        assert [each for each in done if each.at < each.moment] == [], "never early"
        return sorted(done, key=lambda each: each.at)

    def _done_once(self, type: str) -> list[Done]:
        with self.lineup.database.read() as connection:
            found = select(thread_acts).where(thread_acts.c.type == type)
            acts = connection.execute(found.order_by(thread_acts.c.id)).all()
            sent = select(outgoing_events.c.thread_id).where(outgoing_events.c.type == type)
            told = Counter(connection.scalars(sent))
        wanted = {id: len(moments) for id, moments in self.moments[type].items()}
        assert Counter(act.thread_id for act in acts) == told == wanted
        done = {id: [act.at for act in acts if act.thread_id == id] for id in wanted}
        return [
            Done(moment, at)
            for id, moments in self.moments[type].items()
            for moment, at in zip(moments, done[id], strict=True)
        ]

    def check_lists(self) -> None:
        """Checks that the newest message is first: in SQL, in Redis and on a dashboard."""
        ranking = Ranking(self.lineup.redis.client())
        right = sorted(self.said, key=lambda id: -self.said[id])
        assert self.lineup.in_sql("arrival", "arrival") == right
        with self.lineup.dashboard() as dashboard:
            for view in ("arrival", "not_respond"):
                dashboard.open(view, "arrival")
                wait_until(
                    lambda v=view: dashboard.ids(v, "arrival") == right,
                    PATIENCE_SECONDS,
                    f"{view} on the dashboard",
                )
        for view in ("arrival", "not_respond"):
            found = ranking.head(view, "arrival", 1_000).entries
            assert [entry.id for entry in found] == right
        late = sorted(self.moments["thread.due"], key=self.said.__getitem__)
        found = ranking.head("not_respond", "next_due", 1_000).entries
        assert [entry.id for entry in found] == late + self.snoozed


@contextlib.contextmanager
def moments_over(url: str, folder: Path, mode: str) -> Iterator[Moments]:
    redis_server = start_redis(folder)
    try:
        with LiveServer(url, redis_server.url, async_mode=mode, workers=2) as server:
            yield Moments(LineupDriver(server, redis_server))
    finally:
        redis_server.close()


def go_through(moments: Moments, rounds: int) -> list[list[int]]:
    """Runs the rounds; returns by how many ms each act was late, in order."""
    late = []
    for number in range(rounds):
        moments.wait_until_both_serve()
        moments.set_all()
        moments.kill_a_worker()
        time.sleep(FLUSH_SECONDS)
        moments.lineup.redis.client().flushall()
        moments.wait_until_all_is_done()
        done = moments.check_each_was_done_once()[-2 * THREADS :]
        late.append(sorted(each.at - each.moment for each in done))
        print(f"round {number}: late by {median(late[-1])} ms, at most {late[-1][-1]} ms")
    moments.check_lists()
    return late


def no_worker_lives(moments: Moments) -> None:
    """Kills all workers: what falls due meanwhile happens when one is there again, and once."""
    moments.wait_until_both_serve()
    moments.set_all()
    moments.lineup.server.kill()
    wait_until(lambda: now_ms() > moments.last(), what="the last moment")
    moments.lineup.server.start()
    moments.wait_until_all_is_done()
    moments.check_each_was_done_once()
    moments.check_lists()


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_moments_come_while_workers_and_redis_are_killed(tmp_path, mode):
    """W3, W21, W22 and W24."""
    with moments_over(f"sqlite:///{tmp_path / 'lineup.sqlite'}", tmp_path, mode) as moments:
        [late] = go_through(moments, rounds=1)
        # A single act may wait for the machine, which runs other tests meanwhile.
        assert median(late) <= LATE_MS


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_moments_come_through_many_deaths(empty_url, tmp_path, mode):
    """W3, W21, W22 and W24, on both databases."""
    with moments_over(empty_url, tmp_path, mode) as moments:
        assert max(late[-1] for late in go_through(moments, rounds=8)) <= LATE_MS
        no_worker_lives(moments)
