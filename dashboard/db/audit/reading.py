"""Reads the audit log in parts, by what was done, by whom, to what and when."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, false, func, or_, select, tuple_

from dashboard.db.accounts import admins
from dashboard.db.audit.entries import ACTIONS
from dashboard.db.database import Database
from dashboard.db.models.accounts import admins as accounts
from dashboard.db.models.audit import audit_log
from dashboard.db.outbox.outgoing_document import timestamp
from dashboard.turns import turns
from scoring.conditions.folding import folded, plain

#: What actions have in common before the dot, such as `webhook`; asked for, it stands for all.
GROUPS: Mapping[str, Sequence[str]] = {
    group: [name for name in ACTIONS if name.partition(".")[0] == group]
    for group in dict.fromkeys(name.partition(".")[0] for name in ACTIONS)
}
KINDS = tuple(dict.fromkeys(action.target for action in ACTIONS.values()))
#: Entries that one query reads where all are read.
_PART = 500


class Filters(NamedTuple):
    """Which entries; None: any. `from_ms` is the first time, `to_ms` the first one after.

    `action` is the name of one or of a group; `actor` an admin's e-mail address, or a name;
    `target` a kind (`webhook`), one of a kind by id (`webhook:3`), or a name.
    """

    from_ms: int | None = None
    to_ms: int | None = None
    action: str | None = None
    actor: str | None = None
    target: str | None = None


class Position(NamedTuple):
    """The place of an entry: its time and its id."""

    at: int
    id: int


class Entry(NamedTuple):
    """An entry as it was stored."""

    id: int
    at: int
    action: str
    via: str
    admin_id: int | None
    actor_name: str
    actor_email: str | None
    address: str
    user_agent: str
    target_kind: str
    target_id: str | None
    target_name: str
    data: dict[str, Any]

    @property
    def position(self) -> Position:
        return Position(self.at, self.id)


_COLUMNS = tuple(audit_log.c[name] for name in Entry._fields)
_PLACE = tuple_(audit_log.c.at, audit_log.c.id)


def is_action(name: str) -> bool:
    """Whether there is such an action, or such a group of actions."""
    return name in ACTIONS or name in GROUPS


def page(
    connection: Connection,
    filters: Filters,
    limit: int,
    after: Position | None = None,
    *,
    oldest_first: bool = False,
) -> list[Entry]:
    """Up to `limit` entries behind `after`, newest first unless `oldest_first`."""
    order = (audit_log.c.at, audit_log.c.id)
    wanted = select(*_COLUMNS).where(*_conditions(connection, filters)).limit(limit)
    if oldest_first:
        wanted = wanted.order_by(*order)
    else:
        wanted = wanted.order_by(*(column.desc() for column in order))
    if after is not None:
        place = tuple_(*after)
        wanted = wanted.where(place < _PLACE if oldest_first else place > _PLACE)
    return [Entry(*row) for row in turns.each(connection.execute(wanted))]


def every(database: Database, filters: Filters) -> Iterator[Entry]:
    """All of them, the oldest first, read in parts: no transaction stays open meanwhile."""
    after: Position | None = None
    while True:
        with database.read() as connection:
            found = page(connection, filters, _PART, after, oldest_first=True)
        yield from found
        if len(found) < _PART:
            return
        after = found[-1].position


def actors(connection: Connection) -> Sequence[str]:
    """The e-mail addresses of all admins, to choose from."""
    return sorted(admin.email for admin in admins.listing(connection))


def _conditions(connection: Connection, filters: Filters) -> Iterator[ColumnElement[bool]]:
    if filters.from_ms is not None:
        yield audit_log.c.at >= filters.from_ms
    if filters.to_ms is not None:
        yield audit_log.c.at < filters.to_ms
    if filters.action is not None:
        yield _of_action(filters.action)
    if filters.actor is not None:
        yield _by(connection, filters.actor)
    if filters.target is not None:
        yield _to(filters.target)


def _of_action(name: str) -> ColumnElement[bool]:
    names = [name] if name in ACTIONS else GROUPS.get(name, ())
    return audit_log.c.action.in_(names) if names else false()


def _by(connection: Connection, actor: str) -> ColumnElement[bool]:
    """By the admin who has the address now, under whatever name and address; else by a name."""
    admin = admins.by_email(connection, actor)
    if admin is not None:
        return audit_log.c.admin_id == admin.id
    name = actor.strip().lower()
    same_address = audit_log.c.actor_email == name
    known = connection.scalars(select(accounts.c.name).distinct())
    alike = [one for one in known if folded(one) == folded(actor)]
    same_name = or_(func.lower(audit_log.c.actor_name) == name, audit_log.c.actor_name.in_(alike))
    return or_(same_name, same_address)


def _to(target: str) -> ColumnElement[bool]:
    kind, colon, id = target.partition(":")
    if kind in KINDS and (id or not colon):
        of_kind = audit_log.c.target_kind == kind
        return of_kind & (audit_log.c.target_id == id) if id else of_kind
    return func.lower(audit_log.c.target_name) == target.strip().lower()


#: Spreadsheets take a cell that begins so for a formula, after blanks and in any width.
_FORMULA = ("=", "+", "-", "@")
#: Spreadsheets cut these off, or begin another cell with them.
_BREAKS = ("\t", "\r", "\n")
#: By this spreadsheets know that a file is UTF-8.
_BYTE_ORDER_MARK = "\ufeff"
#: Columns of a row, in their order.
COLUMNS = Entry._fields


def csv_lines(entries: Sequence[Entry], *, with_head: bool) -> str:
    """As RFC 4180 says; no cell is a formula. The head begins the file, with a byte order mark."""
    file = io.StringIO()
    writer = csv.writer(file)
    if with_head:
        file.write(_BYTE_ORDER_MARK)
        writer.writerow(COLUMNS)
    for entry in turns.each(entries):
        values = _plain(entry) | {"data": json.dumps(entry.data, ensure_ascii=False)}
        writer.writerow([_cell(values[name]) for name in COLUMNS])
    return file.getvalue()


def json_lines(entries: Sequence[Entry]) -> str:
    """One object a line."""
    return "".join(
        f"{json.dumps(_plain(entry), ensure_ascii=False)}\n" for entry in turns.each(entries)
    )


def _plain(entry: Entry) -> dict[str, Any]:
    return entry._asdict() | {"at": timestamp(entry.at)}


def _cell(value: Any) -> str:
    text = "" if value is None else str(value)
    is_risky = text.startswith(_BREAKS) or plain(text).lstrip().startswith(_FORMULA)
    return f"'{text}" if is_risky else text
