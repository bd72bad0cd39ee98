"""Entries of the audit log for new accounts and new keys."""

from collections.abc import Collection

from sqlalchemy import Connection

from dashboard.db import audit
from dashboard.db.accounts import api_keys
from dashboard.db.audit import Actor, Target, add


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
    """Adds the entry. `target` is the new admin, by id and e-mail address; `method`: `password` of
    a command, or `invitation`."""
    said = {"name": name, "role": role, "desks": sorted(desks), "method": method}
    add(connection, now_ms, by, audit.ACCOUNT_CREATED, target, said)


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
    """Adds the entry. `key` is the whole key; only its prefix is stored."""
    said = {
        "source": source,
        "scopes": sorted(scopes),
        "rate_per_second": rate_per_second,
        "handoff_only": handoff_only,
        "desk": desk,
    }
    target = Target(api_keys.prefix_of(key))
    add(connection, now_ms, by, audit.KEY_CREATED, target, said)
