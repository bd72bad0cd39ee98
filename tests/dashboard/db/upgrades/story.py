"""A database as of an earlier revision, with the threads of a desk at work."""

import shutil
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, insert, select, text

from dashboard.db import migrate, plain_postgres
from dashboard.db.accounts import api_keys, sessions
from dashboard.db.database import Database
from dashboard.db.lists import views
from dashboard.db.models.threads import threads
from dashboard.db.outbox import outgoing
from dashboard.db.queues import definitions, entries
from dashboard.db.queues.definitions import QueueDraft
from dashboard.ingest.actions import Actions, Admin
from dashboard.ingest.handing_out import HandingOut
from dashboard.ingest.replies import Reply
from scoring.facts import Facts
from scoring.sorts import SORTS
from tests.dashboard.db.upgrades.filler import reflected
from tests.dashboard.ingest.shop import Shop, new_admin
from tests.support import SettableClock

#: Columns of a thread that every schema has, or that revisions compute from its events.
_KEPT = (
    *("external_id", "closed", "recent_at", "waiting_since", "assignee_id", "assigned_at"),
    *("last_message_id", "last_role", "preview_role", "preview_body", "preview_at"),
    "has_file",
    *(name for name in Facts._fields if name in threads.c and "seen_id" not in name),
    *(f"score_{name}" for name in SORTS),
)


def tell(database: Database, clock: SettableClock) -> None:
    """Threads in all states, by events of a chatbot and acts on the dashboard, a view, and a queue
    that has handed out a thread."""
    shop, actions = Shop(database, clock), Actions(database, clock)
    mai = Admin(new_admin(database, "Mai", "supervisor"), "Mai", "supervisor")
    for number in range(14):
        fields = {"member_status": number % 6, "locale": "vi", "name": f"Khách {number}"}
        shop.says(number * 100, f"Xin chào {number}", thread=f"t-{number}",
                  customer=f"c-{number}", fields=fields)  # fmt: skip
    ids = {f"t-{number}": shop.row(f"t-{number}")["id"] for number in range(14)}
    for number in (1, 2, 3):
        actions.reply(mai, ids[f"t-{number}"], Reply("Chào bạn", f"tok-{number}"))
    actions.reply(mai, ids["t-4"], Reply("Ghi chú", "note", private=True))
    for number in (2, 5):
        actions.close(mai, ids[f"t-{number}"])
    actions.reopen(mai, ids["t-5"])
    actions.claim(mai, ids["t-6"])
    actions.set_priority(mai, ids["t-7"], "urgent")
    shop.says(5_000, "Vâng", thread="t-8", customer="c-8", role="admin")
    shop.does("thread.close", 5_100, thread="t-9")
    shop.does("thread.handoff", 5_200, thread="t-10")
    shop.does("thread.priority", 5_300, thread="t-11", priority="low")
    for number in (1, 9, 12):
        shop.says(6_000 + number, "Còn đó không?", thread=f"t-{number}", customer=f"c-{number}")
    file = {"url": "https://shop.example/a.png", "name": "hoá đơn.png"}
    shop.says(7_000, "Đây", thread="t-13", customer="c-13", attachments=[file])
    draft = views.Draft("Open", "is:open", "arrival", "UTC", mai.id)
    for write in (
        lambda c: sessions.begin(c, mai.id, clock()),
        lambda c: api_keys.create(c, shop.source_id, api_keys.SCOPES, None, 0),
        lambda c: views.create(c, draft, mai.id, clock()),
        lambda c: _add_queue(c, mai.id, clock()),
    ):
        database.write(write)
    handing_out = HandingOut(database, clock)
    while handing_out.fill():
        pass
    assert handing_out.pull(mai)[0] is not None
    database.write(lambda c: outgoing.assign_positions(c, clock()))


def _add_queue(connection: Connection, admin_id: int, now_ms: int) -> None:
    draft = views.Draft("Waiting", "is:waiting", "longest_wait", "UTC", None)
    view = views.create(connection, draft, admin_id, now_ms)
    draft = QueueDraft(view.id, "pull", None, 60, 0, 120, "waiting")
    definitions.create(connection, draft, admin_id, now_ms)
    entries.synchronize(connection)


def thread_rows(connection: Connection) -> dict[str, dict[str, Any]]:
    """The story's threads by the source's ids, with the columns that every schema has."""
    found = connection.execute(select(*(threads.c[name] for name in _KEPT)))
    rows = [dict(row) for row in found.mappings() if row["external_id"].startswith("t-")]
    return {row["external_id"]: row for row in rows}


def build(database: Database, told: Path, revision: str, folder: Path) -> None:
    """Upgrades an empty database to this revision, with the rows that the story `told` has there.

    The tables are those that the revisions up to this one make; the rows come from a copy of the
    story that was downgraded to it.
    """
    copy = Database(f"sqlite:///{shutil.copy(told, folder / 'story.sqlite')}")
    migrate.change_schema(copy, lambda connection: migrate.downgrade(connection, revision))
    with migrate.exclusive(database):
        migrate.change_schema(database, lambda c: migrate.upgrade(c, revision))
    with copy.read() as source:
        database.write(lambda connection: _copy(source, connection))
    copy.close()


def _copy(source: Connection, target: Connection) -> None:
    known, metadata = reflected(source), reflected(target)
    for table in reversed(metadata.sorted_tables):
        if _is_copied(table.name):
            target.execute(text(f"DELETE FROM {table.name}")) if table.name != "audit_log" else None
    for table in metadata.sorted_tables:
        if not _is_copied(table.name):
            continue
        rows = [dict(row) for row in source.execute(select(known.tables[table.name])).mappings()]
        if rows:
            target.execute(insert(table), rows)
        is_postgres = target.dialect.name == "postgresql"
        sequence = plain_postgres.sequence_of(target, table.name) if is_postgres else None
        if sequence is not None:
            last_id = max((row[sequence.column] for row in rows), default=0)
            plain_postgres.set_last_id(target, sequence, last_id + 10_000)


def _is_copied(name: str) -> bool:
    """The index of words differs by database; these tests search for nothing."""
    return name != "alembic_version" and "_search" not in name
