"""The example's chatbot sends each event once, and each thread's in its order."""

import io
import sys
from collections.abc import Iterator
from contextlib import suppress
from email.message import Message
from importlib import import_module
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any
from urllib.error import HTTPError

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples/chatbot"


@pytest.fixture(scope="module")
def example() -> Iterator[Any]:
    """The example's modules, which import each other by their bare names."""
    sys.path.insert(0, str(EXAMPLE))
    try:
        names = ("chatbot", "lineup", "store")
        yield SimpleNamespace(**{name: import_module(name) for name in names})
    finally:
        sys.path.remove(str(EXAMPLE))


class FakeLineup:
    """Takes each id once, as Lineup does. Requests and answers are lost now and then."""

    def __init__(self, random: Random):
        self.random = random
        self.taken: dict[str, dict[str, Any]] = {}
        self.is_good = False

    def call(self, method: str, path: str, event: dict[str, Any]) -> None:
        kinds = ("good", "lost", "unanswered", "503", "429", "401", "408")
        kind = "good" if self.is_good else self.random.choice(kinds)
        if kind == "lost":
            raise OSError("lost")
        if kind.isdecimal():
            raise refusal(int(kind))
        if event.get("body") == "Refused":
            raise refusal(422)
        self.taken.setdefault(event["id"], event)
        if kind == "unanswered":
            raise OSError("unanswered")


def refusal(status: int) -> HTTPError:
    return HTTPError("http://lineup", status, "no", Message(), io.BytesIO(b"{}"))


def post_all(client, tries: int) -> None:
    for _ in range(tries):
        with suppress(OSError):
            client.post_next()


def test_events_are_taken_once_and_in_order_over_losses_and_restarts(example):
    """Case E18: whatever is lost, and wherever the process is killed."""
    for seed in range(15):
        random = Random(seed)
        server = FakeLineup(random)
        written: dict[str, list[str]] = {"one": [], "two": []}

        store = example.store.Store(":memory:")

        def started(store=store, server=server) -> Any:
            """Starts a process with nothing in memory; only the store is left of the last one."""
            client = example.lineup.Lineup("http://lineup", "key", store)
            client.call = server.call
            return example.chatbot.Chatbot(store, client, "whsec_")

        bot = started()
        for step in range(40):
            thread = random.choice(["one", "two"])
            body = "Refused" if random.random() < 0.1 else f"{step} open?"
            for _ in range(random.choice((1, 1, 2))):  # the customer's page repeats it
                bot.on_message(thread, body, f"id-{step}")
            written[thread].append(body)
            post_all(bot.lineup, random.randrange(4))
            if random.random() < 0.1:
                bot = started()
        server.is_good = True
        post_all(bot.lineup, 400)
        assert store.next_to_post() is None
        for thread, bodies in written.items():
            of_client = [
                event["body"]
                for event in server.taken.values()
                if event["thread"] == thread and event.get("role") == "client"
            ]
            assert of_client == [body for body in bodies if body != "Refused"]


def test_what_admins_do_is_read_in_order_whenever_webhooks_come(example):
    """Case E18: a webhook that overtakes missed ones only says that there is something to read."""
    store = example.store.Store(":memory:")
    client = example.lineup.Lineup("http://lineup", "key", store)
    events = [
        {
            "type": "message.created",
            "thread": "one",
            "data": {"id": number, "author": {"name": "Mai"}, "body": f"{number}"},
        }
        for number in range(1, 7)
    ]

    def call(method: str, path: str) -> dict[str, Any]:
        after = int(path.partition("after=")[2] or 0)
        return {"events": events[after : after + 2], "next": str(min(after + 2, len(events)))}

    client.call = call
    client.take_webhook(events[5])
    client.take_webhook(events[4])
    while client._read_next():
        pass
    read = store.read("one", 0, "2026-11-20T10:00:00Z")
    assert [message["body"] for message in read] == ["1", "2", "3", "4", "5", "6"]
