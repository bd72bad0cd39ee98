"""The example's chatbot sends each event once, and each thread's in its order."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from lineup_client import Receiver, Sender, Unavailable

EXAMPLE = Path(__file__).parents[2] / "examples/chatbot"
SECRET = "whsec_" + "A" * 32


@pytest.fixture(scope="module")
def example() -> Iterator[Any]:
    """The example's modules, which import each other by their bare names."""
    sys.path.insert(0, str(EXAMPLE))
    try:
        yield SimpleNamespace(**{name: import_module(name) for name in ("chatbot", "store")})
    finally:
        sys.path.remove(str(EXAMPLE))


class FakeLineup:
    """Takes each id once, as Lineup does. Requests and answers are lost now and then."""

    def __init__(self, random: Random):
        self.random = random
        self.taken: dict[str, Any] = {}
        self.outgoing: list[Any] = []
        self.is_good = False

    def post(self, events: Any) -> Any:
        kinds = ("good", "lost", "unanswered", "busy")
        kind = "good" if self.is_good else self.random.choice(kinds)
        if kind == "lost":
            raise Unavailable("lost")
        results = [self._take(event, kind == "busy") for event in events]
        if kind == "unanswered":
            raise Unavailable("unanswered")
        return {"results": results}

    def _take(self, event: Any, is_busy: bool) -> Any:
        status = 422 if event.get("body") == "Refused" else 503 if is_busy else 0
        if status:
            return {"status": "rejected", "problem": {"status": status, "detail": "no"}}
        self.taken.setdefault(event["id"], event)
        return {"status": "created"}

    def events(self, after: str = "", *, include: Sequence[str] = ()) -> Any:
        assert not include, "this chatbot asks for no presence"
        begin = int(after or 0)
        end = min(begin + 2, len(self.outgoing))
        return {"events": self.outgoing[begin:end], "next": str(end)}


def post_all(sender: Sender, tries: int) -> None:
    for _ in range(tries):
        with suppress(Unavailable):
            sender.post_next()


def test_events_are_taken_once_and_in_order_over_losses_and_restarts(example, tmp_path):
    """Case E18: whatever is lost, and wherever the process is killed."""
    for seed in range(10):
        random = Random(seed)
        server: Any = FakeLineup(random)
        written: dict[str, list[str]] = {"one": [], "two": []}
        file = str(tmp_path / f"{seed}.sqlite")

        def started(server=server, file=file) -> Any:
            """Starts a process with nothing in memory; only the file is left of the last one."""
            sender = Sender(server, file)
            return example.chatbot.Chatbot(server, sender, Receiver(server, SECRET, file)), sender

        bot, sender = started()
        for step in range(30):
            thread = random.choice(["one", "two"])
            body = "Refused" if random.random() < 0.1 else f"{step} open?"
            for _ in range(random.choice((1, 1, 2))):  # the customer's page repeats it
                bot.on_message(thread, body, f"id-{step}")
            written[thread].append(body)
            post_all(sender, random.randrange(3))
            if random.random() < 0.1:
                bot, sender = started()
        server.is_good = True
        post_all(sender, 4)
        assert sender.waiting() == 0
        for thread, bodies in written.items():
            of_client = [
                event
                for event in server.taken.values()
                if event["thread"] == thread and event.get("role") == "client"
            ]
            of_client.sort(key=lambda event: event["occurred_at"])
            wanted = [body for body in bodies if body != "Refused"]
            assert [event["body"] for event in of_client] == wanted


def test_a_message_that_lineup_would_refuse_is_cleaned_or_refused(example, tmp_path):
    server: Any = FakeLineup(Random(1))
    file = str(tmp_path / "bot.sqlite")
    sender = Sender(server, file)
    bot = example.chatbot.Chatbot(server, sender, Receiver(server, SECRET, file))
    page: Any = SimpleNamespace(path="/say", chatbot=bot)
    bodies = ["a\x07b \ud83d open?", "\u200b", "x" * 20_001, "\x07"]
    calls = [{"id": f"id-{number}", "body": body} for number, body in enumerate(bodies)]
    statuses = [example.chatbot.Handler._do(page, call, "one") for call in calls]
    assert statuses == [204, 400, 400, 400]
    assert bot.store.read("one", 0)[0]["body"] == "ab  open?"
    assert sender.waiting() == 2


def test_what_admins_do_is_read_in_order_and_once(example, tmp_path):
    """Case E18: a webhook that overtakes missed ones only says that there is something to read."""
    server: Any = FakeLineup(Random(1))
    server.outgoing = [
        {
            "id": f"evt_{number}",
            "type": "message.created",
            "occurred_at": f"2026-11-20T10:00:00.00{number}Z",
            "thread": "one",
            "seq": number,
            "data": {
                "id": number,
                "author": {"name": "Mai"},
                "body": f"{number}",
                "attachments": [],
            },
        }
        for number in range(1, 7)
    ]
    server.outgoing[-1]["data"] |= {"body": "", "attachments": [{"url": "https://desk/plan.pdf"}]}
    file = str(tmp_path / "bot.sqlite")
    receiver = Receiver(server, SECRET, file)
    bot = example.chatbot.Chatbot(server, Sender(server, file), receiver)
    for _ in range(2):
        while receiver.read_next():
            pass
        with receiver.database:
            receiver.database.execute("DELETE FROM lineup_state")
    read = bot.store.read("one", 0)
    assert [message["body"] for message in read] == [
        "1",
        "2",
        "3",
        "4",
        "5",
        "https://desk/plan.pdf",
    ]
