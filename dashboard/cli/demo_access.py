"""The demo's secret key, admin and API keys, kept in the instance folder."""

import json
import os
import secrets
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from sqlalchemy import Connection

from dashboard.cli.admins import generated_password
from dashboard.cli.context import operator
from dashboard.cli.demo_data import DEMO_SOURCE, demo_key
from dashboard.db import audit
from dashboard.db.accounts import admin_desks, admins, api_keys, passwords, sources
from dashboard.db.audit import Target, account_created, add
from dashboard.db.database import Database
from dashboard.errors import StartError

DEMO_EMAIL = "demo@lineup.example"
DEMO_NAME = "Demo"
#: The chat of the demo's shop, in which a visitor writes as a customer.
SHOP_SOURCE = "shop"

Clock = Callable[[], int]


@dataclass(frozen=True)
class DemoAccess:
    """The demo's secrets; they open only the demo's database."""

    secret_key: str
    password: str
    api_key: str
    shop_key: str
    email: str


def demo_access(instance: Path, database: Database, clock: Clock) -> DemoAccess:
    """Returns the same secrets at every start; makes new ones if the database lacks them.

    Raises StartError for a database that somebody else uses.
    """
    _check_database(database)
    path = instance / "demo.json"
    contents = _read(path)
    email, password = _admin(database, contents.get("password"), clock)
    access = DemoAccess(
        secret_key=contents.get("secret_key") or secrets.token_urlsafe(32),
        password=password,
        api_key=_key(database, DEMO_SOURCE, contents.get("api_key"), clock),
        shop_key=_key(database, SHOP_SOURCE, contents.get("shop_key"), clock),
        email=email,
    )
    if asdict(access) != contents:
        _write_privately(path, json.dumps(asdict(access), indent=2))
    return access


def made_with(connection: Connection, email: str) -> admins.Admin | None:
    """Returns the account that the demo made with this address, which may have another one now."""
    admin = admins.by_email(connection, email)
    if admin is None:
        id = audit.created_with(connection, email)
        admin = None if id is None else admins.by_id(connection, id)
    return admin


def _admin(database: Database, password: str | None, clock: Clock) -> tuple[str, str]:
    """Returns the demo admin's address and password; sets a new one if the stored one is not
    valid."""
    with database.read() as connection:
        exists = made_with(connection, DEMO_EMAIL)
        email = exists.email if exists else DEMO_EMAIL
        credentials = admins.credentials(connection, email)
    if password and credentials and passwords.matches(password, credentials[1]):
        return email, password
    password = password or generated_password()
    password_hash = passwords.hashed(password)

    def write(connection: Connection) -> None:
        now, values = clock(), (DEMO_NAME, "supervisor")
        if exists:
            admins.set_password(connection, exists.id, password_hash)
            target = Target(exists.id, email)
            add(connection, now, operator(), audit.ACCOUNT_PASSWORD_CHANGED, target)
        else:
            id = admins.create(connection, email, *values, password_hash, now)
            account_created(
                connection, now, operator(), Target(id, email), *values, (admin_desks.MAIN,)
            )

    database.write(write)
    return email, password


def _key(database: Database, source: str, key: str | None, clock: Clock) -> str:
    if key:
        with database.read() as connection:
            if api_keys.authenticate(connection, key):
                return key
    return demo_key(database, source, clock)


def _check_database(database: Database) -> None:
    """Raises StartError for accounts or chatbots from before the demo's own account."""
    with database.read() as connection:
        if made_with(connection, DEMO_EMAIL) is not None:
            return
        # `seed` makes the source of the demo, too.
        if admins.listing(connection) or {*sources.names(connection)} - {DEMO_SOURCE}:
            raise StartError(
                "The database is in use, and the demo would add accounts, keys and policies. "
                "Set LINEUP_DATABASE_URL to an empty one."
            )


def _read(path: Path) -> dict[str, str]:
    """Returns what is stored; nothing if it cannot be read, as after a full disk."""
    try:
        contents = json.loads(path.read_text(encoding="utf-8-sig"))
    except (FileNotFoundError, ValueError):
        return {}
    return contents if isinstance(contents, dict) else {}


def _write_privately(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.new")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
    new.replace(path)
