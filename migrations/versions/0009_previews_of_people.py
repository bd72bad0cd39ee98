"""Rows show messages of people rather than messages of the chatbot and the system.

Threads with a row that shows a message of the chatbot or the system get the newest public message
of the customer or an admin, if there is one. Equal times are decided by the ids of the events, as
the product does; ids of the dashboard do not clash with a chatbot's.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import regex
import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

Json = sa.JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")
#: Number of threads in one read of messages.
SLICE = 500
#: Maximum number of code points in a preview, which ends between grapheme clusters.
LONGEST = 140
GRAPHEME = regex.compile(r"\X")

_CHANGED = """
    SELECT id FROM threads
    WHERE preview_role IN ('bot', 'system') AND EXISTS (
        SELECT 1 FROM events WHERE events.thread_id = threads.id
         AND (role = 'client' OR (role = 'admin' AND NOT private)))
    ORDER BY id
"""
_NEWEST = sa.text("""
    SELECT events.thread_id, events.id, events.external_id, ranked_at, role, body, attachments,
           events.source_id <> threads.source_id AS of_dashboard, threads.stamps
    FROM events JOIN threads ON threads.id = events.thread_id
    WHERE threads.id IN :ids AND (role = 'client' OR (role = 'admin' AND NOT private))
      AND ranked_at = (
        SELECT max(other.ranked_at) FROM events AS other WHERE other.thread_id = threads.id
         AND (other.role = 'client' OR (other.role = 'admin' AND NOT other.private)))
""").bindparams(sa.bindparam("ids", expanding=True))
_SAVE = sa.text("""
    UPDATE threads
    SET preview_role = :role, preview_body = :body, preview_at = :at, preview_event_id = :event,
        stamps = :stamps
    WHERE id = :thread
""").bindparams(sa.bindparam("stamps", type_=Json))


def upgrade() -> None:
    connection = op.get_bind()
    newest = _NEWEST.columns(attachments=Json, stamps=Json, of_dashboard=sa.Boolean)
    changed = list(connection.scalars(sa.text(_CHANGED)))
    for start in range(0, len(changed), SLICE):
        found = connection.execute(newest, {"ids": changed[start : start + SLICE]}).mappings()
        connection.execute(_SAVE, list(_previews(found)))


def downgrade() -> None:
    """Previews stay: the next message of anybody takes their place, as it did before."""


def _previews(found: Iterable[Mapping[str, Any]]) -> Iterable[dict[str, Any]]:
    last: dict[int, Mapping[str, Any]] = {}
    for event in found:
        known = last.get(event["thread_id"])
        if known is None or _name(event) > _name(known):
            last[event["thread_id"]] = event
    for thread, event in last.items():
        names = (each["name"] for each in event["attachments"] or ())
        yield {
            "thread": thread,
            "role": event["role"],
            "body": _cut(event["body"] or next(filter(None, names), "")),
            "at": event["ranked_at"],
            "event": event["id"],
            "stamps": event["stamps"] | {"preview": [event["ranked_at"], _name(event)]},
        }


def _name(event: Mapping[str, Any]) -> str:
    return f"/{event['external_id']}" if event["of_dashboard"] else event["external_id"]


def _cut(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    end = 0
    for cluster in GRAPHEME.finditer(text, 0, LONGEST + 1):
        if cluster.end() > LONGEST:
            break
        end = cluster.end()
    return text[: end or LONGEST]
