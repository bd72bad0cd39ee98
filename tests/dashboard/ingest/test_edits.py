"""Edits and deletions of messages by a chatbot: in any order, late, twice, by another source."""

from dataclasses import dataclass, field
from itertools import count
from types import SimpleNamespace
from typing import Any

import fakeredis
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from dashboard.db.conditions import subjects
from dashboard.db.database import Database
from dashboard.db.history import lists
from dashboard.db.lists import named_lists, versions
from dashboard.db.lists.named_lists import ListName
from dashboard.db.models.threads import events
from dashboard.db.search import search
from dashboard.db.threads import conversations, messages, threads
from dashboard.ingest.due import Archiver
from dashboard.ingest.erase import erase_customer
from dashboard.ingest.replies import Reply
from dashboard.ingest.schema import Outcome
from dashboard.transfer.exporting import Exporter
from tests.dashboard.ingest.shop import START_MS, Shop, message, thread_event
from tests.drivers.audit import OPERATOR
from tests.services import services_over
from tests.support import SettableClock, examples

DAY_MS = 24 * 3_600_000
ROLES = ("client", "client", "client", "bot", "bot", "admin", "system")
#: Words of bodies; each is looked for.
WORDS = ("apple", "banana", "cherry", "dill")
FILE = {"url": "https://x.example/e.png", "type": None, "name": "elder.png"}
SOURCES = ("shop", "blog")
#: The thread of each message.
THREADS = {"m-1": "t-1", "m-2": "t-1", "m-3": "t-2"}
WRONG = "t-3"
TIMES = st.integers(0, 6)
_worlds = count(1)
NO_PLACER: Any = SimpleNamespace(place=lambda placements: None)


@dataclass
class Said:
    """A message of the model, and its accepted edits: (deleted, time, id, body, attachments)."""

    name: str
    thread: str
    role: str
    at: int
    body: str
    attachments: list[dict[str, Any]]
    edits: list[tuple[bool, int, str, str, list[dict[str, Any]]]] = field(default_factory=list)

    @property
    def shown(self) -> tuple[str, list[dict[str, Any]], bool | None]:
        """Body, attachments, and whether it was deleted; None: neither edited nor deleted."""
        if not self.edits:
            return self.body, self.attachments, None
        is_deleted, _, _, body, files = max(self.edits, key=lambda edit: edit[:3])
        return ("", [], True) if is_deleted else (body, files, False)

    @property
    def preview(self) -> dict[str, Any]:
        body, files, is_deleted = self.shown
        text = body or (files[0]["name"] if files else "")
        shown = {"role": self.role, "body": text, "at": START_MS + self.at}
        return shown | {"deleted": True} if is_deleted else shown


def _content() -> st.SearchStrategy[dict[str, Any]]:
    words = st.sampled_from(WORDS)
    return st.one_of(
        st.fixed_dictionaries({"body": words}),
        st.fixed_dictionaries(
            {"body": st.sampled_from(["", *WORDS]), "attachments": st.just([FILE])}
        ),
    )


def _steps() -> st.SearchStrategy[list[dict[str, Any]]]:
    """Batches of events of two sources, in any order, and times at which threads are archived."""
    base = st.builds(
        lambda at, source, name, is_wrong: {
            "at": at,
            "source": source,
            "message": name,
            "thread": WRONG if is_wrong else THREADS[name],
        },
        TIMES,
        st.sampled_from(["shop"] * 7 + ["blog"]),
        st.sampled_from([*THREADS]),
        st.sampled_from([False] * 9 + [True]),
    )
    said = st.builds(
        lambda one, role: {"type": "message", "id": one.pop("message"), "role": role} | one,
        base,
        st.sampled_from(ROLES),
    )
    edit = base.map(lambda one: one | {"type": "message.edited"})
    deletion = base.map(lambda one: one | {"type": "message.deleted"})
    archive = st.just({"type": "archive"})
    said, edit = (st.builds(dict.__or__, one, _content()) for one in (said, edit))
    kinds = [said] * 4 + [edit] * 6 + [deletion, archive]
    return st.lists(st.sampled_from(kinds).flatmap(lambda kind: kind), min_size=8, max_size=24)


