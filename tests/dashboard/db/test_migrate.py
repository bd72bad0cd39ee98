"""Upgrading the schema: it equals the models; foreign and damaged databases are refused."""

import itertools
import os
import re
import signal
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import IntegrityError

from dashboard.db import database as database_module
from dashboard.db import migrate
from dashboard.db.accounts import admins, sources
from dashboard.db.database import Database
from dashboard.db.models.base import metadata
from dashboard.db.search import search
from dashboard.errors import StartError
from tests.dashboard.ingest.shop import Shop


def test_a_new_database_is_upgraded_and_a_second_run_changes_nothing(empty_url):
    database = Database(empty_url)
    migrate.bring_to_head(database)
    migrate.bring_to_head(database)
    with database.read() as connection:
        assert migrate.revision(connection) == migrate.head()
        assert sources.named(connection, sources.DASHBOARD) is not None
    database.close()


def test_the_revisions_create_exactly_the_tables_of_the_models(any_database):
    options = {
        "compare_type": True,
        "compare_server_default": True,
        "include_name": _is_modelled,
    }
    with any_database.read() as connection:
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, metadata) == []


def test_on_sqlite_the_definitions_equal_those_of_the_models(tmp_path: Path, database):
    """Compares what Alembic does not: partial indexes, AUTOINCREMENT, constraints."""
    modelled = Database(f"sqlite:///{tmp_path / 'modelled.sqlite'}")
    modelled.write(metadata.create_all)
    assert _definitions(database) == _definitions(modelled)


def _is_modelled(name: str | None, *where: object) -> bool:
    """The tables of the search index differ by database and are created by their revision."""
    return name is None or "_search" not in name


def _definitions(database: Database) -> set[tuple[str, ...]]:
    with database.read() as connection:
        found = connection.execute(
            text("SELECT tbl_name, sql FROM sqlite_master WHERE tbl_name != 'alembic_version'")
        )
        written = [sql for name, sql in found if sql is not None and _is_modelled(name)]
    return {_in_one_form(sql) for sql in written}


def _in_one_form(sql: str) -> tuple[str, ...]:
    """Splits a CREATE statement; leaves out quotes, spaces, and the order of columns and
    constraints, which changes when Alembic alters the table."""
    first, _, rest = " ".join(sql.replace('"', "").split()).partition("(")
    parts = re.split(r",(?![^(]*\))", rest.strip().removesuffix(")"))
    return (first.strip(), *sorted(part.strip() for part in parts))


def test_a_downgrade_to_base_drops_every_table(empty_url):
    database = Database(empty_url)
    migrate.bring_to_head(database)
    database.write(lambda connection: migrate.downgrade(connection))
    with database.read() as connection:
        assert inspect(connection).get_table_names() == ["alembic_version"]
    database.close()


def test_concurrent_starts_upgrade_a_database_once(empty_url):
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
    """The first bytes are overwritten. (F29)"""
    database.close()
    path = tmp_path / "lineup.sqlite"
    with path.open("r+b") as file:
        file.write(b"\0" * 64)
    with pytest.raises(StartError, match="damaged"):
        migrate.bring_to_head(Database(f"sqlite:///{path}"))


def test_a_read_only_file_is_refused(tmp_path: Path, database):
    """It is opened read-only: file modes do not stop root, who may run the tests. (F29)"""
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
    with pytest.raises(StartError, match="cannot be created"):
        migrate.bring_to_head(Database(f"sqlite:///{tmp_path / 'file' / 'below' / 'x.sqlite'}"))


def test_a_missing_folder_is_made(tmp_path: Path):
    database = Database(f"sqlite:///{tmp_path / 'new' / 'folder' / 'x.sqlite'}")
    migrate.bring_to_head(database)
    assert (tmp_path / "new" / "folder" / "x.sqlite").exists()
    database.close()


def test_a_server_that_is_not_there_is_refused():
    with pytest.raises(StartError, match="PostgreSQL server cannot be used"):
        migrate.bring_to_head(Database("postgresql+psycopg://nobody@127.0.0.1:1/nothing"))


@pytest.mark.slow
def test_a_locked_database_at_head_does_not_prevent_the_start(tmp_path: Path, database):
    other = Database(f"sqlite:///{tmp_path / 'lineup.sqlite'}")
    with other.engine.connect() as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        migrate.bring_to_head(database)
    other.close()


def test_patience_is_counted_in_looks_and_writes_that_were_tried(database, tmp_path, monkeypatch):
    """The clock of a process that seldom runs jumps past the limit after a look or two. (F51)"""
    now = itertools.count(0, 100)  # each look at the clock is 100 s later
    clock = SimpleNamespace(monotonic=lambda: next(now), sleep=lambda seconds: None)
    monkeypatch.setattr(database_module, "time", clock)
    monkeypatch.setattr(migrate, "time", clock)
    other = Database(f"sqlite:///{tmp_path / 'lineup.sqlite'}")
    tries = []
    with other.engine.connect() as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

        def later(seconds):
            tries.append(seconds)
            if len(tries) == 10:
                connection.exec_driver_sql("COMMIT")

        database._sleep = later
        assert database.write(lambda connection: "written") == "written"
    other.close()
    looks = itertools.count()
    migrate._wait_for(lambda: next(looks) == 1_000)


