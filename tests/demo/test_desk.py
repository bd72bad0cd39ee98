"""The demo's admins, its chatbot, and the balance of what they do."""

from collections import Counter
from itertools import pairwise
from random import Random

import pytest

from dashboard.ingest.schema import parse
from demo.clients import BotClient, DashboardError
from demo.conversation import iso
from demo.desk import EVENTS_PATH, FAILED_EVERY, Chatbot, Colleague, Desk, Person
from demo.traffic import StaffedTraffic
from tests.demo.server import Call, Reply, serving
from tests.support import SettableClock

NOW_MS = 1_790_000_000_000
KENJI = Person(7, "Kenji", ("ja", "en"))
ROW = {
    "id": 3, "thread": "t-3", "source": "demo", "open": True, "assignee": None,
    "unanswered": 1, "waiting_since": NOW_MS - 60_000,
    "customer": {"id": "demo/c-3", "locale": "ja"},
}  # fmt: skip


class Window:
    """An admin's window; its server always agrees, except for paths in `refused`."""

    def __init__(self, *rows: dict, refused: tuple[str, ...] = ()):
        self.rows = rows
        self.refused = refused
        self.done: list[tuple[str, dict]] = []

    def connect(self) -> None:
        self.done.append(("connect", {}))

    def close(self) -> None:
        self.done.append(("close", {}))

    def call(self, name: str, data: dict) -> dict:
        self.done.append((f"{name} {data.get('mode', '')}".strip(), data))
        if name != "thread:open":
            return {}
        return {"row": self.rows[0], "messages": [{"id": 41}], "viewers": [{"id": KENJI.id}]}

    def request(self, method: str, path: str, document: object = None) -> dict:
        if method == "GET":
            return {"rows": list(self.rows)}
        kind = path.rpartition("/")[2]
        self.done.append((kind, dict(document)))  # type: ignore[call-overload]
        if kind in self.refused:
            raise DashboardError("conversation_moved")
        return {"message": {"id": 42}}


class Work(Desk):
    """A desk that gives out the same thread each time."""

    def __init__(self):
        super().__init__([KENJI])
        self.model = StaffedTraffic(Random(1), "run")
        self.model.add_existing(ROW)
        self.held: list[int] = []

    def next_thread(self, person: Person, client: BotClient, random: Random) -> int:
        self.held.append(ROW["id"])
        return ROW["id"]

    def let_go(self, thread_id: int) -> None:
        self.held.remove(thread_id)


def at_work(window: Window, work: Work, minutes: int = 20) -> list[str]:
    """What Kenji does in that time, one word each."""
    kenji = Colleague(KENJI, window, None, work, Random(5))  # type: ignore[arg-type]
    for second in range(minutes * 60):
        kenji.tick(NOW_MS + second * 1000)
    return [name for name, _ in window.done]


def test_a_colleague_views_types_and_answers_what_was_seen():
    window, work = Window(ROW), Work()
    done = at_work(window, work)
    assert {"thread:mode viewing", "thread:mode typing", "replies", "claim", "close"} <= set(done)
    assert done[0] == "connect" and done.count("connect") == 1
    assert len(work.held) <= 1
    for before, name in pairwise(done):
        if name == "replies":
            assert before == "thread:mode typing"
    replies = [data for name, data in window.done if name == "replies"]
    assert all(reply["seen_message_id"] == 41 and reply["body"] for reply in replies)
    assert len({reply["token"] for reply in replies}) == len(replies) > 10
    assert 0 < sum(reply["private"] for reply in replies) < len(replies) / 2
    looked = done.count("thread:open") - sum(not reply["private"] for reply in replies)
    assert looked > 0, "some threads are only looked at"


def test_a_colleague_snoozes_some_threads_and_mentions_colleagues_in_some_notes():
    window, work = Window(ROW), Work()
    work.names = [KENJI.name, "Linh Nguyễn"]
    done = at_work(window, work, minutes=60)
    snoozes = [data for name, data in window.done if name == "snooze"]
    assert 0 < len(snoozes) < done.count("replies") / 4
    assert all(snooze["until"] > iso(NOW_MS) for snooze in snoozes)
    notes = [data["body"] for name, data in window.done if name == "replies" and data["private"]]
    mentions = [note for note in notes if note.startswith("@Linh Nguyễn ")]
    assert 0 < len(mentions) < len(notes) and "@Kenji" not in "".join(notes)


def test_a_colleague_who_was_too_slow_goes_on():
    done = at_work(Window(ROW, refused=("replies", "claim")), Work())
    assert done.count("replies") > 10 and done.count("connect") == 1


def test_a_colleague_comes_back_after_the_server_was_away():
    window, work = Window(ROW), Work()
    errors = iter([DashboardError("disconnected")])
    call = window.call

    def failing_call(name: str, data: dict) -> dict:
        for error in errors:
            raise error
        return call(name, data)

    window.call = failing_call  # type: ignore[method-assign]
    done = at_work(window, work)
    assert done.count("connect") == 2 and "replies" in done and len(work.held) <= 1