class World:
    """Two sources and their twins, which get the same events without edits and deletions."""

    def __init__(self, database: Database):
        self.database, self.clock = database, SettableClock()
        self.services = services_over(database, fakeredis.FakeRedis(), self.clock)
        number = next(_worlds)
        self.shops, self.twins = (
            {name: Shop(database, self.clock, f"{name}-{kind}-{number}") for name in SOURCES}
            for kind in ("own", "twin")
        )
        self.said: dict[str, dict[str, Said]] = {name: {} for name in self.shops}
        self.moments: list[tuple[int, dict[tuple[str, str], str]]] = []
        self.was_archived = False
        self.numbers = count(1)

    def take(self, step: dict[str, Any]) -> None:
        self.clock.advance(1_000)
        if step["type"] == "archive":
            self.archive()
            return
        source = step["source"]
        event = {key: value for key, value in step.items() if key not in ("source", "type", "at")}
        event.setdefault("id", f"e-{next(self.numbers)}")
        wanted = self.expected(source, step["type"], event, step["at"])
        for _ in range(2):
            outcome = self.send(self.shops[source], step, event)
            problem = outcome.problem.errors[0].code if outcome.problem else outcome.status
            assert problem == wanted, (step, wanted)
            wanted = "duplicate" if wanted == "created" else wanted
        if step["type"] == "message":
            self.send(self.twins[source], step, event)
        previews = {
            (name, thread): self.previewed(name, thread).name
            for name, said in self.said.items()
            for thread in {one.thread for one in said.values()}
        }
        self.moments.append((self.clock(), previews))

    def send(self, shop: Shop, step: dict[str, Any], event: dict[str, Any]) -> Outcome:
        if step["type"] == "message":
            return shop.send(message(step["at"], **event)).outcomes[0]
        return shop.send(thread_event(step["type"], step["at"], **event)).outcomes[0]

    def expected(self, source: str, type: str, event: dict[str, Any], at: int) -> str:
        """Takes the event into the model; returns its status, or the code of its refusal."""
        said = self.said[source]
        content = event.get("body", ""), event.get("attachments", [])
        if type == "message":
            one = said.get(event["id"])
            if one is None:
                said[event["id"]] = Said(event["id"], event["thread"], event["role"], at, *content)
                return "created"
            first = (one.thread, one.role, one.at, one.body, one.attachments)
            is_same = first == (event["thread"], event["role"], at, *content)
            return "duplicate" if is_same else "event_id_conflict"
        one = said.get(event["message"])
        if one is None:
            return "unknown_message"
        if one.role not in ("client", "bot") or one.thread != event["thread"]:
            return "unknown_value"
        one.edits.append((type == "message.deleted", at, event["id"], *content))
        return "created"

    def archive(self) -> None:
        """Closes all threads, and archives them a year later; a later message opens its thread."""
        self.was_archived = True
        for shop in (*self.shops.values(), *self.twins.values()):
            for thread in {one.thread for one in self.said[shop.name.split("-")[0]].values()}:
                shop.does("thread.close", 10, thread=thread, id=f"close-{next(self.numbers)}")
        self.clock.advance(365 * DAY_MS)
        Archiver(self.database, self.services.placer, self.clock, sleep=lambda seconds: None).turn()

    def previewed(self, source: str, thread: str) -> Said:
        ranks = {"client": 2, "admin": 1}
        of_thread = [one for one in self.said[source].values() if one.thread == thread]
        return max(of_thread, key=lambda one: (ranks.get(one.role, 0), one.at, one.name))

    def check(self) -> None:
        for shop in self.shops.values():
            # A fold of all stored events changes nothing.
            assert not any(shop.recorder.refold(shop.source_id))
        for source, said in self.said.items():
            for thread in {one.thread for one in said.values()}:
                self.check_thread(source, thread)
        self.check_search()
        self.check_past()

    def check_thread(self, source: str, thread: str) -> None:
        shop, twin = self.shops[source], self.twins[source]
        of_thread = [one for one in self.said[source].values() if one.thread == thread]
        # Those of one time are in the order of storing.
        wanted = [one.shown for one in sorted(of_thread, key=lambda one: one.at)]
        row = shop.row(thread)
        with self.database.read() as connection:
            part = conversations.part(connection, row["id"], None, 0, 100).messages
            public, _ = messages.public(connection, row["id"], None, 100)
            pushed = messages.changed_after(connection, row["id"], 0)
            has_file = subjects(connection, [row["id"]])[row["id"]].has_file
        for read in (part, public, sorted(pushed, key=lambda one: (one["at"], one["id"]))):
            assert [_shown(one) for one in read] == wanted
        assert row["preview"] == self.previewed(source, thread).preview
        assert has_file == any(
            one.attachments or any(files for *_, files in one.edits) for one in of_thread
        )
        other = twin.row(thread)
        differs = {"id", "rev", "source", "customer", "preview", "last_message_id"}
        assert {name: row[name] for name in row if name not in differs} == {
            name: other[name] for name in other if name not in differs
        }, "an edit changes no fact"

    def check_search(self) -> None:
        sources = {shop.source_id: name for name, shop in self.shops.items()}
        for word in (*WORDS, "elder"):
            with self.database.read() as connection:
                for source_id, source in sources.items():
                    for thread in {one.thread for one in self.said[source].values()}:
                        id = threads.id_of(connection, source_id, thread)
                        found = search.find_in_thread(connection, id, word)["matches"]
                        names = messages.external_ids(connection, [one["id"] for one in found])
                        assert set(names.values()) == self.having(source, thread, word)

    def having(self, source: str, thread: str, word: str) -> set[str]:
        return {
            one.name
            for one in self.said[source].values()
            if one.thread == thread and word in f"{one.shown[0]} {one.shown[1]}"
        }

    def check_past(self) -> None:
        """Past lists have the messages of then, with the texts of now."""
        for at, previews in self.moments:
            self.clock.advance(1)
            found = self.past(at)
            for (source, thread), name in previews.items():
                id = self.shops[source].row(thread)["id"]
                assert id in found or self.was_archived
                if id in found:
                    assert found[id]["preview"] == self.said[source][name].preview

    def past(self, at: int) -> dict[int, Any]:
        rows: list[Any] = []
        for view in ("arrival", "history"):
            with self.database.read() as connection:
                asked = named_lists.find_at(connection, ListName(view, "arrival", "all"), 0, at)
            rows += lists.part(self.database, asked, at, 1_000, None).rows
        return {row["id"]: row for row in rows}


