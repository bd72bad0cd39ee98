"""Revision 0007: what earlier acts had seen, and the facts that follow."""

from typing import Any

from sqlalchemy import select, text

from dashboard.db import migrate
from dashboard.db.database import Database
from dashboard.db.models.threads import threads
from dashboard.ingest.actions import Actions, Admin, Reply
from tests.dashboard.ingest.shop import Shop, new_admin

_SETTLED_BY_TIME = """
    UPDATE threads SET unanswered = 0, next_call_at = NULL, waiting_since = NULL,
        closed = (external_id = 'closed'), score_longest_wait = 1, score_priority = 1
    WHERE external_id IN ('answered', 'closed')
"""
#: Any id between those of the last seen event and of the act means the same.
_SAME_IN_EFFECT = {"revision": 0, "listed_at": 0, "answer_seen_id": 0, "close_seen_id": 0}


def test_acts_from_before_they_said_what_was_seen_count_as_having_seen_what_was_stored(
    any_database, clock
):
    """Threads get the facts of their stored events. (H28)"""
    shop, actions = Shop(any_database, clock), Actions(any_database, clock)
    linh = Admin(new_admin(any_database, "Linh"), "Linh")
    times = list(range(1, 12))
    for name in ("answered", "closed", "waiting", "by-api", "reopened"):
        shop.says(times.pop(), thread=name, customer=name, fields={"member_status": 3})
    for name in ("answered", "reopened"):
        actions.reply(linh, shop.row(name)["id"], Reply("Hello", f"tok-{name}"))
    for name in ("closed", "reopened"):
        actions.close(linh, shop.row(name)["id"])
    actions.reopen(linh, shop.row("reopened")["id"])
    shop.does("thread.close", 50, thread="by-api")
    shop.says(60, thread="by-api", customer="by-api", role="admin")
    for name in ("answered", "closed", "by-api"):
        shop.says(40, thread=name, customer=name)
    actions.reply(linh, shop.row("answered")["id"], Reply("Note", "tok", private=True))
    right = _stored_threads(any_database)
    any_database.write(lambda c: migrate.downgrade(c, "0006"))
    # What the earlier release had made of the same events.
    any_database.write(lambda c: c.execute(text(_SETTLED_BY_TIME)))
    migrate.bring_to_head(any_database)
    upgraded = _stored_threads(any_database)
    changed = {"answered", "closed"}
    for name, row in upgraded.items():
        grown = row["revision"] - right[name]["revision"]
        assert grown == (name in changed), name
        assert _comparable(row) == _comparable(right[name]), name
    assert [place for slice in shop.recorder.refold(shop.source_id) for place in slice] == []


def _comparable(row: dict[str, Any]) -> dict[str, Any]:
    return row | _SAME_IN_EFFECT


def _stored_threads(database: Database) -> dict[str, dict[str, Any]]:
    with database.read() as connection:
        rows = connection.execute(select(threads)).mappings().all()
    return {row["external_id"]: dict(row) for row in rows}
