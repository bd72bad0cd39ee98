"""Suggestions and summaries of chatbots: what admins see of them, their outcomes, and that they
change nothing else."""

import shutil
from typing import Any

import pytest
from sqlalchemy import select

from dashboard.db.database import Database
from dashboard.db.models.history import thread_history
from dashboard.db.models.reports import report_facts
from dashboard.db.models.threads import events, suggestions, summaries, thread_acts, threads
from dashboard.db.reports.facts import KINDS
from dashboard.db.threads import suggestions as stored
from dashboard.errors import NotFound
from dashboard.ingest.actions import Actions, Reply
from dashboard.ingest.advising import WAITING_MAX
from dashboard.ingest.erase import erase_customer
from tests.dashboard.ingest.shop import Shop, message, new_admin, thread_event
from tests.dashboard.ingest.test_outbox import NoPlacer, Reader
from tests.dashboard.transfer.story import Story, state_of
from tests.drivers.audit import OPERATOR
from tests.support import SettableClock, examples


def suggestion(at: int, body: str = "Try this", about: str | int = "m-1", **given: Any):
    return thread_event("thread.suggestion", at, body=body, for_message=about, **given)


def summary(at: int, body: str = "It is about this", through: str | int = "m-1", **given: Any):
    return thread_event("thread.summary", at, body=body, through=through, **given)


class Desk:
    """A thread with a question, `m-1`, and the outcomes that its chatbot is told."""

    def __init__(self, shop: Shop, actions: Actions, admin: Any):
        self.shop, self.actions, self.admin = shop, actions, admin
        self.thread: int = shop.says(0, id="m-1").thread_id
        self.reader = Reader(shop)
        self.tokens = iter(map(str, range(1_000)))

    def post(self, *parsed) -> list[int]:
        """Posts events that are stored; returns the ids of them all."""
        outcomes = self.shop.send(*parsed).outcomes
        assert [one.status for one in outcomes] == ["created"] * len(parsed)
        names = [event.id for event in parsed]
        with self.shop.database.read() as connection:
            rows = connection.execute(select(events.c.external_id, events.c.id)).all()
        return [dict(map(tuple, rows))[name] for name in names]

    def answer(self, body: str, taken: int | None = None, **more: Any) -> int:
        reply = Reply(body, next(self.tokens), confirm=True, suggestion=taken, **more)
        return self.actions.reply(self.admin, self.thread, reply)[0].message["id"]

    def shown(self) -> stored.Advice | None:
        with self.shop.database.read() as connection:
            return stored.advice(connection, self.thread)

    def told(self) -> list[tuple[str, dict[str, Any]]]:
        """The outcomes that the chatbot is told, since the last call."""
        read = [one for one in self.reader.read() if one.type.startswith("suggestion.")]
        return [(one.type, {**one.data}) for one in read]

    def counted(self) -> list[tuple[int, int, int | None]]:
        rows = select(report_facts.c.kind, report_facts.c.at, report_facts.c.admin_id)
        with self.shop.database.read() as connection:
            return sorted(map(tuple, connection.execute(rows)))


@pytest.fixture
def desk(shop, actions, linh) -> Desk:
    return Desk(shop, actions, linh)


def test_a_thread_shows_the_last_suggestion_for_its_last_message_and_the_last_summary(desk):
    assert desk.shown() is None
    desk.post(suggestion(1))
    [second, long, _] = desk.post(suggestion(2, "Better"), summary(3), summary(2, "An older one"))
    question = desk.shop.conversation()[-1]
    assert desk.shown() == (
        {"id": second, "body": "Better", "for_message": question["id"]},
        {
            "id": long,
            "body": "It is about this",
            "through": question["id"],
            "through_at": question["at"],
        },
    )


@pytest.mark.parametrize(
    ("role", "moves_on"), [("client", True), ("bot", True), ("admin", True), ("system", False)]
)
def test_a_suggestion_is_shown_until_the_conversation_moves_on(desk, role, moves_on):
    desk.post(suggestion(1))
    desk.shop.says(2, role=role)
    assert (desk.shown().suggestion is None) == moves_on


