"""The commands `backup` and `restore`: database and files of admins in one file, and back."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

import click

from dashboard.cli.context import open_services, operator, read_settings
from dashboard.cli.given_files import STANDARD, given_file, new_file, progress_in_bytes
from dashboard.cli.params import command
from dashboard.clock import now_ms
from dashboard.db import audit
from dashboard.db.audit import Target, add
from dashboard.db.database import Database
from dashboard.files.store import FileStore
from dashboard.services import Services
from dashboard.transfer.backups import ArchiveReader, BackupMaker, MadeBackup
from dashboard.transfer.restoring import Restorer

#: Most ids of missing files that are printed.
_NAMED_MAX = 20


@command(
    "backup",
    "Write database and files of admins to one file, while Lineup is served.",
    arguments="FILE is readable by its owner alone; - is standard output.",
    example="backup lineup-2026-11-25.backup",
)
@click.argument("file")
@click.option("--force", is_flag=True, help="Replace the file if there is one.")
def backup(file: str, force: bool) -> None:
    with open_services() as services, new_file(file, force=force) as new:
        _note(services)
        maker = BackupMaker(services.database, services.file_store, services.clock)
        with progress_in_bytes("copying") as bar:
            made = maker.make(new.out, new.folder, bar.update)
    _report(made)


@command(
    "restore",
    "Restore a backup into an empty database, and bring its schema to the newest state.",
    arguments="FILE is what backup wrote, - standard input. Lineup must not be served meanwhile.",
    example="restore lineup-2026-11-25.backup",
)
@click.argument("file")
@click.option("--force", is_flag=True, help="Replace all that is in the database.")
def restore(file: str, force: bool) -> None:
    settings = read_settings()
    database = Database(settings.database_url)
    try:
        restorer = Restorer(database, FileStore(settings.files), now_ms, operator())
        with _read_again(file) as opened, progress_in_bytes("checking") as bar:
            reader = ArchiveReader(opened, "The backup" if file == STANDARD else file)
            restored = restorer.restore(reader, force=force, progress=bar.update)
    finally:
        database.close()
    click.echo(
        f"Restored the backup of {restored.manifest.made_at} with {restored.files} files. Admins "
        "sign in anew, and “serve” rebuilds the lists in Redis.",
        err=True,
    )


def _note(services: Services) -> None:
    """Adds the audit log entry before anything is read, so that failed tries are recorded, too."""
    now, actor = services.clock(), operator()
    services.database.write(
        lambda connection: add(connection, now, actor, audit.BACKUP_MADE, Target(None))
    )


def _report(made: MadeBackup) -> None:
    if made.missing:
        named = " ".join(made.missing[:_NAMED_MAX])
        click.echo(f"{len(made.missing)} files are missing in LINEUP_FILES: {named}", err=True)
    click.echo(f"Copied the database and {made.files} files.", err=True)


@contextmanager
def _read_again(file: str) -> Iterator[BinaryIO]:
    """Opens the file, which is read more than once. Raises StartError."""
    with given_file(file) as given:
        if file != STANDARD:
            yield given
            return
        with tempfile.TemporaryFile() as copy:
            shutil.copyfileobj(given, copy)
            yield copy
