"""A filled database of each earlier schema is brought to head, and runs."""

import runpy
import shutil
from pathlib import Path

import fakeredis
import pytest
from sqlalchemy import MetaData, select, text

from dashboard.db import migrate
from dashboard.db.database import Database
from dashboard.db.migrate import bring_to_head
from dashboard.db.search.words import words
from scoring.conditions.folding import plain
from scoring.sorts import SORTS
from tests.dashboard.db.upgrades import filler, story
from tests.dashboard.ingest.shop import Shop
from tests.dashboard.ordering.order import Order
from tests.drivers.application import ApplicationDriver
from tests.drivers.bot import BotDriver
from tests.support import SettableClock

REVISIONS = sorted(migrate.known_revisions() - {migrate.head()})
#: The first schema, and the last one before desks: also in the gate.
IN_GATE = ("0001", "0016")
_BOTH = [
    pytest.param(revision, marks=[] if revision in IN_GATE else pytest.mark.slow)
    for revision in REVISIONS
]
VIEWS = ("arrival", "not_respond", "history")
#: Columns that revisions recompute for existing rows, on purpose.
COMPUTED = {
    "admins": {"preferences"},
    "threads": {
        *("revision", "placed_revision", "last_message_id", "last_role", "preview_event_id"),
        *("preview_role", "preview_body", "preview_at", "stamps"),
        *("unanswered", "next_call_at", "waiting_since", "closed"),
        *(f"score_{name}" for name in SORTS),
    },
    "events": {"seen_id"},
}


@pytest.fixture(scope="module")
def told(tmp_path_factory, sqlite_at_head: Path) -> Path:
    """A SQLite file with the story, at head."""
    path = tmp_path_factory.mktemp("told") / "story.sqlite"
    path.write_bytes(sqlite_at_head.read_bytes())
    database = Database(f"sqlite:///{path}")
    story.tell(database, SettableClock())
    database.close()
    return path


@pytest.mark.parametrize("revision", _BOTH)
def test_a_filled_database_of_an_earlier_schema_is_upgraded_and_runs(
    revision, empty_url, told, tmp_path, clock
):
    database = Database(empty_url)
    story.build(database, told, revision, tmp_path)
    added = database.write(filler.fill)
    with database.read() as connection:
        assert migrate.revision(connection) == revision, "it is of that revision"
    assert len(added) >= 7

    bring_to_head(database)

    _has_all_rows(database, added)
    _has_the_same_threads_and_lists(database, told, clock)
    _runs(database, clock, tmp_path)
    database.close()


def test_the_tables_of_queues_get_rows_by_the_filler_or_by_the_story(told, tmp_path):
    database = Database(f"sqlite:///{shutil.copy(told, tmp_path / 'story.sqlite')}")
    added = database.write(filler.fill)
    with database.read() as connection:
        tables = filler.reflected(connection).sorted_tables
        rows = {
            table.name: added.get(table.name) or connection.execute(select(table)).first()
            for table in tables
            if table.name.startswith(("queue", "place_watches"))
        }
    assert len(rows) == 9
    assert [name for name, some in rows.items() if not some] == []
    database.close()


def test_the_index_of_an_earlier_schema_finds_signs_as_the_one_of_today(empty_url, clock):
    """Its words are as if all had been stored today, and tags have one form."""
    database = Database(empty_url)
    bring_to_head(database)
    signs = [chr(code) for code in range(0x2E80) if plain(chr(code)) != chr(code)]
    signs += [*"〜ｶﾞ゠½㎧", "\u3164", "葛\U000e0100", "\ufe58", "\uff40"]
    signs = [sign for sign in signs if (sign.isprintable() and sign.strip()) or sign > "\u2000"]
    texts = [f"a{''.join(signs[at : at + 8])}b c{signs[at]}" for at in range(0, len(signs), 8)]
    # Each sign alone: a text is indexed again if it has only one of them.
    alone = "`’ʼ½ŀŉ‴‷⁗⅐↉⅟㎧㎮㏆㏞㏟゠｀—−～〜∶∗⋯\u0374\u0387\u1fef\u3164\u180b"
    texts += [f"a{sign}b" for sign in alone]
    texts += ["hasn’t", "nothing of that", "’ " * 300, "字" * 20]
    shop = Shop(database, clock)
    for at, said in enumerate(texts):
        shop.says(at, said, thread=f"t-{at}", customer=f"c-{at}", fields={"name": said[:200]})
    shop.does("thread.tags", 9_000, thread="t-0", add=["vip", "ガ"])
    today = _index(database)
    assert len(today) == 2 * len(texts)

    with migrate.exclusive(database):
        migrate.change_schema(database, lambda connection: migrate.downgrade(connection, "0035"))
    set_tags = text("UPDATE threads SET tags = :tags WHERE external_id = 't-0'")
    database.write(lambda c: c.execute(set_tags, {"tags": " ｖip カ\u3099 "}))
    cut_before = runpy.run_path(str(migrate.MIGRATIONS / "versions/0004_workspace.py"))["words"]
    ids = {said: ("message_search", at) for at, said in enumerate(texts, 1)}
    others = {ids[said] for said in texts if cut_before(said) != words(said)}
    found = {key for key, held in _index(database).items() if today[key] != held}
    assert {key for key in found if key[0] == "message_search"} == others, "it is that of 0035"
    assert len(others) > 60
    bring_to_head(database)

    assert _index(database) == today
    assert shop.row("t-0")["tags"] == ["vip", "ガ"]
    database.close()