@pytest.mark.parametrize("type", ["message.edited", "message.deleted"])
def test_an_edit_of_the_message_moves_the_conversation_on(desk, type):
    desk.post(suggestion(1))
    edit = thread_event(type, 2, message="m-1", **({"body": "?!"} if "edited" in type else {}))
    desk.post(edit)
    assert desk.shown().suggestion is None
    [newer] = desk.post(suggestion(3, "Better"))
    assert desk.shown().suggestion["id"] == newer


def test_a_dismissal_ends_earlier_suggestions_for_the_same_message(desk):
    [_, better] = desk.post(suggestion(1), suggestion(2, "Better"))
    desk.actions.dismiss_suggestion(desk.admin, desk.thread, better)
    assert desk.shown().suggestion is None
    assert [data["reason"] for _, data in desk.told()] == ["dismissed"] * 2


def test_notes_and_late_messages_do_not_move_a_conversation_on(desk):
    desk.post(suggestion(1))
    desk.answer("For the team", private=True)
    desk.shop.says(-5, "late")
    assert desk.shown().suggestion is not None
    assert desk.told() == []


def test_admins_messages_have_numbers_alone_and_each_message_may_be_named_by_its_number(desk):
    number = desk.answer("Hello")
    [one] = desk.post(suggestion(9_000_000_000, about=number))
    assert desk.shown().suggestion == {"id": one, "body": "Try this", "for_message": number}
    first = desk.shop.conversation()[0]["id"]
    desk.post(summary(9_000_000_001, through=first))
    assert desk.shown().summary["through"] == first


def test_advice_may_come_with_its_message_and_before_it_is_refused(shop):
    def outcomes(*parsed):
        return [one.problem and one.problem.code for one in shop.send(*parsed).outcomes]

    assert outcomes(message(0, id="m-1"), suggestion(1)) == [None, None]
    wrong = suggestion(2, about="m-2"), message(3, id="m-2"), summary(4, through="m-2")
    assert outcomes(*wrong) == ["unknown_value", None, None]
    assert outcomes(wrong[0]._replace(id="again")) == [None]


def test_advice_names_a_public_message_of_its_thread_and_its_source(desk, any_database, clock):
    note = desk.answer("For the team", private=True)
    desk.answer("Hello")
    desk.shop.says(1, id="m-9", thread="other")
    other = Shop(any_database, clock, "blog")
    other.says(0, id="b-1", thread="blog-1")
    for shop, event in (
        (desk.shop, suggestion(2, about="nothing")),
        (desk.shop, suggestion(2, about=note)),
        (desk.shop, suggestion(2, about=f"{desk.admin.id}:1")),
        (desk.shop, summary(2, through="m-9")),
        (desk.shop, suggestion(2, thread="unknown")),
        (other, suggestion(2)),
        (other, summary(2, through=desk.shop.conversation()[0]["id"])),
    ):
        [outcome] = shop.send(event).outcomes
        assert (outcome.status, outcome.problem.code) == ("rejected", "unknown_value")
        assert outcome.problem.errors[0].pointer in ("/for_message", "/through")
    assert desk.shown() is None
    assert desk.shop.count(threads) == 3, "a refused event adds no thread"
    assert other.send(suggestion(3, about="b-1", thread="blog-1")).outcomes[0].status == "created"


def test_the_same_advice_again_is_a_duplicate_and_tells_admins_once_more(desk):
    event = suggestion(1)
    first = desk.shop.send(event)
    again = desk.shop.send(event)
    assert [one.status for one in again.outcomes] == ["duplicate"]
    for result in (first, again):
        [placement] = result.placements
        assert (placement.thread_id, placement.lists) == (desk.thread, {}), "no list changes"
    assert desk.shop.count(suggestions) == 1


