"""Commands that write data out and read it back: events, backups, and the audit log."""

import importlib
import json
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import click

from dashboard.cli.context import Storage, open_database, open_services, operator, read_settings
from dashboard.cli.given_files import (
    STANDARD,
    given_file,
    new_file,
    progress_bar,
    progress_in_bytes,
)
from dashboard.cli.params import Context, Parameter, command
from dashboard.clock import now_ms
from dashboard.db.accounts import passwords
from dashboard.db.audit import (
    BACKUP_MADE,
    EXPORT_MADE,
    Action,
    Entry,
    Filters,
    Target,
    add,
    every,
    is_action,
    json_lines,
)
from dashboard.db.database import Database
from dashboard.db.erasures import DAY_MS, KEPT_MS
from dashboard.db.outbox.outgoing import timestamp
from dashboard.errors import StartError, StorageUnavailable
from dashboard.files.store import FileStore
from dashboard.transfer.backups import ArchiveReader, BackupMaker, MadeBackup
from dashboard.transfer.restoring import Restorer
from dashboard.validation import fields
from dashboard.validation.strict_json import JsonObject


@command(
    "export",
    arguments="Only its owner can read FILE; - is standard output.",
    example="export events.jsonl",
)
@click.argument("file")
@click.option("--force", is_flag=True, help="Replace the file if there is one.")
def export_events(file: str, force: bool) -> None:
    with open_database() as storage, new_file(file, force=force) as new:
        _note(storage, EXPORT_MADE, Target(None, "events"), {"format": "jsonl", "filters": {}})
        with progress_bar("exporting", unit=" lines") as bar:
            count = 0
            exporting = importlib.import_module("dashboard.transfer.exporting")
            for line in exporting.Exporter(storage.database).lines():
                new.out.write(line)
                count += 1
                bar.update()
    click.echo(f"Exported {count} lines.", err=True)


@command(
    "import",
    arguments="FILE is what export wrote; - is standard input.",
    example="import events.jsonl",
)
@click.argument("file")
def import_events(file: str) -> None:
    with open_services() as services, given_file(file) as opened:
        size = None if file == STANDARD else os.fstat(opened.fileno()).st_size
        importing = importlib.import_module("dashboard.transfer.importing")
        importer = importing.Importer(
            services.database,
            services.placer,
            services.clock,
            operator(),
            lambda: passwords.hashed(secrets.token_urlsafe(32)),
        )
        with progress_in_bytes("importing", size) as bar:
            try:
                imported = importer.run(_lines(opened, importing.LINE_BYTES), bar.update)
            except StorageUnavailable as error:
                raise StartError(
                    "The database is not available; import the file again to go on."
                ) from error
    click.echo(
        f"{imported.created} new events, {imported.duplicates} known ones, "
        f"{imported.refused} of customers who were deleted since (of events that were never stored "
        f"here: in the last {KEPT_MS // DAY_MS} days)"
    )


def _note(storage: Storage, action: Action, target: Target, data: JsonObject | None = None) -> None:
    """Adds the audit log entry before anything is read, so that failed tries are recorded, too."""
    now, actor = storage.clock(), operator()
    storage.database.write(lambda connection: add(connection, now, actor, action, target, data))


def _lines(file: BinaryIO, most_bytes: int) -> Iterator[bytes]:
    """Yields one line after the other; of a line that is too long only its beginning."""
    while line := file.readline(most_bytes + 1):
        yield line


class Moment(click.ParamType):
    """A day, or a time with an offset; converted to milliseconds."""

    name = "time"

    def convert(self, value: Any, param: Parameter, ctx: Context) -> int:
        text = f"{value}T00:00:00Z" if len(str(value)) == len("2026-11-01") else str(value)
        try:
            return fields.parse(text)
        except (fields.TimestampError, fields.TimestampRangeError):
            self.fail(
                f"“{value}” is not a day such as 2026-11-01 or a time such as "
                "2026-11-01T09:30:00+07:00.",
                param,
                ctx,
            )


class ActionName(click.ParamType):
    """The name of an action, or of a group of actions."""

    name = "action"

    def convert(self, value: Any, param: Parameter, ctx: Context) -> str:
        if not is_action(value):
            self.fail(f"“{value}” is not an action such as key.created or webhook.", param, ctx)
        return str(value)


@command(
    "audit",
    arguments="Days are in UTC.",
    example="audit --since 2026-11-01 --action webhook --json",
)
@click.option("--since", type=Moment(), help="The first day or time; default: from the beginning.")
@click.option("--until", type=Moment(), help="The day or time before which to end.")
@click.option("--action", type=ActionName(), help="Such as key.created, or a group: webhook.")
@click.option("--actor", help="An admin's e-mail address, or a user of this machine.")
@click.option("--target", help="Such as account, webhook:3, or a name.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def audit(
    since: int | None,
    until: int | None,
    action: str | None,
    actor: str | None,
    target: str | None,
    as_json: bool,
) -> None:
    with open_database() as storage:
        for entry in every(storage.database, Filters(since, until, action, actor, target)):
            click.echo(
                json_lines([entry]) if as_json else "\t".join(_columns(entry)), nl=not as_json
            )


def _columns(entry: Entry) -> list[str]:
    who = entry.actor_email or entry.actor_name or "-"
    target = ":".join(filter(None, (entry.target_kind, entry.target_id)))
    data = json.dumps(entry.data, ensure_ascii=False) if entry.data else ""
    where = f"{entry.via} {entry.address}".strip()
    return [timestamp(entry.at), who, where, entry.action, target, entry.target_name, data]


#: Most ids of missing files that are printed.
_NAMED_MAX = 20


@command(
    "backup",
    arguments="Only its owner can read FILE; - is standard output.",
    example="backup lineup-2026-11-25.backup",
)
@click.argument("file")
@click.option("--force", is_flag=True, help="Replace the file if there is one.")
def backup(file: str, force: bool) -> int:
    """Returns 1 if files are missing; the backup is kept, because the rest of it is complete."""
    with open_database() as storage, new_file(file, force=force) as new:
        _note(storage, BACKUP_MADE, Target(None))
        maker = BackupMaker(storage.database, FileStore(storage.settings.files), storage.clock)
        with progress_in_bytes("copying") as bar:
            result = maker.make(new.out, new.folder, bar.update)
    _report(result)
    return 1 if result.missing else 0


@command(
    "restore",
    arguments="FILE is what backup wrote, - standard input. Lineup must not be running.",
    example="restore lineup-2026-11-25.backup",
)
@click.argument("file")
@click.option("--force", is_flag=True, help="Replace the contents of the database.")
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
    if restored.left_out:
        names = " ".join(restored.left_out)
        click.echo(f"Left out what is in the backup, but not of Lineup: {names}", err=True)
    click.echo(
        f"Restored the backup of {restored.manifest.made_at} with {restored.files} files. Admins "
        "must sign in again; “serve” rebuilds the lists in Redis.",
        err=True,
    )


def _report(result: MadeBackup) -> None:
    if result.missing:
        names = " ".join(result.missing[:_NAMED_MAX])
        click.echo(f"{len(result.missing)} files are missing in LINEUP_FILES: {names}", err=True)
    click.echo(f"Copied the database and {result.files} files.", err=True)


@contextmanager
def _read_again(file: str) -> Iterator[BinaryIO]:
    """Opens the file, which is read more than once. Raises StartError."""
    with given_file(file) as source:
        if file != STANDARD:
            yield source
            return
        with tempfile.TemporaryFile() as copy:
            shutil.copyfileobj(source, copy)
            yield copy
