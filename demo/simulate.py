"""Simulates a busy support team: events at a steady rate, posted as a chatbot posts them."""

import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from random import Random, SystemRandom
from typing import Any

from tqdm import tqdm

from demo.clients import BotClient, CallError, Stopped
from demo.desk import EVENTS_MAX, EVENTS_PATH
from demo.traffic import TrafficModel

PRESENCE_PATH, OFFLINE_PATH = "/api/v1/presence", "/api/v1/presence/offline"
TYPING_PATH = "/api/v1/typing"
#: Intervals of heartbeats and of typing.
BEAT_MS, TYPING_MS = 20_000, 2_000
#: Share of the online customers who leave before each heartbeat, share of these who announce it
#: (the others only stop sending), and share of customers who are idle at a heartbeat.
LEAVE_SHARE, ANNOUNCE_SHARE, IDLE_SHARE = 0.1, 0.5, 0.2
ONLINE_MAX = 500
#: Kinds of devices, with their weights.
DEVICES = {"web": 6, "mobile": 4, "desktop": 1, "tablet": 1}
#: Longest backlog that is made up for after a pause (the server was away, the machine slept).
BACKLOG_SECONDS = 1.0
SHORTEST_WAIT_SECONDS = 0.005
#: Presence and colleagues go on, however seldom events are posted.
LONGEST_WAIT_SECONDS = 0.5
#: How long a signal may go unnoticed.
SLICE_SECONDS = 0.05
#: The lists that the simulator learns threads from, and how many of each.
KNOWN_LISTS = (("not_respond/arrival", 120), ("arrival/arrival", 150), ("history/arrival", 30))
#: At a desk with admins it looks again who waits longest: it may have missed what happened to them.
LONGEST_WAITS = (("not_respond/longest_wait", 30),)
LEARN_MS = 600_000

Wait = Callable[[float], bool]
Report = Callable[[str], None]
#: Called with the time in milliseconds, at least every LONGEST_WAIT_SECONDS.
Tick = Callable[[int], object]
#: Makes the traffic of a desk with admins, from its random source and the start of its ids, and
#: what else is simulated beside the events.
Others = Callable[[BotClient, Random, str], tuple[TrafficModel, Sequence[Tick]]]
#: Takes events, gives a result each, as the API does: {"status", "id", "problem"?}.
Post = Callable[[Sequence[dict[str, Any]]], Sequence[dict[str, Any]]]


class CustomerPresence:
    """Sends heartbeats for the customers who are online, and typing for those about to write.

    A call that is not accepted (a key without the scope, presence away) is not repeated.
    """

    def __init__(self, model: TrafficModel, client: BotClient, random: Random):
        self._model = model
        self._post = client.post_once
        self._random = random
        self._online: dict[str, str] = {}
        self._beat_at = self._typing_at = 0

    def tick(self, now_ms: int) -> None:
        """Sends what is due at this time."""
        if now_ms >= self._typing_at:
            self._typing_at = now_ms + TYPING_MS
            for thread, customer in self._model.about_to_write().items():
                self._post(TYPING_PATH, {"thread": thread, "customer": customer})
        if now_ms >= self._beat_at:
            self._beat_at = now_ms + BEAT_MS
            self._come_and_go()
            self._beat()

    def _come_and_go(self) -> None:
        for customer in self._model.writers()[: ONLINE_MAX - len(self._online)]:
            [kind] = self._random.choices([*DEVICES], [*DEVICES.values()])
            self._online.setdefault(customer, kind)
        leaving = [customer for customer in self._online if self._random.random() < LEAVE_SHARE]
        announced = [customer for customer in leaving if self._random.random() < ANNOUNCE_SHARE]
        for customer in leaving:
            del self._online[customer]
        if announced:
            devices = [{"customer": id, "device": _device(id)} for id in announced]
            self._post(OFFLINE_PATH, {"devices": devices})

    def _beat(self) -> None:
        beats = [
            {
                "customer": customer,
                "device": _device(customer),
                "type": kind,
                "active": self._random.random() >= IDLE_SHARE,
            }
            for customer, kind in self._online.items()
        ]
        if beats:
            self._post(PRESENCE_PATH, {"beats": beats})