def _index(database: Database) -> dict[tuple[str, int], str]:
    key = "rowid" if database.is_sqlite else "id"
    with database.read() as connection:
        return {
            (table, row[0]): row[1]
            for table in ("message_search", "customer_search")
            for row in connection.execute(text(f"SELECT {key}, words FROM {table}"))
        }


def _has_all_rows(database: Database, added: dict) -> None:
    """No value was lost or changed, in whatever table and column it stands now."""
    with database.read() as connection:
        metadata = MetaData()
        metadata.reflect(connection)
        for name, rows in added.items():
            table = metadata.tables[name]
            found = [dict(row) for row in connection.execute(select(table)).mappings()]
            for row in rows:
                kept = row.keys() & set(table.columns.keys()) - COMPUTED.get(name, set())
                expected = {column: row[column] for column in kept}
                same = [each for each in found if {c: _plain(each[c]) for c in kept} == expected]
                assert len(same) == 1, (name, expected)


def _plain(value):
    return bytes(value) if isinstance(value, memoryview) else value


def _has_the_same_threads_and_lists(database: Database, told: Path, clock: SettableClock) -> None:
    right = Database(f"sqlite:///{told}")
    with right.read() as before, database.read() as now:
        expected, found = story.thread_rows(before), story.thread_rows(now)
    assert found.keys() == expected.keys() and len(expected) == 14
    for name, row in expected.items():
        assert found[name] == row, name
    lists = [_lists(each, clock) for each in (right, database)]
    assert lists[0] == lists[1]
    right.close()


def _lists(database: Database, clock: SettableClock) -> dict[tuple[str, str], list[str]]:
    shop = Shop(database, clock)
    return {
        (view, sort): [name for name in shop.listed(view, sort) if name.startswith("t-")]
        for view in VIEWS
        for sort in SORTS
    }


def _runs(database: Database, clock: SettableClock, folder: Path) -> None:
    order = Order(database, fakeredis.FakeRedis(), clock)
    assert order.tick() and order.differences() == []
    bot = BotDriver(order)
    event = {
        "id": "after", "type": "message", "thread": "t-3", "occurred_at": "2026-11-20T10:00:00Z",
        "role": "client", "customer": {"id": "c-3"}, "body": "Chào lại",
    }  # fmt: skip
    assert bot.post(event).status_code == 201
    assert order.tick(2) and order.differences() == []
    dashboard = ApplicationDriver(database, clock, folder)
    linh = dashboard.sign_in("Linh", "supervisor")
    id = Shop(database, clock).row("t-3")["id"]
    found = linh.get(f"/admin/api/threads/{id}/messages").json
    assert [each["body"] for each in found["messages"]] == ["Xin chào 3", "Chào bạn", "Chào lại"]
    sent = linh.post(f"/admin/api/threads/{id}/replies", json={"body": "Vâng", "token": "tok"})
    assert sent.status_code == 201, sent.json


@pytest.mark.postgres
def test_no_statement_of_an_upgrade_is_cut_off(postgres_database):
    """Other statements are cut off after 15 s; an index of millions of rows takes longer."""
    found = []
    show = text("SHOW statement_timeout")
    migrate.change_schema(postgres_database, lambda c: found.append(c.scalar(show)))
    assert found == ["0"]
