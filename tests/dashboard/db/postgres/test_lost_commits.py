"""A COMMIT is carried out, and its answer is lost: only idempotent work is repeated."""

import fakeredis
import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from dashboard.errors import OutcomeUnknown
from dashboard.files.uploads import Uploader
from dashboard.ingest.actions import Admin, Reply
from dashboard.ingest.schema import parse
from tests.dashboard.ingest.shop import new_admin
from tests.dashboard.ingest.test_traces import keys_with, rows_with
from tests.dashboard.ordering.order import Order
from tests.drivers.audit import OPERATOR

pytestmark = pytest.mark.postgres


@pytest.fixture
def order(postgres_database, clock) -> Order:
    return Order(postgres_database, fakeredis.FakeRedis(), clock)


@pytest.fixture
def lose_answer(order, monkeypatch):
    """Loses the answer to the next COMMIT of a write, with its connection; returns a list that then
    holds the connection."""
    dialect, lost = order.database.engine.dialect, []
    commit = dialect.do_commit

    def commit_and_lose(connection) -> None:
        driver = connection.dbapi_connection
        [is_write] = driver.execute("SELECT txid_current_if_assigned() IS NOT NULL").fetchone()
        commit(connection)
        if is_write and not lost:
            lost.append(connection)
            driver.close()
            raise psycopg.OperationalError("server closed the connection unexpectedly")

    def lose() -> list:
        monkeypatch.setattr(dialect, "do_commit", commit_and_lose)
        return lost

    return lose


def count(order: Order, table: str) -> int:
    with order.database.read() as connection:
        return connection.scalar(text(f"SELECT count(*) FROM {table}"))


def test_an_event_is_stored_once_and_accepted(order, lose_answer):
    """The transaction is repeated, and finds it. (F30)"""
    lost = lose_answer()
    sent = {"id": "e-1", "type": "message", "thread": "t", "role": "client", "body": "hello"}
    sent |= {"customer": {"id": "c"}, "occurred_at": "2026-11-20T10:00:00Z"}
    [outcome] = order.ingest.accept(order.source_id, [parse(sent)])
    assert lost and outcome.status == "duplicate"
    assert count(order, "events") == 1


def test_a_reply_is_stored_once_and_acknowledged(order, lose_answer):
    """F30"""
    linh = Admin(new_admin(order.database, "Linh"), "Linh")
    order.post("t", body="hello")
    lost = lose_answer()
    reply = Reply("hi", "token-1", False, None, True)
    result, _ = order.services.actions.reply(linh, 1, reply)
    assert lost and result.message["body"] == "hi"
    assert count(order, "events") == 2 and count(order, "outgoing_events") == 1


def test_a_webhook_is_made_once_and_its_caller_hears_that_this_is_unknown(order, lose_answer):
    lost = lose_answer()
    with pytest.raises(OutcomeUnknown) as raised:
        order.services.webhooks.create(OPERATOR, "shop", "https://bot.example/hook", None)
    assert lost and (raised.value.status, raised.value.code) == (503, "storage_unavailable")
    assert "nothing" not in raised.value.detail
    assert len(order.services.webhooks.listing()) == 1


def test_a_second_call_deletes_what_is_left_of_a_customer(order, lose_answer):
    """H30: the first call never learned that SQL had deleted the customer."""
    order.post("t", customer={"id": "zanzibar"})
    presence = order.services.presence_service
    presence.set_customer(order.source_id, "shop", "zanzibar", {"text": "zanzibarstatus"})
    assert keys_with(order, 1)
    lost = lose_answer()
    with pytest.raises(OutcomeUnknown):
        order.erase("zanzibar")
    assert lost and rows_with(order) == []
    assert order.erase("zanzibar") is None
    assert keys_with(order, 1) == []


def test_the_content_of_a_file_stays_whose_row_may_be_stored(order, lose_answer):
    linh = new_admin(order.database, "Linh")
    order.post("t", body="hello")
    services = order.services
    lost = lose_answer()
    with pytest.raises(OutcomeUnknown):
        services.uploads.receive(Uploader(linh, None), 1, "a.txt", [b"text"])
    assert lost
    with order.database.read() as connection:
        [id] = connection.scalars(text("SELECT id FROM files"))
    with services.file_store.open(id) as content:
        assert content.read() == b"text"


def test_a_change_of_which_the_repeat_fails_is_not_said_to_be_undone(
    order, lose_answer, monkeypatch
):
    """The database goes away between the COMMIT and the second try."""
    linh = Admin(new_admin(order.database, "Linh"), "Linh")
    order.post("t", body="hello")
    lost = lose_answer()
    engine = order.database.engine
    begin = engine.begin

    def refuse():
        if lost:
            raise OperationalError("", {}, psycopg.OperationalError("connection refused"))
        return begin()

    monkeypatch.setattr(engine, "begin", refuse)
    with pytest.raises(OutcomeUnknown):
        order.services.actions.claim(linh, 1)
    monkeypatch.undo()
    assert lost
    with order.database.read() as connection:
        assert connection.scalar(text("SELECT assignee_id FROM threads")) == linh.id


def test_a_thread_is_released_once(order, lose_answer, monkeypatch):
    """A queue may have given it to another admin since, who keeps it."""
    linh, lan = (Admin(new_admin(order.database, name), name) for name in ("Linh", "Lan"))
    sue = Admin(new_admin(order.database, "Sue"), "Sue", role="supervisor")
    order.post("t", body="hello")
    actions = order.services.actions
    actions.claim(linh, 1)
    lost = lose_answer()
    monkeypatch.setattr(order.database, "_sleep", lambda seconds: actions.claim(lan, 1))
    with pytest.raises(OutcomeUnknown):
        actions.release(sue, 1)
    actions.claim(lan, 1)
    with order.database.read() as connection:
        assert lost and connection.scalar(text("SELECT assignee_id FROM threads")) == lan.id
    assert count(order, "thread_acts") == 3
