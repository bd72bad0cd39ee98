"""Rows for the tables of any revision, by what the database says of their columns.

Each table gets two rows: one with a value in every column, one in which all that may be null is.
"""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Connection,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    insert,
)

#: The ids of the rows; those of the story are smaller.
FIRST_ID = 1_000
#: A time before the story, in ms.
AT_MS = 1_700_000_000_000
#: Tables of one row, which revisions fill; tables with texts in a syntax of their own; and tables
#: that the database fills by itself. The story has rows for them.
LEFT_OUT = {
    *("alembic_version", "outgoing_head", "query_lists_version", "views_version", "sorts_version"),
    *(
        "query_lists",
        "sorts",
        "views",
        "view_orders",
        "view_changes",
        "policies",
        "calendars",
        "desks",
        "epochs",
        *("queues", "queue_state", "queue_lists", "queue_entries", "queue_hand_outs"),
    ),
    *("message_search", "customer_search"),
}
#: Values of the columns that do not take any text or number.
VALUES: Mapping[str, Any] = {
    "attachments": [{"url": "https://shop.example/a.png", "type": None, "name": "hoá đơn.png"}],
    "desk": "main",
    "desks": "main",
    "events": ["message.created"],
    "handoff_only": False,
    "locale": "vi",
    "member_status": 3,
    "preferences": {"page": "history", "notify": {"pages": ["arrival"]}},
    "preview_role": "client",
    "priority": "high",
    "private": False,
    "role": "client",
    "scopes": ["read"],
    "state": "done",
    "timezone": "UTC",
    "type": "message",
    "url": "https://bot.example",
    "wake": "reply",
}
#: The same for a column of one table.
VALUES_OF: Mapping[tuple[str, str], Any] = {
    ("admins", "role"): "admin",
    ("invitations", "role"): "admin",
    ("thread_acts", "type"): "thread.closed",
    ("thread_acts", "data"): {},
    ("threads", "closed"): False,
    ("threads", "last_role"): "client",
    ("threads", "mentioned"): None,
    ("threads", "next_change_at"): None,
    ("threads", "snoozed_until"): None,
    ("threads", "tags"): " vip ",
    ("threads", "take_until"): None,
    ("place_watches", "told"): None,
    ("queue_admins", "status"): "online",
    ("queue_admins", "shown_status"): "offline",
}


def fill(connection: Connection) -> dict[str, list[dict[str, Any]]]:
    """Adds the rows; returns them by table."""
    metadata = reflected(connection)
    added: dict[str, list[dict[str, Any]]] = {}
    for table in metadata.sorted_tables:
        if table.name not in LEFT_OUT and "_search_" not in table.name:
            rows = [_row(table, number) for number in range(2)]
            for row in rows:
                connection.execute(insert(table).values(row))
            added[table.name] = rows
    return added


def reflected(connection: Connection) -> MetaData:
    """The tables as they are; a JSON column without a value is NULL, as the product writes it."""
    metadata = MetaData()
    metadata.reflect(connection)
    for table in metadata.sorted_tables:
        for column in table.columns:
            if isinstance(column.type, JSON):
                column.type.none_as_null = True
    return metadata


def _row(table: Table, number: int) -> dict[str, Any]:
    is_bare = number == 1
    return {
        column.name: None if is_bare and column.nullable else _value(table, column, number)
        for column in table.columns
    }


def _value(table: Table, column: Column, number: int) -> Any:
    for key in column.foreign_keys:
        target = key.column
        if target.table.name == "desks":
            return "main"
        return _value(target.table, target, number)
    name = column.name
    if (table.name, name) in VALUES_OF:
        return VALUES_OF[table.name, name]
    if name in VALUES:
        return VALUES[name]
    kind = column.type
    if isinstance(kind, JSON):
        return {}
    if isinstance(kind, Boolean):
        return True
    if isinstance(kind, LargeBinary):
        return f"{table.name} {name} {number}".encode().ljust(32)[:32]
    if isinstance(kind, String):
        return f"{name}-{number}"[: kind.length or 20]
    assert isinstance(kind, Integer), f"{table.name}.{name} is {kind!r}"
    if name == "id" or name.endswith("_id"):
        return FIRST_ID + number
    return AT_MS + number if name.endswith(("at", "since", "until", "seen")) else 1 + number