def test_stored_preferences_follow_the_rename_of_page_to_view(any_database):
    old = {"page": "history", "sorts": {"history": "priority"}, "notify": {"pages": ["arrival"]}}
    new = {"view": "history", "sorts": {"history": "priority"}, "notify": {"views": ["arrival"]}}
    mai = any_database.write(lambda c: admins.create(c, "mai@example.org", "Mai", "admin", "", 1))
    any_database.write(lambda c: migrate.downgrade(c, "0004"))
    any_database.write(lambda c: admins.save_preferences(c, mai, old))
    migrate.bring_to_head(any_database)
    with any_database.read() as connection:
        assert admins.preferences(connection, mai) == new
    any_database.write(lambda c: migrate.downgrade(c, "0004"))
    with any_database.read() as connection:
        assert admins.preferences(connection, mai) == old


def _copy_threads(connection: Connection) -> None:
    """Alters a column of `threads`, which on SQLite copies the table and drops the original."""
    operations = Operations(MigrationContext.configure(connection))
    copied = operations.batch_alter_table("threads", table_kwargs={"sqlite_autoincrement": True})
    with copied as batch:
        batch.alter_column("closed", server_default="0")


def test_a_table_that_others_refer_to_is_altered_with_its_rows(any_database, clock):
    shop = Shop(any_database, clock)
    shop.says(0, "Xin chào")
    shop.says(1, "Hello")
    migrate.change_schema(any_database, _copy_threads)
    with any_database.read() as connection:
        assert (
            connection.scalar(
                text("SELECT count(*) FROM events JOIN threads t ON thread_id = t.id")
            )
            == 2
        )
    orphan = text("UPDATE events SET thread_id = 99")
    with pytest.raises(IntegrityError):
        any_database.write(lambda connection: connection.execute(orphan))


def test_on_sqlite_a_copied_table_does_not_give_out_ids_of_deleted_rows_again(database, clock):
    shop = Shop(database, clock)
    shop.says(0, "Xin chào")

    def delete_all(connection: Connection) -> None:
        connection.execute(text("DELETE FROM events"))
        connection.execute(text("DELETE FROM threads"))

    database.write(delete_all)
    migrate.change_schema(database, _copy_threads)
    shop.says(1, "Hello")
    with database.read() as connection:
        assert connection.scalars(text("SELECT id FROM threads")).all() == [2]


def test_on_sqlite_an_upgrade_that_breaks_a_reference_is_undone(database, clock):
    Shop(database, clock).says(0, "Xin chào")
    before = _definitions(database)

    def break_reference(connection: Connection) -> None:
        _copy_threads(connection)
        connection.execute(text("DELETE FROM threads"))

    with pytest.raises(StartError, match=r"rows of \w+ would refer to missing rows of threads"):
        migrate.change_schema(database, break_reference)
    assert _definitions(database) == before
    with database.read() as connection:
        assert connection.scalar(text("SELECT count(*) FROM threads")) == 1


def test_on_sqlite_a_process_killed_during_an_upgrade_leaves_nothing_of_it(database, clock):
    Shop(database, clock).says(0, "Xin chào")
    before = _definitions(database)
    database.close()
    child = os.fork()
    if child == 0:

        def die(connection: Connection) -> None:
            _copy_threads(connection)
            os.kill(os.getpid(), signal.SIGKILL)

        migrate.change_schema(database, die)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    assert _definitions(database) == before
    with database.read() as connection:
        assert connection.scalar(text("SELECT count(*) FROM threads")) == 1


def test_threads_from_before_the_sort_next_due_have_its_scores(any_database, clock):
    shop = Shop(any_database, clock)
    shop.says(0, thread="t-waits")
    shop.says(1, thread="t-closed")
    shop.does("thread.close", 2, thread="t-closed")
    shop.says(3, thread="t-waits")
    query = text("SELECT external_id, score_next_due FROM threads ORDER BY score_next_due, id")
    with any_database.read() as connection:
        written = connection.execute(query).all()
    any_database.write(lambda c: migrate.downgrade(c, "0011"))
    migrate.bring_to_head(any_database)
    with any_database.read() as connection:
        assert connection.execute(query).all() == written
    assert [name for name, _ in written] == ["t-waits", "t-closed"]


def test_messages_and_customers_from_before_the_search_index_are_found(any_database, clock):
    """Revision 0004 indexes what is stored already, as the product indexes what is new."""
    shop = Shop(any_database, clock)
    shop.says(0, "Xin chào, 配送料 50%", fields={"name": "Nguyễn Mai"})
    any_database.write(lambda c: migrate.downgrade(c, "0003"))
    migrate.bring_to_head(any_database)
    with any_database.read() as connection:
        for query in ("chao", "配送", "50%", "nguyen"):
            assert search.find(connection, query, 10).total == 1, query
        assert search.find(connection, "nothing", 10).total == 0
