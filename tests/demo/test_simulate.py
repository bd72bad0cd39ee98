"""The simulator: its rate, its posts, its first reads, and its end."""

import os
import signal
import subprocess
import sys
import threading
from random import Random

import pytest

from dashboard.ingest.schema import parse
from demo.clients import CallError
from demo.desk import EVENTS_PATH
from demo.simulate import Simulator, simulate, stopped_by_signals
from demo.traffic import TrafficModel
from tests.demo.server import Call, Reply, serving
from tests.repository import ROOT
from tests.support import SettableClock

ROW = {
    "id": 1, "thread": "t-1", "source": "shop", "open": True, "waiting_since": 5,
    "unanswered": 1,
    "customer": {"id": "shop/c-1", "locale": "ja"},
}  # fmt: skip


def accepted(call: Call) -> Reply:
    """The answer of the API when all is well and nothing is there yet."""
    if call.method == "GET":
        return Reply(200, {"threads": [], "total": 0})
    if call.path != EVENTS_PATH:
        return Reply(200, {"accepted": 1})
    if "events" not in call.document:
        return Reply(201, {"status": "created", "id": call.document["id"]})
    results = [{"status": "created", "id": event["id"]} for event in call.document["events"]]
    return Reply(200, {"results": results})


def posted(calls: list[Call]) -> list[dict]:
    bodies = [call.document for call in calls if call.path == EVENTS_PATH]
    return [event for body in bodies for event in body.get("events", [body])]


class Seconds:
    """A `wait` that moves the clock instead, and stops after `seconds`."""

    def __init__(self, clock: SettableClock, seconds: float):
        self.clock = clock
        self.end_ms = clock() + seconds * 1000

    def __call__(self, seconds: float) -> bool:
        self.clock.advance(max(1, round(seconds * 1000)))
        return self.clock() >= self.end_ms


@pytest.mark.parametrize("rate", [0.5, 5, 300])
def test_it_posts_at_the_rate_that_was_asked_for(rate):
    clock = SettableClock()
    sizes: list[int] = []

    def post(events):
        sizes.append(len(events))
        return [{"status": "created"} for _ in events]

    simulator = Simulator(post, TrafficModel(Random(1), "run"), rate, clock, print)
    simulator.run(Seconds(clock, 60))
    assert simulator.sent == sum(sizes) == pytest.approx(60 * rate, rel=0.1, abs=1)
    assert max(sizes) <= 500


def test_after_a_long_silence_it_makes_up_for_one_second_only():
    clock, sizes = SettableClock(), []

    def post(events):
        sizes.append(len(events))
        if len(sizes) == 5:
            clock.advance(3_600_000)
        return [{"status": "created"} for _ in events]

    Simulator(post, TrafficModel(Random(1), "run"), 20, clock, print).run(Seconds(clock, 3605))
    assert sizes[4] == 1
    assert 10 < sizes[5] <= 21


def test_what_is_refused_is_reported_once_a_kind():
    clock, reports = SettableClock(), []
    refused = {"status": "rejected", "id": "e", "problem": {"code": "wrong_type", "detail": "no"}}
    simulator = Simulator(
        lambda events: [refused] * len(events),
        TrafficModel(Random(1), "run"),
        10,
        clock,
        reports.append,
    )
    simulator.run(Seconds(clock, 3))
    assert simulator.refused == simulator.sent > 20
    assert reports == ["e was refused: wrong_type: no"]


def test_events_reach_the_server_each_once_and_valid():
    clock = SettableClock()
    with serving(accepted) as server:
        sent = simulate(
            server.url, "key", 20, now=clock, wait=Seconds(clock, 5), report=print, random_seed=1
        )
    found = [parse(event) for event in posted(server.calls)]
    assert len(found) == len({event.id for event in found}) == sent > 80


def test_a_batch_is_repeated_as_it_was_after_a_503_and_a_lost_connection():
    clock, trouble = SettableClock(), [Reply(503, {}, {"Retry-After": "1"}), Reply(None)]

    def decide(call):
        return trouble.pop() if call.method == "POST" and trouble else accepted(call)

    with serving(decide) as server:
        simulate(server.url, "key", 5, now=clock, wait=Seconds(clock, 5), report=print)
    documents = [call.document for call in server.calls if call.path == EVENTS_PATH]
    assert documents[0] == documents[1] == documents[2] != documents[3]


