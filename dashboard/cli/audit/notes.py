"""What commands that make accounts and keys say in the audit log."""

from collections.abc import Collection

from sqlalchemy import Connection

from dashboard.cli.audit.actors import operator
from dashboard.db.accounts import api_keys
from dashboard.db.audit import actions
from dashboard.db.audit.entries import Target, add


def account_created(
    connection: Connection,
    now_ms: int,
    target: Target,
    name: str,
    role: str,
    desks: Collection[str],
) -> None:
    """`target` is the new admin, by id and e-mail address."""
    said = {"name": name, "role": role, "desks": sorted(desks), "method": "password"}
    add(connection, now_ms, operator(), actions.ACCOUNT_CREATED, target, said)


def key_created(
    connection: Connection,
    now_ms: int,
    key: str,
    source: str,
    scopes: Collection[str],
    rate_per_second: int | None = None,
    handoff_only: bool = False,
    desk: str | None = None,
) -> None:
    """`key` is the whole key; its prefix alone is stored."""
    said = {
        "source": source,
        "scopes": sorted(scopes),
        "rate_per_second": rate_per_second,
        "handoff_only": handoff_only,
        "desk": desk,
    }
    target = Target(api_keys.prefix_of(key))
    add(connection, now_ms, operator(), actions.KEY_CREATED, target, said)
