"""Runs the revisions.

`dashboard.db.migrate` passes a connection. The `alembic` command passes none: it works on the
database of LINEUP_DATABASE_URL, or else on `instance/lineup.sqlite`, as the product does.
"""

import os
import pkgutil
from importlib import import_module
from logging.config import fileConfig
from typing import Any

from alembic import context
from alembic.util import CommandError
from sqlalchemy import Connection

from dashboard.db import migrate, models
from dashboard.db.database import Database
from dashboard.db.models.base import metadata
from dashboard.errors import StartError
from dashboard.settings import Settings, instance_folder

# A table is known to Alembic when its module is imported: a new module in there needs no entry.
for module in pkgutil.iter_modules(models.__path__, f"{models.__name__}."):
    import_module(module.name)


def run_revisions(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=metadata,
        compare_type=True,
        compare_server_default=True,
        include_name=is_modelled,
        process_revision_directives=number_revision,
    )
    with context.begin_transaction():
        context.run_migrations()


def is_modelled(name: str | None, kind: str, parents: Any) -> bool:
    """Returns False for the search tables: they differ by database; revision 0004 creates them."""
    return kind != "table" or name is None or "_search" not in name


def number_revision(migration_context: Any, revision: Any, directives: list[Any]) -> None:
    """Gives a new revision the next number (0001, 0002, …) unless `--rev-id` names one."""
    if not getattr(context.config.cmd_opts, "rev_id", None):
        directives[0].rev_id = f"{int(context.script.get_current_head() or 0) + 1:04d}"


def run_command() -> None:
    if context.is_offline_mode():
        raise CommandError("Some revisions read data: there is no --sql mode.")
    if context.config.config_file_name is not None:
        fileConfig(context.config.config_file_name, disable_existing_loggers=False)
    try:
        settings = Settings.from_environment(os.environ, instance_folder(os.environ))
        database = Database(settings.database_url)
        with migrate.exclusive(database):
            migrate.change_schema(database, run_revisions)
    except StartError as error:
        raise CommandError(str(error)) from error


handed_over = context.config.attributes.get("connection")
if handed_over is not None:
    run_revisions(handed_over)
else:
    run_command()
