"""Simulates a busy support team: events at a steady rate, posted as a chatbot posts them."""

import os
import select
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from random import Random, SystemRandom
from typing import Any

from tqdm import tqdm

from demo.bot_client import Answer, BotClient, CallError, Stopped
from demo.traffic_model import TrafficModel

#: Calls the bot API once, with path and document; whether it was accepted.
PostOnce = Callable[[str, Any], bool]

PRESENCE_PATH, OFFLINE_PATH = "/api/v1/presence", "/api/v1/presence/offline"
TYPING_PATH = "/api/v1/typing"
#: Intervals of heartbeats and of typing.
BEAT_MS, TYPING_MS = 20_000, 2_000
#: Share of the online customers who leave before each heartbeat, and who are idle at it.
LEAVE_SHARE, IDLE_SHARE = 0.1, 0.2
ONLINE_MAX = 500
DEVICES = (("web", 6), ("mobile", 4), ("desktop", 1), ("tablet", 1))
_TYPES = [name for name, _ in DEVICES]
_WEIGHTS = [weight for _, weight in DEVICES]


class CustomerPresence:
    """Sends heartbeats for the customers who are online, and typing for those about to write.

    A call that is not accepted (a key without the scope, presence away) is not repeated.
    """

    def __init__(self, model: TrafficModel, post_once: PostOnce, random: Random):
        self._model = model
        self._post_once = post_once
        self._random = random
        self._online: dict[str, str] = {}
        self._beat_at = self._typing_at = 0

    def tick(self, now_ms: int) -> None:
        """Sends what is due at this time."""
        if now_ms >= self._typing_at:
            self._typing_at = now_ms + TYPING_MS
            for thread, customer in self._model.about_to_write(now_ms + 2 * TYPING_MS):
                self._post_once(TYPING_PATH, {"thread": thread, "customer": customer})
        if now_ms >= self._beat_at:
            self._beat_at = now_ms + BEAT_MS
            self._add_writers()
            self._remove_some()
            self._beat()

    def _add_writers(self) -> None:
        for customer in self._model.writers():
            if len(self._online) < ONLINE_MAX:
                self._online.setdefault(customer, self._random.choices(_TYPES, _WEIGHTS)[0])

    def _remove_some(self) -> None:
        leaving = [each for each in self._online if self._random.random() < LEAVE_SHARE]
        for customer in leaving:
            del self._online[customer]
        if leaving:
            # Half of them announce it; the others go offline when their heartbeats stop.
            announced = [each for each in leaving if self._random.random() < 0.5]
            devices = [{"customer": each, "device": _device(each)} for each in announced]
            if devices:
                self._post_once(OFFLINE_PATH, {"devices": devices})

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
            self._post_once(PRESENCE_PATH, {"beats": beats})


def _device(customer: str) -> str:
    return f"of-{customer}"[:128]


BATCH_MAX = 500
#: Longest backlog that is made up for after a pause (the server was away, the machine slept).
BACKLOG_SECONDS = 1.0
SHORTEST_WAIT_SECONDS = 0.005
#: Presence and colleagues go on, however seldom events are posted.
LONGEST_WAIT_SECONDS = 0.5
EVENTS_PATH = "/api/v1/events"
#: The lists that the simulator learns threads from, and how many of each.
KNOWN_LISTS = (
    ("not_respond/longest_wait", 120),
    ("arrival/arrival", 150),
    ("history/arrival", 30),
)

Wait = Callable[[float], bool]
Report = Callable[[str], None]
#: Called with the time in milliseconds, at least every LONGEST_WAIT_SECONDS.
Tick = Callable[[int], object]
#: Makes what else is simulated beside the events, from the client and the model.
Others = Callable[[BotClient, TrafficModel], Sequence[Tick]]
#: Takes events, gives a result each, as the API does: {"status", "id", "problem"?}.
Post = Callable[[Sequence[dict[str, Any]]], Sequence[dict[str, Any]]]


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
        self.sent = 0
        self.refused = 0

    def run(self, wait: Wait, advance: Callable[[int], object] = lambda count: None) -> None:
        """Posts until `wait(seconds)` is true; `advance` gets the number of events of each post."""
        last_ms, owed = self._now(), 1.0
        while True:
            count = min(int(owed), BATCH_MAX)
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
                self._note_refused(result)

    def _note_refused(self, result: dict[str, Any]) -> None:
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
    """Posts to the server at `url` until `wait` is true; the number of events sent.

    With `others`, which are the desk's admins and its chatbot, nobody else answers.
    Raises CallError where address, key or scope are wrong.
    """
    random = Random(random_seed)
    client = BotClient(url, key, wait=wait, report=report, random=random)
    # Ids are unique for ever, so a run's are never those of an earlier one, whatever the seed.
    run = f"sim-{now():x}-{SystemRandom().getrandbits(32):08x}"
    model = TrafficModel(random, run, is_staffed=others is not None)
    presence = CustomerPresence(model, client.post_once, Random(random_seed))
    ticks = [presence.tick, *(others(client, model) if others else ())]
    simulator = Simulator(post_to(client), model, rate_per_second, now, report, ticks)
    try:
        learn(client, model, report)
        simulator.run(wait, advance)
    except Stopped as stopped:
        report(str(stopped))
    finally:
        client.close()
    return simulator.sent


def simulate_until_signalled(
    url: str,
    key: str,
    rate_per_second: float,
    *,
    now: Callable[[], int],
    random_seed: int | None = None,
    show_progress: bool = True,
) -> int:
    """Simulates until SIGINT or SIGTERM, with progress and reports on stderr."""
    with _progress(show_progress) as bar, stopped_by_signals() as wait:
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
    """A `wait(seconds)` that ends at once, and is true, after SIGINT or SIGTERM.

    Main thread only. A pipe, because a handler must take no lock that the wait may hold.
    """
    read_end, write_end = os.pipe()
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda *_: os.write(write_end, b".")) for number in numbers]
    try:
        yield lambda seconds: bool(select.select([read_end], [], [], seconds)[0])
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
        os.close(read_end)
        os.close(write_end)


def post_to(client: BotClient) -> Post:
    """Posts events through the client: one alone as an object, several as a batch."""

    def post(events: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
        single = len(events) == 1
        answer = client.post(EVENTS_PATH, events[0] if single else {"events": list(events)})
        if answer.status in (200, 201, 207, 409, 422):
            return _results(answer, events)
        raise CallError(f"Events are not taken ({answer.problem}).")

    return post


def learn(client: BotClient, model: TrafficModel, report: Report) -> int:
    """Takes threads of the caller's source into the model; how many. Needs the scope `read`."""
    known: dict[str, bool] = {}
    source = None
    for path, limit in KNOWN_LISTS:
        answer = client.get(f"/api/v1/lists/{path}?limit={limit}")
        if answer.status != 200:
            report(f"Starting with new threads only ({answer.problem}).")
            return 0
        for entry in answer.body["threads"]:
            if entry["thread"] in known or source not in (None, entry["source"]):
                continue
            row = client.get(f"/api/v1/threads/{entry['thread']}")
            known[entry["thread"]] = row.status == 200
            if row.status == 200:
                source = row.body["source"]
                model.add_existing(row.body)
    return sum(known.values())


def _results(answer: Answer, events: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    if "results" in answer.body:
        return answer.body["results"]
    if answer.status in (200, 201):
        return [answer.body]
    return [{"status": "rejected", "id": event["id"], "problem": answer.body} for event in events]


def _progress(shown: bool) -> Any:
    return tqdm(
        desc="simulating", unit=" events", file=sys.stderr, mininterval=0.5, disable=not shown
    )