@pytest.mark.parametrize(
    ("body", "sent", "outcome"),
    [
        ("Try this", "Try this", "used"),
        ("One\r\ntwo ", " One\ntwo", "used"),
        ("Try this", "Try that", "edited"),
        ("Try this", "Try this now", "edited"),
    ],
)
def test_an_answer_tells_whether_a_suggestion_was_sent_as_it_was(desk, body, sent, outcome, clock):
    [one] = desk.post(suggestion(1, body, id="s-1"))
    number = desk.answer(sent, one)
    by = {"id": desk.admin.id, "name": "Linh"}
    data = {"thread_id": desk.thread, "by": by, "suggestion": "s-1"}
    assert desk.told() == [(f"suggestion.{outcome}", data | {"message_id": number, "body": sent})]
    assert desk.shown().suggestion is None
    at = desk.shop.conversation()[-1]["at"]
    assert desk.counted() == [(KINDS[outcome], at, desk.admin.id)]


def test_a_suggestion_with_a_file_added_is_edited(desk, any_database, monkeypatch):
    file = {"url": "/files/a", "type": None, "name": "a.png"}
    monkeypatch.setattr("dashboard.ingest.replies.taken", lambda *given: [file])
    [one] = desk.post(suggestion(1))
    desk.answer("Try this", one)
    assert [type for type, _ in desk.told()] == ["suggestion.edited"]


def test_an_answer_decides_all_suggestions_each_once(desk):
    names = ["s-old", "s-taken", "s-shown"]
    [_, taken] = desk.post(suggestion(1, id="s-old"), suggestion(2, id="s-taken"))
    desk.shop.says(3, id="m-2")
    desk.post(suggestion(4, id="s-shown", about="m-2"))
    number = desk.answer("Try this", taken)
    told = desk.told()
    assert [data["suggestion"] for _, data in told] == names
    assert [(type, data.get("reason")) for type, data in told] == [
        ("suggestion.ignored", "moved_on"),
        ("suggestion.used", None),
        ("suggestion.ignored", "answered"),
    ]
    assert {data["message_id"] for _, data in told} == {number}
    desk.answer("Once more", taken)
    desk.actions.dismiss_suggestion(desk.admin, desk.thread, taken)
    assert desk.told() == []
    assert len(desk.counted()) == 3


def test_the_outcome_comes_after_the_message_and_with_it(desk, monkeypatch):
    desk.post(suggestion(1))
    desk.answer("Try this")
    assert desk.reader.types() == ["message.created", "suggestion.ignored"]
    desk.shop.says(2, id="m-2")
    desk.post(suggestion(3, about="m-2"))

    def fails(*given):
        raise RuntimeError

    monkeypatch.setattr(stored, "decide", fails)
    with pytest.raises(RuntimeError):
        desk.answer("Lost")
    assert desk.reader.types() == []
    assert desk.shop.conversation()[-1]["body"] != "Lost"


def test_an_admin_dismisses_a_suggestion_for_all(desk, clock):
    [one] = desk.post(suggestion(1, id="s-1"))
    _, [placement] = desk.actions.dismiss_suggestion(desk.admin, desk.thread, one)
    assert (placement.thread_id, placement.lists) == (desk.thread, {})
    by = {"id": desk.admin.id, "name": "Linh"}
    data = {"thread_id": desk.thread, "by": by, "suggestion": "s-1", "reason": "dismissed"}
    assert desk.told() == [("suggestion.ignored", data)]
    assert desk.shown().suggestion is None
    assert desk.counted() == [(KINDS["ignored"], clock(), desk.admin.id)]
    with pytest.raises(NotFound):
        desk.actions.dismiss_suggestion(desk.admin, desk.thread, one + 1_000)
    elsewhere = desk.admin._replace(desks=frozenset({"sales"}))
    with pytest.raises(NotFound):
        desk.actions.dismiss_suggestion(elsewhere, desk.thread, one)


