"""Indexes name the threads of a query that asks for something rare: all of them, and few others."""

from typing import Any

import pytest
from hypothesis import given, settings
from sqlalchemy import event, insert

from dashboard.db import conditions
from dashboard.db.conditions import Candidates
from dashboard.db.database import Database
from dashboard.db.models.threads import events, mentions, threads
from tests.dashboard.db.conditions.test_where import THREADS, Facts, found, resolved, stored
from tests.scoring.conditions import worlds
from tests.scoring.conditions.oracle import ADMINS, World
from tests.support import examples

WORLD = World(worlds.NOW, 1, "UTC")
#: Queries that an index can answer, and queries that none can.
ANSWERED = (
    "mentions:me",
    "mentions:me,lan@desk.example -is:open",
    "assigned:me",
    "assigned:mai@desk.example waits:>10m",
    "(assigned:me or mentions:me)",
    "-(is:open or assigned:none)",
    "closed:2026-02-28",
    "closed:<2026-02-28",
    "is:open",
    "-is:closed priority:high",
    "is:snoozed",
    "is:waiting",
    "waits:<1h",
    "tag:vip",
    "lang:vi",
    "lang:en,pt-BR -is:waiting",
    "lang:ja",
    "assigned:me -assigned:me",
)
UNANSWERED = (
    "",
    "assigned:none,me",
    "assigned:anyone",
    "-assigned:me",
    "mentions:none",
    "tag:none,vip",
    "-is:waiting",
    "due:<1h",
    "(assigned:me or priority:high)",
    "lang:vi,none",
    "-lang:vi",
    "source:shop member:1 desk:sales last:bot quiet:>1h age:>1h",
)


@pytest.fixture
def facts(any_database, monkeypatch) -> Facts:
    """Threads with stored mentions; here an index may name any share of the threads."""
    monkeypatch.setattr(conditions, "SHARE", 1)
    known = stored(any_database, "UTC")
    any_database.write(lambda connection: _mention(connection, known))
    return known


def _mention(connection: Any, facts: Facts) -> None:
    """A read mention of everybody in each thread, and the unread ones that its column names."""
    note = {"type": "message", "source_id": 11, "fingerprint": b"", "occurred_at": 0}
    note |= {"received_at": 0, "ranked_at": 0}
    ids = [*facts, *(THREADS + id for id in facts)]
    rows = [note | {"id": id, "external_id": f"e{id}"} for id in ids]
    connection.execute(insert(events), rows)
    named = [
        {"event_id": id + (THREADS if read_at is None else 0), "thread_id": id, "read_at": read_at}
        | {"admin_id": admin, "name": "A", "at": 0}
        for id in facts
        for admin in ADMINS.values()
        for read_at in ([0, None] if str(admin) in facts[id]["mentioned"] else [0])
    ]
    connection.execute(insert(mentions), named)


def asked(database: Database, text: str, of: int = THREADS) -> list[int] | None:
    with database.read() as connection:
        return Candidates(of).of(connection, resolved(text, WORLD))


def test_all_threads_of_a_query_are_named(any_database, facts):
    @settings(max_examples=examples(80))
    @given(worlds.texts(WORLD))
    def check(text: str) -> None:
        ids = asked(any_database, text)
        if ids is not None:
            assert set(ids) >= found(any_database, resolved(text, WORLD), WORLD.now)
            assert ids == sorted(set(ids))

    check()


@pytest.mark.parametrize("text", ANSWERED)
def test_an_index_answers(any_database, facts, text):
    ids = asked(any_database, text)
    assert ids is not None and len(ids) < THREADS
    assert set(ids) >= found(any_database, resolved(text, WORLD), WORLD.now)


def test_no_index_answers(any_database, facts):
    assert {text: asked(any_database, text) for text in UNANSWERED} == dict.fromkeys(UNANSWERED)


def test_what_too_many_threads_have_is_not_named(any_database, facts, monkeypatch):
    """Neither for one query nor for all together; and SQL is not asked again."""
    mine, snoozed = asked(any_database, "assigned:me"), asked(any_database, "is:snoozed")
    assert mine and snoozed and len(mine) < len(snoozed)
    monkeypatch.setattr(conditions, "SHARE", 3)
    candidates, statements = Candidates(3 * len(mine)), []
    event.listen(any_database.engine, "before_cursor_execute", lambda *args: statements.append(1))
    with any_database.read() as connection:

        def of(text: str) -> list[int] | None:
            return candidates.of(connection, resolved(text, WORLD))

        assert of("assigned:me") == mine
        assert of("is:snoozed") is None
        count = len(statements)
        assert of("is:snoozed priority:high") is None and len(statements) == count
        # Another index names fewer threads.
        assert of("is:snoozed assigned:me") == of("is:snoozed assigned:me") == mine
        assert of("assigned:me") is None
        assert of("closed:<2000-01-02") == []


@pytest.mark.parametrize(
    ("text", "index"),
    [
        ("mentions:me", "ix_mentions_unread (admin_id=?)"),
        ("assigned:me", "COVERING INDEX ix_threads_assigned (assignee_id=? AND archived=?)"),
        ("closed:2026-02-28", "ix_threads_closed (archived=? AND closed=? AND closed_at>? AND"),
        ("is:open", "COVERING INDEX ix_threads_closed (archived=? AND closed=?)"),
        ("is:waiting", "ix_threads_due_version (due_version>?)"),
        ("tag:vip", "ix_threads_tagged"),
    ],
)
def test_only_the_part_of_an_index_is_read(database, text, index):
    statements = []
    with database.read() as connection:
        event.listen(connection, "before_cursor_execute", lambda *args: statements.append(args))
        Candidates(THREADS).of(connection, resolved(text, WORLD))
        for _, _, statement, given, *_ in [*statements]:
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", given)
            [step] = [row[3] for row in plan]
            assert index in step
    assert statements


def test_archived_threads_are_not_those_of_an_admin(any_database, facts):
    ids = asked(any_database, "assigned:me")
    assert ids
    archive = threads.update().where(threads.c.id == ids[0]).values(archived=True)
    any_database.write(lambda connection: connection.execute(archive))
    assert asked(any_database, "assigned:me") == ids[1:]
