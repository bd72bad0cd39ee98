"""An import equals its export: threads, order, conversations, and the next export."""

import json
from typing import Any

import pytest
from sqlalchemy import func, select, text

from dashboard.db.models.threads import events
from dashboard.db.models.webhooks import outgoing_events
from dashboard.db.threads import suggestions
from dashboard.ingest.actions import Actions, Admin, Reply
from dashboard.ingest.advising import WAITING_MAX
from dashboard.transfer import exporting, importing
from dashboard.transfer.exporting import Exporter
from tests.dashboard.ingest.shop import Shop, new_admin, thread_event
from tests.dashboard.transfer.story import Story, advice_of, state_of
from tests.support import examples


@pytest.mark.parametrize("seed", range(examples(12, gate=2)))
def test_an_export_that_is_imported_gives_the_same_threads_lists_and_export(
    any_database, new_database, transfer, clock, seed, monkeypatch
):
    Story(any_database, clock, seed).tell(90)
    lines = transfer.exported(any_database)
    kinds = {next(iter(json.loads(line))) for line in lines}
    assert kinds == {"format", "desk", "source", "admin", "thread", "event", "note", "outcome"}
    assert any(b'"seen"' in line for line in lines) and len(lines) > 150
    # Threads go on in the next batch, and several are in one.
    monkeypatch.setattr(importing, "BATCH", 7 + 40 * seed)
    clock.advance(3_600_000)
    other = new_database()
    imported = transfer.imported(other, lines)
    assert (imported.duplicates, imported.refused) == (0, 0)
    assert imported.created == sum(line.startswith(b'{"event"') for line in lines)
    assert transfer.exported(other) == lines
    before, after = state_of(any_database), state_of(other)
    _is_the_same(after, before)
    assert advice_of(other) == advice_of(any_database)


@pytest.mark.postgres
@pytest.mark.parametrize("to", ["postgres", "sqlite"])
def test_what_one_kind_of_database_exports_the_other_imports(
    database, postgres_database, transfer, clock, to
):
    here, there = database, postgres_database
    if to == "sqlite":
        here, there = there, here
    Story(here, clock, 4).tell(90)
    lines = transfer.exported(here)
    clock.advance(3_600_000)
    imported = transfer.imported(there, lines)
    assert (imported.duplicates, imported.refused) == (0, 0)
    assert transfer.exported(there) == lines
    _is_the_same(state_of(there), state_of(here))


@pytest.mark.postgres
def test_the_order_of_lines_does_not_depend_on_the_databases_order_of_texts(
    postgres_database, transfer, clock
):
    """As in a database that was made for a language: “_” before digits."""
    order = 'ALTER TABLE admins ALTER email TYPE VARCHAR(254) COLLATE "und-x-icu"'
    postgres_database.write(lambda c: c.execute(text(order)))
    Shop(postgres_database, clock).says(0, thread="t")
    for name in ("a_b", "a1b"):
        author = Admin(new_admin(postgres_database, name), name)
        Actions(postgres_database, clock).reply(author, 1, Reply("Hi", name))
    lines = map(json.loads, transfer.exported(postgres_database))
    names = [line["admin"] for line in lines if "admin" in line]
    assert names == ["a1b@desk.example", "a_b@desk.example"]


def test_an_export_while_events_are_stored_is_of_one_moment(
    any_database, new_database, transfer, clock, monkeypatch
):
    story = Story(any_database, clock, 4).tell(30)
    # As with more threads and events: each statement reads only a few.
    monkeypatch.setattr(exporting, "SLICE", 2)
    monkeypatch.setattr(exporting, "ROWS", 5)
    before, state = transfer.exported(any_database), state_of(any_database)
    lines = []
    for line in Exporter(any_database).lines():
        lines.append(line)
        if len(lines) % 15 == 1:
            story.tell(2)
    assert len(transfer.exported(any_database)) > len(before) + 20, "they were stored meanwhile"
    assert lines == before
    other = new_database()
    assert transfer.imported(other, lines).refused == 0
    assert transfer.exported(other) == before
    _is_the_same(state_of(other), state)


def test_redis_holds_the_lists_of_what_was_imported(
    any_database, new_database, transfer, clock, monkeypatch
):
    """Also of threads that a batch wrote several times."""
    Story(any_database, clock, 5).tell(60)
    other = new_database()
    services = transfer.services(other)
    services.rebuilder.rebuild(services.rebuilder.list_ids())
    monkeypatch.setattr(importing, "BATCH", 30)
    transfer.imported(other, transfer.exported(any_database))
    again = transfer.services(other)
    assert list(again.diff.differences(again.rebuilder.list_ids())) == []


def test_an_import_that_was_cut_off_goes_on_when_it_is_run_again(
    any_database, new_database, transfer, clock, monkeypatch
):
    Story(any_database, clock, 3).tell(60)
    lines = transfer.exported(any_database)
    monkeypatch.setattr(importing, "BATCH", 20)
    other = new_database()
    transfer.imported(other, lines[: len(lines) // 2])
    transfer.imported(other, lines[: len(lines) - 30])
    imported = transfer.imported(other, lines)
    assert 0 < imported.created <= 51 and imported.duplicates > 0
    assert transfer.exported(other) == lines
    _is_the_same(state_of(other), state_of(any_database))
    assert transfer.imported(other, lines).created == 0


def test_an_import_tells_chatbots_nothing(any_database, new_database, transfer, clock):
    Story(any_database, clock, 2).tell(60)
    other = new_database()
    transfer.imported(other, transfer.exported(any_database))
    with other.read() as connection:
        assert connection.scalar(select(func.count()).select_from(events)) > 100
        assert connection.scalar(select(func.count()).select_from(outgoing_events)) == 0


def _is_the_same(after: dict[str, Any], before: dict[str, Any]) -> None:
    acts = before.pop("acts")
    for name, values in before.items():
        assert after[name] == values, name
    for thread, expected in acts.items():
        assert set(expected) <= set(after["acts"][thread]), thread


def test_suggestions_keep_their_outcomes_however_many_a_thread_has(
    any_database, new_database, transfer, clock
):
    """They come after all events of the file: none may be ended before, and no chatbot told."""
    shop = Shop(any_database, clock)
    linh = Admin(new_admin(any_database, "Linh"), "Linh")
    actions = Actions(any_database, clock)
    thread = shop.says(0, id="m-1").thread_id
    for number in range(WAITING_MAX + 2):
        said = f"Answer {number}"
        advice = thread_event("thread.suggestion", number + 1, body=said, for_message="m-1")
        shop.send(advice)
        with any_database.read() as connection:
            [taken] = [one.id for one in suggestions.undecided(connection, thread)]
        actions.reply(linh, thread, Reply(said, f"t-{number}", confirm=True, suggestion=taken))
    lines = transfer.exported(any_database)
    other = new_database()
    assert transfer.imported(other, lines).refused == 0
    assert transfer.exported(other) == lines
    with other.read() as connection:
        assert connection.scalar(select(func.count()).select_from(outgoing_events)) == 0