def _shown(one: dict[str, Any]) -> tuple[str, list[dict[str, Any]], bool | None]:
    return one["body"], one["attachments"], one["edit"]["deleted"] if "edit" in one else None


def _live_through(database: Database, steps: list[dict[str, Any]]) -> None:
    database.write(lambda connection: versions.set_history_days(connection, 90))
    world = World(database)
    for step in steps:
        world.take(step)
    world.check()


@given(_steps())
@settings(max_examples=examples(80))
def test_all_readers_of_messages_agree_on_what_was_edited_and_deleted(database, steps):
    _live_through(database, steps)


@pytest.mark.postgres
@given(_steps())
@settings(max_examples=examples(40))
def test_on_postgres_too(postgres_database, steps):
    _live_through(postgres_database, steps)


def edited(name: str, at: int, body: str, **more: Any) -> Any:
    return thread_event("message.edited", at, message=name, body=body, **more)


def deleted(name: str, at: int, **more: Any) -> Any:
    return thread_event("message.deleted", at, message=name, **more)


def codes(shop: Shop, *events: Any) -> list[str]:
    """Posts a batch; returns the status, or the code of the refusal, of each event."""
    outcomes = shop.send(*events).outcomes
    return [one.problem.code if one.problem else one.status for one in outcomes]


def test_in_a_batch_an_edit_counts_after_its_message_and_is_refused_before(shop):
    early = edited("m-1", 3, "early", id="e-early")
    batch = [early, message(1, "first", id="m-1"), edited("m-1", 2, "second")]
    assert codes(shop, *batch) == ["unknown_message", "created", "created"]
    assert [one["body"] for one in shop.conversation()] == ["second"]
    assert (shop.row()["preview"]["body"], shop.row()["unanswered"]) == ("second", 1)
    assert codes(shop, early) == ["created"], "it was not stored, and may be posted again"
    assert shop.row()["preview"]["body"] == "early"


def test_nobody_edits_messages_of_admins_of_other_threads_or_of_other_sources(
    shop, actions, linh, any_database, clock
):
    shop.send(message(1, "hello", id="m-1"), message(2, "hi", id="m-2", role="admin"))
    reply, _ = actions.reply(linh, shop.row()["id"], Reply("answer", "tok"))
    before = shop.conversation()
    other = Shop(any_database, clock, "other")
    assert codes(other, edited("m-1", 5, "x"), deleted("m-1", 5)) == ["unknown_message"] * 2
    wrong = [
        edited("m-2", 5, "x"),
        deleted("m-1", 5, thread="t-2"),
        deleted(f"{reply.message['id']}", 5),
    ]
    assert codes(shop, *wrong) == ["unknown_value", "unknown_value", "unknown_message"]
    close = thread_event("thread.close", 6, id="c-1")
    assert codes(shop, close, deleted("c-1", 7)) == ["created", "unknown_value"]
    assert shop.conversation() == before


def test_the_texts_of_a_deleted_person_do_not_come_back_by_an_edit(shop):
    """Also where the message stays, empty, in the thread of another person."""
    shop.send(message(1, "mine", id="m-1"), message(2, "other", id="m-2", customer="d"))
    shop.send(edited("m-1", 3, "my secret"), edited("m-1", 4, "my last secret"))
    erase_customer(shop.database, NO_PLACER, OPERATOR, shop.name, "c", START_MS + 10)
    assert [one["body"] for one in shop.conversation()] == ["", "other"]
    assert codes(shop, edited("m-1", 20, "again"), deleted("m-1", 21)) == ["customer_erased"] * 2
    with shop.database.read() as connection:
        rows = connection.execute(select(events.c.body, events.c.attachments, events.c.data)).all()
    assert "secret" not in str(rows)
    lines = b"".join(Exporter(shop.database).lines())
    assert b"message.edited" not in lines and b"secret" not in lines