def test_an_answer_that_names_no_suggestion_of_the_thread_is_sent(desk):
    desk.shop.says(0, id="o-1", thread="other")
    [other] = desk.post(suggestion(1, about="o-1", thread="other"))
    desk.answer("Hello", other)
    desk.answer("Hello again", 10**9)
    assert desk.told() == []
    assert desk.shop.conversation()[-1]["body"] == "Hello again"


def test_of_many_suggestions_without_an_answer_the_oldest_are_ignored(desk, clock):
    for number in range(WAITING_MAX + 2):
        desk.post(suggestion(number + 1, id=f"s-{number}"))
    told = desk.told()
    assert [data["suggestion"] for _, data in told] == ["s-0", "s-1"]
    assert {(data["reason"], data["by"]) for _, data in told} == {("moved_on", None)}
    desk.answer("Hello")
    assert len(desk.told()) == WAITING_MAX


def whole(shop: Shop) -> dict[str, Any]:
    """All that is stored of threads but advice."""
    with shop.database.read() as connection:
        return {
            table.name: sorted(map(repr, connection.execute(select(table))))
            for table in (threads, thread_history, thread_acts)
        } | {"texts": sorted(map(repr, connection.exec_driver_sql("SELECT * FROM message_search")))}


def test_advice_changes_no_thread_no_history_and_no_search(desk, clock):
    desk.shop.says(5, role="bot")
    desk.actions.claim(desk.admin, desk.thread)
    before = whole(desk.shop)
    clock.advance(60_000)
    times = (-1_000, 1, 90_000)
    [one, *_] = desk.post(*map(suggestion, times), *map(summary, times))
    assert whole(desk.shop) == before
    desk.actions.dismiss_suggestion(desk.admin, desk.thread, one)
    assert whole(desk.shop) == before
    row = desk.shop.row()
    for _ in desk.shop.recorder.refold(desk.shop.source_id):
        pass
    assert desk.shop.row() | {"rev": row["rev"]} == row, "no stored fact comes from advice"


@pytest.mark.parametrize("seed", range(examples(12, gate=2)))
def test_a_story_with_advice_is_the_same_story(database, sqlite_at_head, tmp_path, seed):
    """No list, no order, no preview, no act and no fact depends on it."""
    other = Database(f"sqlite:///{shutil.copy(sqlite_at_head, tmp_path / 'other.sqlite')}")
    Story(other, SettableClock(), seed, advises=False).tell(60)
    story = Story(database, SettableClock(), seed).tell(60)
    assert story.advised > 10
    assert state_of(database) == state_of(other)
    other.close()


def test_a_new_admin_counts_with_their_own_outcomes(desk, any_database):
    """The parts of `admin` are by who decided."""
    other = desk.admin._replace(id=new_admin(any_database, "Ken"), name="Ken")
    [one] = desk.post(suggestion(1))
    desk.actions.dismiss_suggestion(other, desk.thread, one)
    assert [admin_id for _, _, admin_id in desk.counted()] == [other.id]


def test_erasing_a_customer_removes_advice_of_their_thread_and_about_their_messages(desk, clock):
    desk.shop.says(1, id="m-2", customer="d")
    desk.shop.says(2, id="o-1", thread="other", customer="d")
    [kept, *_] = desk.post(
        suggestion(3, about="o-1", thread="other"),
        suggestion(4, "She said so", about="m-2"),
        summary(5, "She said so", through="m-2"),
    )
    desk.answer("Hello")
    erase_customer(desk.shop.database, NoPlacer(), OPERATOR, "shop", "c", clock())
    with desk.shop.database.read() as connection:
        assert list(connection.scalars(select(suggestions.c.event_id))) == [kept]
        advice = events.c.type.in_(("thread.suggestion", "thread.summary"))
        bodies = connection.scalars(select(events.c.body).where(advice).order_by(events.c.id))
        assert list(bodies) == ["Try this", None, None]
    assert desk.shop.count(summaries) == 0
    assert desk.counted() == []
    erase_customer(desk.shop.database, NoPlacer(), OPERATOR, "shop", "d", clock())
    assert desk.shop.count(suggestions) == 0
