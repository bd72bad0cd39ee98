"""The commands `export` and `import`: write all events as lines of JSON, and read them back."""

import os
import secrets
from collections.abc import Iterator
from typing import BinaryIO

import click

from dashboard.cli.context import open_services, operator
from dashboard.cli.given_files import (
    STANDARD,
    given_file,
    new_file,
    progress_bar,
    progress_in_bytes,
)
from dashboard.cli.params import command
from dashboard.db import audit
from dashboard.db.accounts import passwords
from dashboard.db.audit import Target, add
from dashboard.errors import StartError, StorageUnavailable
from dashboard.services import Services
from dashboard.transfer.exporting import Exporter
from dashboard.transfer.importing import Importer
from dashboard.transfer.lines import LINE_BYTES


@command(
    "export",
    "Write all events to a file, as the bot API takes them, while Lineup is served.",
    arguments="FILE is readable by its owner alone; - is standard output.",
    example="export events.jsonl",
)
@click.argument("file")
@click.option("--force", is_flag=True, help="Replace the file if there is one.")
def export_events(file: str, force: bool) -> None:
    with open_services() as services, new_file(file, force=force) as new:
        _note(services)
        with progress_bar("exporting", unit=" lines") as bar:
            count = 0
            for line in Exporter(services.database).lines():
                new.out.write(line)
                count += 1
                bar.update()
    click.echo(f"Exported {count} lines.", err=True)


@command(
    "import",
    "Store the events of an export; those that are there already are left out.",
    arguments="FILE is what export wrote; - is standard input.",
    example="import events.jsonl",
)
@click.argument("file")
def import_events(file: str) -> None:
    with open_services() as services, given_file(file) as opened:
        size = None if file == STANDARD else os.fstat(opened.fileno()).st_size
        importer = Importer(
            services.database,
            services.placer,
            services.clock,
            operator(),
            lambda: passwords.hashed(secrets.token_urlsafe(32)),
        )
        with progress_in_bytes("importing", size) as bar:
            try:
                imported = importer.run(_lines(opened), bar.update)
            except StorageUnavailable as error:
                raise StartError(
                    "The database is not available; import the file again to go on."
                ) from error
    click.echo(
        f"{imported.created} new events, {imported.duplicates} known ones, "
        f"{imported.refused} of customers who were deleted since"
    )


def _note(services: Services) -> None:
    """Adds the audit log entry before anything is read, so that failed tries are recorded, too."""
    now, actor = services.clock(), operator()
    said = {"format": "jsonl", "filters": {}}
    services.database.write(
        lambda c: add(c, now, actor, audit.EXPORT_MADE, Target(None, "events"), said)
    )


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Yields one line after the other; of a line that is too long only its beginning."""
    while line := file.readline(LINE_BYTES + 1):
        yield line
