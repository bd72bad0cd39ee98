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
from dashboard.db.accounts import admin_desks, admins, api_keys, passwords
from dashboard.db.audit import Target, account_created, add
from dashboard.db.database import Database

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


def demo_access(instance: Path, database: Database, clock: Clock) -> DemoAccess:
    """Returns the same secrets at every start; makes new ones if the database lacks them."""
    path = instance / "demo.json"
    contents = json.loads(path.read_text(encoding="utf-8-sig")) if path.exists() else {}
    access = DemoAccess(
        secret_key=contents.get("secret_key") or secrets.token_urlsafe(32),
        password=_admin(database, contents.get("password"), clock),
        api_key=_key(database, DEMO_SOURCE, contents.get("api_key"), clock),
        shop_key=_key(database, SHOP_SOURCE, contents.get("shop_key"), clock),
    )
    if asdict(access) != contents:
        _write_privately(path, json.dumps(asdict(access), indent=2))
    return access


def _admin(database: Database, password: str | None, clock: Clock) -> str:
    """Returns the demo admin's password; sets a new one if the stored one is not valid."""
    with database.read() as connection:
        credentials = admins.credentials(connection, DEMO_EMAIL)
        exists = admins.by_email(connection, DEMO_EMAIL)
    if password and credentials and passwords.matches(password, credentials[1]):
        return password
    password = password or generated_password()
    password_hash = passwords.hashed(password)

    def write(connection: Connection) -> None:
        now, values = clock(), (DEMO_NAME, "supervisor")
        if exists:
            admins.set_password(connection, exists.id, password_hash)
            target = Target(exists.id, DEMO_EMAIL)
            add(connection, now, operator(), audit.ACCOUNT_PASSWORD_CHANGED, target)
        else:
            id = admins.create(connection, DEMO_EMAIL, *values, password_hash, now)
            account_created(
                connection, now, operator(), Target(id, DEMO_EMAIL), *values, (admin_desks.MAIN,)
            )

    database.write(write)
    return password


def _key(database: Database, source: str, key: str | None, clock: Clock) -> str:
    if key:
        with database.read() as connection:
            if api_keys.authenticate(connection, key):
                return key
    return demo_key(database, source, clock)


def _write_privately(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
