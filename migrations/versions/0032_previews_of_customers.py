"""Rows show the newest message of the customer, even if an admin has answered since.

Threads with a row that shows an admin's message get the newest message of the customer, if there is
one. Equal times are decided by the ids of the events, compared by code point, as the product does.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import regex
import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0032"
down_revision = "0031"
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
    WHERE preview_role = 'admin' AND EXISTS (
        SELECT 1 FROM events WHERE events.thread_id = threads.id AND role = 'client')
    ORDER BY id
"""
_NEWEST = sa.text("""
    SELECT events.thread_id, events.id, events.external_id, ranked_at, body, attachments,
           threads.stamps
    FROM events JOIN threads ON threads.id = events.thread_id
    WHERE threads.id IN :ids AND role = 'client' AND ranked_at = (
        SELECT max(other.ranked_at) FROM events AS other
        WHERE other.thread_id = threads.id AND other.role = 'client')
""").bindparams(sa.bindparam("ids", expanding=True))
_SAVE = sa.text("""
    UPDATE threads
    SET preview_role = 'client', preview_body = :body, preview_at = :at, preview_event_id = :event,
        stamps = :stamps
    WHERE id = :thread
""").bindparams(sa.bindparam("stamps", type_=Json))


def upgrade() -> None:
    connection = op.get_bind()
    newest = _NEWEST.columns(attachments=Json, stamps=Json)
    changed = list(connection.scalars(sa.text(_CHANGED)))
    for start in range(0, len(changed), SLICE):
        found = connection.execute(newest, {"ids": changed[start : start + SLICE]}).mappings()
        connection.execute(_SAVE, list(_previews(found)))


def downgrade() -> None:
    """Previews stay: the next message of the customer or an admin takes their place, as before."""


def _previews(found: Iterable[Mapping[str, Any]]) -> Iterable[dict[str, Any]]:
    last: dict[int, Mapping[str, Any]] = {}
    for event in found:
        known = last.get(event["thread_id"])
        if known is None or event["external_id"] > known["external_id"]:
            last[event["thread_id"]] = event
    for thread, event in last.items():
        names = (each["name"] for each in event["attachments"] or ())
        yield {
            "thread": thread,
            "body": _cut(event["body"] or next(filter(None, names), "")),
            "at": event["ranked_at"],
            "event": event["id"],
            "stamps": event["stamps"] | {"preview": [event["ranked_at"], event["external_id"]]},
        }


def _cut(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    end = 0
    for cluster in GRAPHEME.finditer(text, 0, LONGEST + 1):
        if cluster.end() > LONGEST:
            break
        end = cluster.end()
    return text[: end or LONGEST]
