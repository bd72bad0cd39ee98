"""The audit log: its actions and entries, reading them, and their lines as a file."""

import csv
import io
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, false, func, insert, or_, select, tuple_

from dashboard.db.accounts import admins
from dashboard.db.accounts.api_keys import prefix_of
from dashboard.db.database import Database
from dashboard.db.models.accounts import admins as accounts
from dashboard.db.models.accounts import audit_log
from dashboard.db.outbox.outgoing import timestamp
from dashboard.turns import turns
from dashboard.validation.strict_json import JsonObject
from scoring.conditions.folding import folded, plain

#: Origin: a page of Lineup, a command of `app.py`, or the provider of accounts (OIDC).
PAGE, COMMAND, PROVIDER = "page", "command", "provider"
VIAS = (PAGE, COMMAND, PROVIDER)


class Actor(NamedTuple):
    """The person or program that acted, and its origin.

    In the page: the admin, the caller's IP address and the browser's user agent; without an admin,
    nobody has signed in yet. A command: the operating system's user, and the name of the machine.
    """

    via: str
    admin_id: int | None = None
    name: str = ""
    email: str | None = None
    address: str = ""
    user_agent: str = ""


class Action(NamedTuple):
    """A kind of action: the kind of its target, and the names of the fields of an entry."""

    name: str
    target: str
    fields: frozenset[str]


_declared: dict[str, Action] = {}


def _action(name: str, target: str, *fields: str) -> Action:
    action = _declared[name] = Action(name, target, frozenset(fields))
    return action


# Accounts: the target is the admin, by id and e-mail address.
ACCOUNT_CREATED = _action("account.created", "account", "name", "role", "desks", "method")
ACCOUNT_LINKED = _action("account.linked", "account", "method")
ACCOUNT_CHANGED = _action("account.changed", "account", "name", "email", "locale", "timezone")
ACCOUNT_ROLE_CHANGED = _action("account.role_changed", "account", "role", "reason")
ACCOUNT_CAPACITY_CHANGED = _action("account.capacity_changed", "account", "capacity")
ACCOUNT_DESKS_CHANGED = _action("account.desks_changed", "account", "desks", "reason")
ACCOUNT_PASSWORD_CHANGED = _action("account.password_changed", "account")
ACCOUNT_DISABLED = _action("account.disabled", "account", "reason")
ACCOUNT_ENABLED = _action("account.enabled", "account")
INVITATION_CREATED = _action(
    "invitation.created", "invitation", "name", "role", "desks", "expires_at"
)
INVITATION_REVOKED = _action("invitation.revoked", "invitation")
INVITATION_ACCEPTED = _action("invitation.accepted", "invitation")
SECOND_FACTOR_ENABLED = _action("second_factor.enabled", "account")
SECOND_FACTOR_DISABLED = _action("second_factor.disabled", "account")
SECOND_FACTOR_RESET = _action("second_factor.reset", "account")
RECOVERY_CODES_CREATED = _action("recovery_codes.created", "account")

# Sign-ins: `method` is password or oidc, `second_factor` is totp or recovery_code.
SIGNIN_SUCCEEDED = _action("signin.succeeded", "account", "method", "second_factor")
SIGNIN_FAILED = _action("signin.failed", "account", "reason", "attempts", "since", "accounts")
SESSIONS_ENDED = _action("sessions.ended", "account", "count", "reason")

DESK_CREATED = _action("desk.created", "desk")
KEY_CREATED = _action(
    "key.created", "key", "source", "scopes", "rate_per_second", "handoff_only", "desk"
)
KEY_REVOKED = _action("key.revoked", "key", "source")
# A webhook is named by scheme and host: the rest of its address may be a secret.
WEBHOOK_CREATED = _action("webhook.created", "webhook", "source", "events")
WEBHOOK_ROTATED = _action("webhook.rotated", "webhook", "source")
WEBHOOK_ENABLED = _action("webhook.enabled", "webhook", "source")
WEBHOOK_REVOKED = _action("webhook.revoked", "webhook", "source")
WEBHOOK_REPLAYED = _action(
    "webhook.replayed", "webhook", "source", "events", "event", "since", "until"
)

# Shared views; an admin's own ones are private.
VIEW_SHARED = _action("view.shared", "view", "owner", "query", "sort")
VIEW_CHANGED = _action("view.changed", "view", "name", "query", "sort", "timezone", "owner")
VIEW_UNSHARED = _action("view.unshared", "view", "query", "sort")
VIEW_DELETED = _action("view.deleted", "view", "query", "sort")
SORT_CREATED = _action("sort.created", "sort", "title", "rules", "timezone")
SORT_CHANGED = _action("sort.changed", "sort", "title", "rules", "timezone")
SORT_DELETED = _action("sort.deleted", "sort", "title", "rules", "timezone")
CALENDAR_CREATED = _action("calendar.created", "calendar", "timezone", "week", "exceptions")
CALENDAR_CHANGED = _action("calendar.changed", "calendar", "name", "timezone", "week", "exceptions")
CALENDAR_DELETED = _action("calendar.deleted", "calendar", "timezone", "week", "exceptions")
_QUEUE = ("mode", "admins", "take_within", "delay", "return")
QUEUE_CREATED = _action("queue.created", "queue", *_QUEUE)
QUEUE_CHANGED = _action("queue.changed", "queue", *_QUEUE)
QUEUE_DELETED = _action("queue.deleted", "queue", *_QUEUE)
QUEUES_ORDERED = _action("queues.ordered", "queue", "order")
QUEUE_LOAD_CHANGED = _action("queues.load_changed", "queue", "load")
_POLICY = ("query", "calendar", "first_reply", "next_reply")
POLICY_CREATED = _action("policy.created", "policy", *_POLICY)
POLICY_CHANGED = _action("policy.changed", "policy", "name", *_POLICY)
POLICY_DELETED = _action("policy.deleted", "policy", *_POLICY)
POLICIES_ORDERED = _action("policies.ordered", "policies", "order")