def test_nobody_gets_the_thread_of_another_or_one_in_a_language_that_they_do_not_know():
    rows = [ROW | {"id": id, "thread": f"t-{id}"} for id in (1, 2, 3, 4)]
    rows[1] |= {"assignee": {"id": 1, "name": "Demo"}}
    rows[2] |= {"assignee": {"id": KENJI.id, "name": "Kenji"}, "waiting_since": NOW_MS - 90_000}
    rows[3] |= {"customer": {"id": "demo/c-4", "locale": "vi"}}
    model = StaffedTraffic(Random(1), "run")
    for row in rows:
        model.add_existing(row)
    found = {f"/api/v1/threads/{row['thread']}": row for row in rows}
    with serving(lambda call: Reply(200, found[call.path])) as server:
        desk, random, client = Desk([KENJI]), Random(1), client_of(server.url)
        assert desk.next_thread(KENJI, client, random) is None, "the simulator has not begun"
        desk.model = model
        taken = [desk.next_thread(KENJI, client, random) for _ in range(2)]
        assert taken == [3, 1], "the one that waits longest comes first"
        assert desk.next_thread(KENJI, client, random) is None
        desk.let_go(3)
        assert desk.next_thread(KENJI, client, random) == 3
        assert desk.next_thread(Person(1, "Demo", ("vi",)), client, random) == 4


def client_of(url: str) -> BotClient:
    return BotClient(url, "key", wait=bool, report=print, random=Random(1))


def replies_of(*ids: int) -> list[dict]:
    return [
        {"id": f"evt_{id}", "type": "message.created", "thread": "t-3", "data": {"id": id}}
        for id in ids
    ]


def test_the_chatbot_reports_each_reply_as_delivered_and_most_as_read():
    pages = {"": (replies_of(*range(1, 401)), "c1"), "c1": ([], "c1")}
    kept: list[str] = []

    def answer(call: Call) -> Reply:
        if call.method == "POST":
            return Reply(200, {"results": []})
        events, next = pages[call.path.partition("after=")[2].partition("&")[0]]
        return Reply(200, {"events": events, "next": next})

    clock = SettableClock()
    with serving(answer) as server:
        client = BotClient(server.url, "key", wait=bool, report=print, random=Random(1))
        model = StaffedTraffic(Random(1), "run")
        chatbot = Chatbot(client, model, Random(2), keep=kept.append)
        for _ in range(120):
            chatbot.tick(clock())
            clock.advance(500)
        client.close()
    posts = [call.document["events"] for call in server.calls if call.path == EVENTS_PATH]
    receipts = [event for events in posts for event in events]
    assert all(parse(event) for event in receipts)
    assert len({event["id"] for event in receipts}) == len(receipts)
    states = Counter(event["state"] for event in receipts)
    assert states["delivered"] + states["failed"] == 400
    assert states["failed"] == 400 / FAILED_EVERY
    assert 200 < states["read"] < 350
    assert kept == ["c1"]


def test_a_cursor_of_another_database_is_forgotten():
    def answer(call: Call) -> Reply:
        if "after=old" in call.path:
            return Reply(422, {"code": "unknown_value"})
        return Reply(200, {"events": [], "next": "new"})

    kept: list[str] = []
    with serving(answer) as server:
        client = BotClient(server.url, "key", wait=bool, report=print, random=Random(1))
        chatbot = Chatbot(client, StaffedTraffic(Random(1), "r"), Random(1), "old", kept.append)
        for second in range(3):
            chatbot.tick(NOW_MS + second * 1000)
        client.close()
    assert kept == ["new"]


def test_at_a_staffed_desk_nobody_else_answers():
    model = StaffedTraffic(Random(3), "run")
    events = [model.next_event(NOW_MS + number * 500) for number in range(3_000)]
    assert all(parse(event) for event in events)
    assert not any(event.get("role") == "admin" for event in events)


def test_what_a_visitor_posted_or_has_taken_is_the_visitors():
    model = StaffedTraffic(Random(3), "run", {KENJI.id})
    assert not model.takes("t-42") and model.takes("desk-1-3-t000001")
    model.add_existing(ROW | {"assignee": {"id": KENJI.id}})
    assert model.waiting(("ja",), KENJI.id) == ["t-3"] and model.waiting(("ja",), 8) == []
    model.happened({"type": "thread.assigned", "thread": "t-3", "data": {"assignee": {"id": 1}}})
    assert model.waiting(("ja",), KENJI.id) == []
    model.happened({"type": "thread.released", "thread": "t-3", "data": {"assignee": None}})
    assert model.waiting(("ja",), 8) == ["t-3"]


@pytest.mark.parametrize("type", ["message.created", "thread.closed"])
def test_the_model_takes_over_what_admins_did(type):
    model = StaffedTraffic(Random(3), "run")
    model.add_existing(ROW)
    assert model.waiting(("ja",), 7) == ["t-3"] and model.waiting(("vi",), 7) == []
    model.happened({"type": type, "thread": "t-3", "data": {"id": 1}})
    assert model.waiting(("ja",), 7) == []
    assert ("t-3" in model._threads) == (type == "message.created")
    model.happened({"type": type, "thread": "unknown", "data": {"id": 2}})


def test_an_admin_writes_what_the_story_of_the_thread_says():
    model = StaffedTraffic(Random(3), "run")
    model.add_existing(ROW)
    story = [event for event in model._threads["t-3"].events if event.get("role") == "admin"]
    assert model.words("t-3", is_note=False) == story[0]["body"]
    assert model.words("t-3", is_note=True) and model.words("unknown", is_note=False)