class Simulator:
    """Posts the model's events, `rate_per_second` a second.

    `now` gives milliseconds; `report` gets a sentence about the first event refused of each kind;
    `ticks` are called after each post, and at least every LONGEST_WAIT_SECONDS.
    """

    def __init__(
        self,
        post: Post,
        model: TrafficModel,
        rate_per_second: float,
        now: Callable[[], int],
        report: Report,
        ticks: Sequence[Tick] = (),
    ):
        self._post = post
        self._ticks = ticks
        self._model = model
        self._rate = rate_per_second
        self._now = now
        self._report = report
        self._reported: set[str] = set()
        self.sent = self.refused = 0

    def run(self, wait: Wait, advance: Callable[[int], object] = lambda count: None) -> None:
        """Posts until `wait(seconds)` is true; `advance` gets the number of events of each post."""
        last_ms, owed = self._now(), 1.0
        while True:
            count = min(int(owed), EVENTS_MAX)
            if count:
                self._send(count)
                advance(count)
                owed -= count
            for tick in self._ticks:
                tick(self._now())
            pause = max((1 - owed) / self._rate, SHORTEST_WAIT_SECONDS)
            if wait(min(pause, LONGEST_WAIT_SECONDS)):
                return
            now_ms = self._now()
            passed = min(max(now_ms - last_ms, 0) / 1000, BACKLOG_SECONDS + 1 / self._rate)
            last_ms, owed = now_ms, owed + passed * self._rate

    def _send(self, count: int) -> None:
        results = self._post([self._model.next_event(self._now()) for _ in range(count)])
        self.sent += count
        for result in results:
            if result["status"] == "rejected":
                self.refused += 1
                problem = result.get("problem", {})
                code = problem.get("code", "unknown")
                if code not in self._reported:
                    self._reported.add(code)
                    self._report(f"{result.get('id')} was refused: {code}: {problem.get('detail')}")


def simulate(
    url: str,
    key: str,
    rate_per_second: float,
    *,
    now: Callable[[], int],
    wait: Wait,
    report: Report,
    random_seed: int | None = None,
    advance: Callable[[int], object] = lambda count: None,
    others: Others | None = None,
) -> int:
    """Posts to the server at `url` until `wait` is true; returns the number of events sent.

    With `others`, the desk's admins and its chatbot, nobody else answers.
    Raises CallError if address, key or scope are wrong.
    """
    random = Random(random_seed)
    client = BotClient(url, key, wait=wait, report=report, random=random)
    # Ids are unique for ever, so a run never repeats ids of an earlier one, whatever the seed.
    run = f"sim-{now():x}-{SystemRandom().getrandbits(32):08x}"
    model, ticks = others(client, random, run) if others else (TrafficModel(random, run), ())
    if others:
        ticks = (*ticks, _every(LEARN_MS, lambda: learn(client, model, report, LONGEST_WAITS)))
    ticks = (CustomerPresence(model, client, Random(random_seed)).tick, *ticks)
    post = partial(_post, client)
    simulator = Simulator(post, model, rate_per_second, now, report, ticks)
    try:
        learn(client, model, report)
        simulator.run(wait, advance)
    except Stopped as stopped:
        report(str(stopped))
    finally:
        client.close()
    return simulator.sent


def _post(client: BotClient, events: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    answer = client.post(EVENTS_PATH, {"events": events})
    if "results" not in answer.body:
        raise CallError(f"Events are not taken ({answer.problem}).")
    return list(answer.body["results"])


def simulate_until_signalled(
    url: str, key: str, rate_per_second: float, *, now: Callable[[], int], random_seed: int
) -> int:
    """Simulates until SIGINT or SIGTERM, with progress and reports on stderr."""
    bar = tqdm(desc="simulating", unit=" events", file=sys.stderr, mininterval=0.5)
    with bar, stopped_by_signals() as wait:
        return simulate(
            url,
            key,
            rate_per_second,
            now=now,
            wait=wait,
            report=lambda text: bar.write(text, file=sys.stderr),
            random_seed=random_seed,
            advance=bar.update,
        )


@contextmanager
def stopped_by_signals() -> Iterator[Wait]:
    """Gives a `wait(seconds)` that ends at once, and is true, after SIGINT or SIGTERM.

    Main thread only. It sleeps in slices: under green threads a handler may wake nothing.
    """
    received: list[int] = []

    def wait(seconds: float) -> bool:
        end = time.monotonic() + seconds
        while not received and (left := end - time.monotonic()) > 0:
            time.sleep(min(left, SLICE_SECONDS))
        return bool(received)

    def note(number: int, frame: object) -> None:
        received.append(number)

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield wait
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _every(interval_ms: int, work: Callable[[], object]) -> Tick:
    """Returns a tick that does the work at this interval, the first time after it."""
    due_ms: list[int] = []

    def tick(now_ms: int) -> None:
        if not due_ms:
            due_ms.append(now_ms + interval_ms)
        elif now_ms >= due_ms[0]:
            due_ms[0] = now_ms + interval_ms
            work()

    return tick


def learn(
    client: BotClient,
    model: TrafficModel,
    report: Report,
    lists: Sequence[tuple[str, int]] = KNOWN_LISTS,
) -> None:
    """Takes threads of the caller's source into the model. Needs the scope `read`."""
    names, source = set(), None
    for path, limit in lists:
        answer = client.get(f"/api/v1/lists/{path}?limit={limit}")
        if answer.status != 200:
            report(f"Starting with new threads only ({answer.problem}).")
            return
        for entry in answer.body["threads"]:
            if entry["thread"] in names or source not in (None, entry["source"]):
                continue
            if not model.takes(entry["thread"]):
                continue
            names.add(entry["thread"])
            row = client.get(f"/api/v1/threads/{entry['thread']}")
            if row.status == 200:
                source = row.body["source"]
                model.add_existing(row.body)


def _device(customer: str) -> str:
    return f"of-{customer}"[:128]
