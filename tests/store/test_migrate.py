"""The schema comes to head, equals the models, and refuses what is not ours."""

import os
import threading
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect, text

from dashboard.errors import StartError
from dashboard.store import migrate, sources
from dashboard.store.database import Database
from dashboard.store.models import metadata


def test_a_new_database_is_brought_to_head_and_again_nothing_happens(empty_url):
    database = Database(empty_url)
    migrate.bring_to_head(database)
    migrate.bring_to_head(database)
    with database.read() as connection:
        assert migrate.revision(connection) == migrate.head()
        assert sources.named(connection, sources.DASHBOARD) is not None
    database.close()


def test_the_revisions_make_exactly_the_tables_of_the_models(any_database):
    options = {
        "compare_type": True,
        "compare_server_default": True,
        "include_name": _is_modelled,
    }
    with any_database.read() as connection:
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, metadata) == []


def test_on_sqlite_the_tables_are_written_as_the_models_write_them(tmp_path: Path, database):
    """What a comparison of columns overlooks: partial indexes, AUTOINCREMENT, constraints."""
    modelled = Database(f"sqlite:///{tmp_path / 'modelled.sqlite'}")
    modelled.write(metadata.create_all)
    assert _definitions(database) == _definitions(modelled)


def _is_modelled(name: str | None, *where: object) -> bool:
    """The search index is another table in each kind of database, and made by its revision."""
    return name is None or "_search" not in name


def _definitions(database: Database) -> set[str]:
    with database.read() as connection:
        found = connection.execute(
            text("SELECT tbl_name, sql FROM sqlite_master WHERE tbl_name != 'alembic_version'")
        )
        written = {sql for name, sql in found if sql is not None and _is_modelled(name)}
    # Names of constraints may be quoted or not, columns indented or not.
    return {" ".join(sql.replace('"', "").split()) for sql in written}


def test_going_down_leaves_nothing_behind(empty_url):
    database = Database(empty_url)
    migrate.bring_to_head(database)
    database.write(lambda connection: migrate.downgrade(connection))
    with database.read() as connection:
        assert inspect(connection).get_table_names() == ["alembic_version"]
    database.close()


def test_many_at_once_bring_a_database_to_head_once(empty_url):
    failures = []

    def start() -> None:
        database = Database(empty_url)
        try:
            migrate.bring_to_head(database)
        except Exception as error:
            failures.append(error)
        finally:
            database.close()

    threads = [threading.Thread(target=start) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_database_with_other_tables_is_refused(empty_url):
    database = Database(empty_url)
    database.write(lambda connection: connection.execute(text("CREATE TABLE other (id int)")))
    with pytest.raises(StartError, match="not Lineup's"):
        migrate.bring_to_head(database)
    database.close()


def test_a_database_of_a_newer_lineup_is_refused(any_database):
    newer = text("UPDATE alembic_version SET version_num = '9999'")
    any_database.write(lambda connection: connection.execute(newer))
    with pytest.raises(StartError, match="newer Lineup"):
        migrate.bring_to_head(any_database)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path):
    path = tmp_path / "damaged.sqlite"
    path.write_bytes(b"This is no database at all. " * 200)
    with pytest.raises(StartError, match="damaged"):
        migrate.bring_to_head(Database(f"sqlite:///{path}"))


def test_a_database_with_a_damaged_header_is_refused(tmp_path: Path, database):
    """F29: the first bytes are overwritten."""
    database.close()
    path = tmp_path / "lineup.sqlite"
    with path.open("r+b") as file:
        file.write(b"\0" * 64)
    with pytest.raises(StartError, match="damaged"):
        migrate.bring_to_head(Database(f"sqlite:///{path}"))


def test_a_read_only_file_is_refused(tmp_path: Path, database):
    """F29; opened read-only, for the user who runs tests may be one whom modes do not stop."""
    database.close()
    url = f"sqlite:///file:{tmp_path / 'lineup.sqlite'}?mode=ro&uri=true"
    with pytest.raises(StartError, match="read-only"):
        migrate.bring_to_head(Database(url))


@pytest.mark.skipif(os.geteuid() == 0, reason="modes do not stop root")
def test_a_file_without_write_permission_is_refused(tmp_path: Path, database):
    database.close()
    (tmp_path / "lineup.sqlite").chmod(0o444)
    with pytest.raises(StartError, match="read-only"):
        migrate.bring_to_head(Database(f"sqlite:///{tmp_path / 'lineup.sqlite'}"))


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StartError, match="cannot be made"):
        migrate.bring_to_head(Database(f"sqlite:///{tmp_path / 'file' / 'below' / 'x.sqlite'}"))


def test_a_missing_folder_is_made(tmp_path: Path):
    database = Database(f"sqlite:///{tmp_path / 'new' / 'folder' / 'x.sqlite'}")
    migrate.bring_to_head(database)
    assert (tmp_path / "new" / "folder" / "x.sqlite").exists()
    database.close()


def test_a_server_that_is_not_there_is_refused():
    with pytest.raises(StartError, match="PostgreSQL server cannot be used"):
        migrate.bring_to_head(Database("postgresql+psycopg://nobody@127.0.0.1:1/nothing"))


def test_a_database_at_head_that_is_locked_is_no_reason_not_to_start(tmp_path: Path, database):
    other = Database(f"sqlite:///{tmp_path / 'lineup.sqlite'}")
    with other.engine.connect() as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        migrate.bring_to_head(database)
    other.close()
