"""Opens the parts of the process for a command: settings, schema, Redis."""

import os
import pwd
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import click
from redis.exceptions import RedisError

from dashboard.db.audit import COMMAND, Actor
from dashboard.db.database import Database
from dashboard.db.lists import kept_lists, versions
from dashboard.db.migrate import bring_to_head
from dashboard.embedded_redis import find, find_or_start
from dashboard.errors import StorageUnavailable
from dashboard.ordering.epochs import OwnLists
from dashboard.ordering.placer import Placer
from dashboard.services import Services, database_of
from dashboard.settings import ROOT, Settings


def read_settings() -> Settings:
    """Reads the settings from the environment. Raises StartError."""
    return Settings.from_environment(os.environ, ROOT / "instance")


@contextmanager
def open_services(
    settings: Settings | None = None, *, serving: bool = False, needs_redis: bool = False
) -> Iterator[Services]:
    """Opens the services, with the schema at head, for as long as the block runs.

    If no Redis is configured, the embedded server of another running process is used. If there is
    none, `needs_redis` and `serving` start one; `serving` keeps it running. Unless `serving`,
    threads are placed only while Redis holds the lists of this database. Raises StartError and
    StorageUnavailable.
    """
    settings = settings or read_settings()
    database = database_of(settings)
    bring_to_head(database)
    _keep_built_in_lists(database)
    if serving:
        _keep_history_days(database, settings.history_days)
    embedded = None
    if settings.redis_url is None:
        open_redis = find_or_start if serving or needs_redis else find
        embedded = open_redis(settings.instance, settings.redis_server)
    try:
        if embedded is not None and serving:
            embedded.watch()
        services = Services(settings, embedded.url if embedded else settings.redis_url or "")
        services.database = database
        if not serving:
            services.placer = _placer_of_commands(services)
        with suppress(RedisError, StorageUnavailable):
            services.shared_clock.adjust()
        yield services
    finally:
        if embedded is not None:
            embedded.stop()


def _keep_built_in_lists(database: Database) -> None:
    """Adds missing lists of built-in views: in a new database, or after an upgrade."""
    with database.read() as connection:
        are_kept = kept_lists.are_kept(connection)
    if not are_kept:
        database.write(kept_lists.keep)


def _keep_history_days(database: Database, days: int) -> None:
    """Writes to SQL for how many days lists hold closed threads. The process that was started last
    decides for all processes."""
    with database.read() as connection:
        is_kept = versions.current(connection).history_days == days
    if not is_kept:
        database.write(lambda connection: versions.set_history_days(connection, days))


def _placer_of_commands(services: Services) -> Placer:
    """Returns the placer for commands. `serve` updates lists before it places threads; a command
    may share Redis with the server of another database."""
    database, ranking, monotonic = services.database, services.ranking, services.monotonic
    own = OwnLists(database, ranking, _say_that_lists_are_missing, monotonic)
    return Placer(ranking, database, services.ordering_status, monotonic, own.are_in_redis)


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
