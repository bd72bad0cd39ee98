"""Opens the parts of the process for a command: settings, schema, Redis.

A command that needs the database alone starts without redis-py; one that needs more imports
`dashboard.core_services`; only `serve` and `demo` import what serves the web.
"""

import importlib
import os
import pwd
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

import click

from dashboard.clock import SharedClock, now_ms
from dashboard.db.audit import COMMAND, Actor
from dashboard.db.database import Database
from dashboard.db.migrate import bring_to_head
from dashboard.errors import StorageUnavailable
from dashboard.settings import Settings, instance_folder
from dashboard.web.server.server import database_of

if TYPE_CHECKING:
    from dashboard.core_services import CoreServices
    from dashboard.ordering.placer import Placer


def read_settings() -> Settings:
    """Reads the settings from the environment. Raises StartError."""
    return Settings.from_environment(os.environ, instance_folder(os.environ))


class Storage(NamedTuple):
    """The settings, the database, and a clock in milliseconds since 1970."""

    settings: Settings
    database: Database
    clock: Callable[[], int]


@contextmanager
def open_database() -> Iterator[Storage]:
    """Opens the database, with the schema at head, for as long as the block runs.

    The clock is PostgreSQL's. With SQLite it is the one of this machine, which has the file.
    Raises StartError and StorageUnavailable.
    """
    settings = read_settings()
    database = database_of(settings)
    bring_to_head(database)
    if database.is_sqlite:
        yield Storage(settings, database, now_ms)
        return
    clock = SharedClock(database.server_ms)
    with suppress(StorageUnavailable):
        clock.adjust()
    yield Storage(settings, database, clock)


@contextmanager
def open_services(*, needs_redis: bool = False) -> Iterator["CoreServices"]:
    """Opens the services, with the schema at head, for as long as the block runs.

    If no Redis is configured, the embedded server of another running process is used. If there is
    none, `needs_redis` starts one. Threads are placed only while Redis holds the lists of this
    database. Raises StartError and StorageUnavailable.
    """
    settings = read_settings()
    with opened(settings, serving=False, needs_redis=needs_redis) as (database, redis_url):
        services = importlib.import_module("dashboard.core_services").CoreServices(
            settings, redis_url
        )
        services.database = database
        services.placer = _placer_of_commands(services)
        adjust_clock(services)
        yield services


@contextmanager
def opened(
    settings: Settings, *, serving: bool, needs_redis: bool = True
) -> Iterator[tuple[Database, str]]:
    """Gives the database, with the schema at head, and the URL of Redis, embedded or not.

    An embedded server that is started here ends with the block; `serving` keeps it running.
    """
    database = database_of(settings)
    bring_to_head(database)
    _keep_built_in_lists(database)
    if settings.redis_url is not None:
        yield database, settings.redis_url
        return
    embedded_redis = importlib.import_module("dashboard.embedded_redis")
    open_redis = embedded_redis.find_or_start if needs_redis else embedded_redis.find
    embedded = open_redis(settings.instance, settings.redis_server)
    try:
        if embedded is not None and serving:
            embedded.watch()
        yield database, embedded.url if embedded else ""
    finally:
        if embedded is not None:
            embedded.stop()


def adjust_clock(services: "CoreServices") -> None:
    """Reads the shared clock, if its server can be asked."""
    redis_error = importlib.import_module("redis.exceptions").RedisError
    with suppress(redis_error, StorageUnavailable):
        services.shared_clock.adjust()


def _keep_built_in_lists(database: Database) -> None:
    """Adds missing lists of built-in views: in a new database, or after an upgrade."""
    kept_lists = importlib.import_module("dashboard.db.lists.kept_lists")
    with database.read() as connection:
        are_kept = kept_lists.are_kept(connection)
    if not are_kept:
        database.write(kept_lists.keep)


def _placer_of_commands(services: "CoreServices") -> "Placer":
    """Returns the placer for commands. `serve` updates lists before it places threads; a command
    may share Redis with the server of another database."""
    database, ranking, monotonic = services.database, services.ranking, services.monotonic
    own_lists = importlib.import_module("dashboard.ordering.epochs").OwnLists
    own = own_lists(database, ranking, _say_that_lists_are_missing, monotonic)
    placer = importlib.import_module("dashboard.ordering.placer").Placer
    return placer(ranking, database, services.ordering_status, monotonic, own.are_in_redis)


def _say_that_lists_are_missing() -> None:
    click.echo(
        "Redis (LINEUP_REDIS_URL, LINEUP_KEY_PREFIX) does not hold the lists of this database; "
        "“serve” builds them.",
        err=True,
    )


def operator() -> Actor:
    """Returns the operating system's user on this machine, with the user who called sudo."""
    uid = os.getuid()
    try:
        name = pwd.getpwuid(uid).pw_name
    except KeyError:
        # In a container the user may have no name.
        name = f"uid {uid}"
    invoker = os.environ.get("SUDO_USER")
    shown = f"{name} (sudo: {invoker})" if invoker and invoker != name else name
    return Actor(COMMAND, name=shown, address=socket.gethostname())