# The target is the row, which may be deleted, and the name of its source: nothing about the person.
CUSTOMER_DELETED = _action("customer.deleted", "customer", "source", "threads", "events")
CUSTOMER_NOTE_CHANGED = _action("customer.note_changed", "customer", "source")
# A backup: all data in one file.
BACKUP_MADE = _action("backup.made", "backup")
BACKUP_RESTORED = _action("backup.restored", "backup", "made_at", "version")
EVENTS_IMPORTED = _action("events.imported", "export")
EXPORT_MADE = _action("export.made", "export", "format", "filters")

#: All actions, by name.
ACTIONS = dict(_declared)

#: Longest text within an entry's data; a longer one is cut.
TEXT_MAX = 2_000
#: Control characters, including controls of direction, and surrogates, which UTF-8 cannot encode.
_HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_ADDED = insert(audit_log)
_LENGTHS = {
    name: audit_log.c[name].type.length  # type: ignore[attr-defined]
    for name in ("actor_name", "actor_email", "address", "user_agent", "target_id", "target_name")
}


class Target(NamedTuple):
    """The target of an action, by its id (None: it has none) and its name at the time."""

    id: int | str | None
    name: str = ""


def add(
    connection: Connection,
    at_ms: int,
    actor: Actor,
    action: Action,
    target: Target,
    data: Mapping[str, Any] | None = None,
) -> None:
    """Adds an entry, which exists once the transaction is committed.

    `data` has the new values, or old and new ones (see `changes`); never a secret, a password or
    the text of a message. Raises ValueError for a field that the action does not declare.
    """
    fields = dict(data or {})
    if ACTIONS.get(action.name) != action or not action.fields.issuperset(fields):
        raise ValueError(f"the audit log does not know {action.name} with {sorted(fields)}")
    if actor.via not in VIAS:
        raise ValueError(f"the audit log does not know “{actor.via}”")
    values = {
        "at": at_ms,
        "action": action.name,
        "via": actor.via,
        "admin_id": actor.admin_id,
        "actor_name": actor.name,
        "actor_email": actor.email,
        "address": actor.address,
        "user_agent": actor.user_agent,
        "target_kind": action.target,
        "target_id": None if target.id is None else str(target.id),
        "target_name": target.name,
    }
    for name, length in _LENGTHS.items():
        values[name] = _shown(values[name], length)
    connection.execute(_ADDED, values | {"data": _shown(fields, TEXT_MAX)})


def account_created(
    connection: Connection,
    now_ms: int,
    by: Actor,
    target: Target,
    name: str,
    role: str,
    desks: Collection[str],
    method: str = "password",
) -> None:
    """Adds the audit entry of a new account. `target`: its id and e-mail address; `method`:
    `password`, set by a command, or `invitation`."""
    details = {"name": name, "role": role, "desks": sorted(desks), "method": method}
    add(connection, now_ms, by, ACCOUNT_CREATED, target, details)


def created_with(connection: Connection, email: str) -> int | None:
    """Returns the id of the account that was made with this address first; None without one."""
    found = audit_log.c.action == ACCOUNT_CREATED.name, audit_log.c.target_name == email
    id = connection.scalar(select(audit_log.c.target_id).where(*found).order_by(audit_log.c.id))
    return None if id is None else int(id)


def key_created(
    connection: Connection,
    now_ms: int,
    by: Actor,
    key: str,
    source: str,
    scopes: Collection[str],
    handoff_only: bool = False,
    desk: str | None = None,
    rate_per_second: int | None = None,
) -> None:
    """Adds the audit entry of a new key. `key` is the whole key; only its prefix is stored."""
    details = {
        "source": source,
        "scopes": sorted(scopes),
        "rate_per_second": rate_per_second,
        "handoff_only": handoff_only,
        "desk": desk,
    }
    target = Target(prefix_of(key))
    add(connection, now_ms, by, KEY_CREATED, target, details)


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, object]:
    """Returns the values that differ, each as `{"from": …, "to": …}`; both have the same names."""
    return {
        name: {"from": before[name], "to": value}
        for name, value in after.items()
        if before[name] != value
    }


