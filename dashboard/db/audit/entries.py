"""Adds entries to the audit log, in the transaction of what they tell of."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, insert

from dashboard.db.audit.actions import ACTIONS, Action
from dashboard.db.audit.actors import VIAS, Actor
from dashboard.db.models.audit import audit_log

#: Longest text within an entry's data; a longer one is cut.
TEXT_MAX = 2_000
#: Controls, also those of a text's direction, and what is no character of UTF-8.
_HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_ADDED = insert(audit_log)
_LENGTHS = {
    name: audit_log.c[name].type.length  # type: ignore[attr-defined]
    for name in ("actor_name", "actor_email", "address", "user_agent", "target_id", "target_name")
}


class Target(NamedTuple):
    """What something was done to, by its id (None: it has none) and its name as of then."""

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
    """Adds an entry; it is there if the transaction is committed.

    `data` says what was set, or by `changes` what was there before; never a secret, a password or
    the text of a message. Raises ValueError for a field that the action does not declare.
    """
    given = dict(data or {})
    if ACTIONS.get(action.name) != action or not action.fields.issuperset(given):
        raise ValueError(f"the audit log does not know {action.name} with {sorted(given)}")
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
    connection.execute(_ADDED, values | {"data": _shown(given, TEXT_MAX)})


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """The values that differ, each as `{"from": …, "to": …}`; both have the same names."""
    return {
        name: {"from": before[name], "to": value}
        for name, value in after.items()
        if before[name] != value
    }


def _shown(value: Any, length: int) -> Any:
    """The value with texts that every database takes, and that a terminal can show."""
    if isinstance(value, str):
        cut = value if len(value) <= length else f"{value[: length - 1]}…"
        return _HIDDEN.sub("\N{REPLACEMENT CHARACTER}", cut)
    if isinstance(value, Mapping):
        return {str(name): _shown(each, length) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_shown(each, length) for each in value]
    if isinstance(value, set | frozenset):
        return sorted(_shown(each, length) for each in value)
    return value