def test_it_goes_on_with_the_threads_of_its_own_source():
    clock = SettableClock()
    entries = [
        {"id": 9, "source": "other", "thread": "t-9", "score": 1},
        {"id": 1, "source": "shop", "thread": "t-1", "score": 2},
        {"id": 8, "source": "other", "thread": "t-8", "score": 3},
    ]

    def decide(call):
        if call.path.startswith("/api/v1/lists/"):
            return Reply(200, {"threads": entries, "total": 3})
        if call.path.startswith("/api/v1/threads/"):
            return Reply(200, ROW) if call.path.endswith("/t-1") else Reply(404, {})
        return accepted(call)

    with serving(decide) as server:
        simulate(
            server.url, "key", 20, now=clock, wait=Seconds(clock, 10), report=print, random_seed=2
        )
    looked_up = [call.path for call in server.calls if "/threads/" in call.path]
    assert looked_up == ["/api/v1/threads/t-9", "/api/v1/threads/t-1"]
    threads = {event.get("thread") for event in posted(server.calls)}
    assert "t-1" in threads
    assert not threads & {"t-8", "t-9"}


def test_without_the_scope_to_read_it_starts_with_new_threads():
    clock, reports = SettableClock(), []
    problem = Reply(403, {"code": "forbidden_scope", "detail": "read is missing"})
    with serving(lambda call: problem if call.method == "GET" else accepted(call)) as server:
        sent = simulate(
            server.url, "key", 5, now=clock, wait=Seconds(clock, 2), report=reports.append
        )
    assert sent > 5
    assert reports == ["Starting with new threads only (forbidden_scope: read is missing)."]


def test_a_key_that_may_not_post_ends_it():
    clock = SettableClock()
    problem = Reply(403, {"code": "forbidden_scope", "detail": "events is missing"})
    with (
        serving(lambda call: problem if call.method == "POST" else accepted(call)) as server,
        pytest.raises(CallError, match="forbidden_scope: events is missing"),
    ):
        simulate(server.url, "key", 5, now=clock, wait=Seconds(clock, 2), report=print)


def test_two_runs_of_one_seed_never_share_an_id():
    clock = SettableClock()
    with serving(accepted) as server:
        for _ in range(2):
            simulate(
                server.url, "key", 20, now=clock, wait=Seconds(clock, 2), report=print,
                random_seed=1,
            )  # fmt: skip
    ids = [event["id"] for event in posted(server.calls)]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_wait_at_once_and_the_handlers_are_put_back(number):
    before = signal.getsignal(number)
    with stopped_by_signals() as wait:
        assert not wait(0)
        killer = threading.Timer(0.05, os.kill, (os.getpid(), number))
        killer.start()
        assert wait(30)
        assert wait(30)
        killer.join()
    assert signal.getsignal(number) is before


_GREEN = """
import eventlet; eventlet.monkey_patch()
from demo.simulate import stopped_by_signals
with stopped_by_signals() as wait:
    print("ready", flush=True)
    print(wait(30), flush=True)
"""


def test_a_signal_ends_the_wait_under_green_threads_without_a_trace():
    words = [sys.executable, "-c", _GREEN]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=20)[0] == "True\n"
    assert process.returncode == 0


def test_writing_customers_are_online_and_typing():
    clock = SettableClock()
    with serving(accepted) as server:
        simulate(
            server.url, "key", 20, now=clock, wait=Seconds(clock, 120), report=print, random_seed=3
        )
    posts: dict[str, list] = {}
    for call in server.calls:
        posts.setdefault(call.path, []).append(call.document)
    writers = {
        event["customer"]["id"] for event in posted(server.calls) if event.get("role") == "client"
    }
    beats = [beat for one in posts["/api/v1/presence"] for beat in one["beats"]]
    assert {beat["customer"] for beat in beats} <= writers
    assert len(posts["/api/v1/presence"]) >= 5 and posts["/api/v1/presence/offline"]
    assert {one["customer"] for one in posts["/api/v1/typing"]} <= writers


def test_a_key_without_the_scope_of_presence_still_posts_events():
    def no_presence(call: Call) -> Reply:
        if "presence" in call.path or "typing" in call.path:
            return Reply(403, {"code": "forbidden_scope"})
        return accepted(call)

    clock = SettableClock()
    with serving(no_presence) as server:
        sent = simulate(
            server.url, "key", 20, now=clock, wait=Seconds(clock, 60), report=print, random_seed=3
        )
    assert sent == len(posted(server.calls)) > 1_000