def _shown(value: Any, length: int) -> Any:
    """Returns the value with its texts cut, and safe for every database and terminal."""
    if isinstance(value, str):
        cut = value if len(value) <= length else f"{value[: length - 1]}…"
        return _HIDDEN.sub("\N{REPLACEMENT CHARACTER}", cut)
    if isinstance(value, Mapping):
        return {str(name): _shown(item, length) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_shown(item, length) for item in value]
    if isinstance(value, set | frozenset):
        return sorted(_shown(item, length) for item in value)
    return value


#: Actions by the part of their names before the dot, such as `webhook`; a filter may name it.
GROUPS: Mapping[str, Sequence[str]] = {
    group: [name for name in ACTIONS if name.partition(".")[0] == group]
    for group in dict.fromkeys(name.partition(".")[0] for name in ACTIONS)
}
KINDS = tuple(dict.fromkeys(action.target for action in ACTIONS.values()))
#: Entries in one part when all entries are read.
_PART = 500


class Filters(NamedTuple):
    """Filters entries; None: any. Times are from `from_ms` up to, but not including, `to_ms`.

    `action` is an action or a group of them; `actor` an admin's e-mail address, or a name;
    `target` a kind (`webhook`), one target by kind and id (`webhook:3`), or a name.
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
    data: JsonObject

    @property
    def position(self) -> Position:
        return Position(self.at, self.id)


_COLUMNS = tuple(audit_log.c[name] for name in Entry._fields)
_PLACE = tuple_(audit_log.c.at, audit_log.c.id)


def is_action(name: str) -> bool:
    """Whether an action or a group of actions has this name."""
    return name in ACTIONS or name in GROUPS


def page(
    connection: Connection,
    filters: Filters,
    limit: int,
    after: Position | None = None,
    *,
    oldest_first: bool = False,
) -> list[Entry]:
    """Returns up to `limit` entries that follow `after`, newest first unless `oldest_first`."""
    order = (audit_log.c.at, audit_log.c.id)
    statement = select(*_COLUMNS).where(*_conditions(connection, filters)).limit(limit)
    if oldest_first:
        statement = statement.order_by(*order)
    else:
        statement = statement.order_by(*(column.desc() for column in order))
    if after is not None:
        place = tuple_(*after)
        statement = statement.where(place < _PLACE if oldest_first else place > _PLACE)
    return [Entry(*row) for row in turns.each(connection.execute(statement))]


def every(database: Database, filters: Filters) -> Iterator[Entry]:
    """Yields all entries, oldest first, read in parts: no transaction stays open meanwhile."""
    after: Position | None = None
    while True:
        with database.read() as connection:
            entries = page(connection, filters, _PART, after, oldest_first=True)
        yield from entries
        if len(entries) < _PART:
            return
        after = entries[-1].position


def actors(connection: Connection) -> Sequence[str]:
    """Returns the e-mail addresses of all admins, to choose from."""
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
    """Matches the admin who has this address now, by id; without one, a name or former address."""
    admin = admins.by_email(connection, actor)
    if admin is not None:
        return audit_log.c.admin_id == admin.id
    same_address = audit_log.c.actor_email == actor.strip().lower()
    names = connection.scalars(select(accounts.c.name).distinct())
    alike = [one for one in names if folded(one) == folded(actor)]
    same_name = or_(_is_like(audit_log.c.actor_name, actor), audit_log.c.actor_name.in_(alike))
    return or_(same_name, same_address)


def _to(target: str) -> ColumnElement[bool]:
    kind, colon, id = target.partition(":")
    if kind in KINDS and (id or not colon):
        of_kind = audit_log.c.target_kind == kind
        return of_kind & (audit_log.c.target_id == id) if id else of_kind
    return _is_like(audit_log.c.target_name, target)


def _is_like(column: ColumnElement[str], text: str) -> ColumnElement[bool]:
    """Matches a name as it is, or without case: SQLite knows the case of ASCII letters alone."""
    name = text.strip()
    return or_(column == name, func.lower(column) == name.lower())


#: Spreadsheets read a cell that begins so as a formula, also after blanks and in full width.
_FORMULA = ("=", "+", "-", "@")
#: Spreadsheets cut these off, or begin another cell at them.
_BREAKS = ("\t", "\r", "\n")
#: Tells spreadsheets that a file is UTF-8.
_BYTE_ORDER_MARK = "\ufeff"
#: The columns of a row, in their order.
COLUMNS = Entry._fields


def csv_lines(entries: Sequence[Entry], *, with_head: bool) -> str:
    """Returns CSV (RFC 4180) without formulas. The head begins the file, with a byte order mark."""
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
    """Returns JSON, one object a line."""
    return "".join(
        f"{json.dumps(_plain(entry), ensure_ascii=False)}\n" for entry in turns.each(entries)
    )


def _plain(entry: Entry) -> dict[str, object]:
    return entry._asdict() | {"at": timestamp(entry.at)}


def _cell(value: Any) -> str:
    text = "" if value is None else str(value)
    is_risky = text.startswith(_BREAKS) or plain(text).lstrip().startswith(_FORMULA)
    return f"'{text}" if is_risky else text
