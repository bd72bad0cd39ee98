"""A backup holds all of the database and the files, and a restore brings all of it back."""

import threading

import pytest
from sqlalchemy import insert, inspect, text

from dashboard.db import migrate
from dashboard.db.models.accounts import canned_replies
from dashboard.db.models.queues import queue_lists
from dashboard.db.outbox import outgoing
from dashboard.db.search import search
from dashboard.errors import StartError
from dashboard.ingest.actions import Actions, Admin
from dashboard.ingest.replies import Reply
from dashboard.transfer import backups, restoring
from tests.dashboard.ingest.shop import Shop, message
from tests.drivers.audit import acts

#: A restore carries out all revisions: three in the gate show that it does so on PostgreSQL, too.
_POSTGRES = pytest.param("postgres", marks=[pytest.mark.postgres, pytest.mark.slow])
on_postgres_slow = pytest.mark.parametrize("any_database", ["sqlite", _POSTGRES], indirect=True)
on_postgres_alone = pytest.mark.parametrize("any_database", [_POSTGRES], indirect=True)


def test_a_restored_database_has_the_same_rows_and_files(place, new_place):
    backup, made = place.fill().back_up()
    restored = new_place()
    found = restored.restore(backup)
    assert (made.files, made.missing, found.files) == (2, [], 2)
    expected = place.rows()
    assert len(expected) > 30 and sum(map(bool, expected.values())) > 20, "nearly all are filled"
    assert restored.rows() == expected
    assert restored.contents() == place.contents() and len(restored.contents()) == 2
    with restored.database.read() as connection:
        assert migrate.revision(connection) == migrate.head()
        assert search.find(connection, "配送", 10).total > 0
    said = {"made_at": found.manifest.made_at, "version": found.manifest.version}
    assert acts(restored.database) == [("backup.restored", None, "", said)]


@on_postgres_slow
def test_a_restored_database_goes_on(place, new_place):
    backup, _ = place.fill().back_up()
    restored = new_place()
    restored.restore(backup)
    shop = Shop(restored.database, restored.clock)
    repeated = message(0, "Xin chào 配送 0", thread="t-0", customer="c-0", id="again")
    assert [shop.send(repeated).outcomes[0].status for _ in range(2)] == ["created", "duplicate"]
    Actions(restored.database, restored.clock).reply(Admin(1, "Mai"), 1, Reply("Vâng", "z"))
    assert shop.conversation("t-0")[-1]["body"] == "Vâng"
    with pytest.raises(Exception, match="the audit log is only added to"):
        restored.database.write(lambda c: c.execute(text("DELETE FROM audit_log")))


def test_a_backup_is_of_one_moment_while_events_come_in(place, new_place):
    """Each transaction writes to two threads: a copy has both events, or none of them."""
    place.fill()
    ended, begun = threading.Event(), threading.Event()

    def post() -> None:
        shop = Shop(place.database, place.clock)
        at = 100_000
        while not ended.is_set():
            at += 1
            shop.send(message(at, thread="left"), message(at, thread="right"))
            begun.set()

    poster = threading.Thread(target=post)
    poster.start()
    try:
        begun.wait(60)
        before = Shop(place.database, place.clock).row("left")["rev"]
        backups = [place.back_up()[0] for _ in range(2)]
    finally:
        ended.set()
        poster.join()
    assert Shop(place.database, place.clock).row("left")["rev"] > before, "events came meanwhile"
    lengths = []
    for backup in backups:
        restored = new_place()
        restored.restore(backup)
        shop = Shop(restored.database, restored.clock)
        left, right = (shop.row(name)["unanswered"] for name in ("left", "right"))
        assert left == right
        lengths.append(left)
    assert lengths == sorted(lengths)


@on_postgres_slow
def test_files_that_are_deleted_meanwhile_are_left_out_and_missing_ones_are_named(place, new_place):
    place.fill()
    kept, lost = sorted(place.contents())
    place.store.remove([lost])
    backup, made = place.back_up()
    assert (made.files, made.missing) == (1, [lost])
    restored = new_place()
    restored.restore(backup)
    assert list(restored.contents()) == [kept]


@on_postgres_slow
def test_what_was_given_out_since_the_backup_is_not_given_out_again(place, new_place):
    """Ids of rows, and positions of cursors, that chatbots and browsers may hold."""
    backup, _ = place.fill().back_up()
    shop, actions = Shop(place.database, place.clock), Actions(place.database, place.clock)
    shop.says(50_000, thread="lost")
    actions.reply(Admin(1, "Mai"), 1, Reply("lost", "lost"))
    seen = {name: max(row[0] for row in place.rows()[name]) for name in ("threads", "events")}
    place.database.write(lambda c: outgoing.assign_positions(c, place.clock()))
    with place.database.read() as connection:
        head = outgoing.head(connection)
    restored = new_place()
    restored.restore(backup)
    shop = Shop(restored.database, restored.clock)
    outcome = shop.says(60_000, thread="new")
    assert outcome.thread_id is not None and seen["threads"] < outcome.thread_id < 10**12
    assert seen["events"] < shop.conversation("new")[0]["id"] < 2**53
    Actions(restored.database, restored.clock).reply(Admin(1, "Mai"), 1, Reply("new", "new"))
    restored.database.write(lambda c: outgoing.assign_positions(c, place.clock()))
    with restored.database.read() as connection:
        after = outgoing.after(connection, shop.source_id, head, 10)[0]
        assert [each.data["body"] for each in after if "body" in each.data][-1:] == ["new"]
        assert connection.scalar(text("SELECT count(*) FROM sessions")) == 0
        assert connection.scalar(text("SELECT min(revision) FROM threads WHERE id < 8")) > (
            restoring.REVISIONS
        )


@on_postgres_slow
def test_every_table_that_gives_out_ids_goes_on_far_above_the_backup(place, new_place):
    """Also one whose id has another name, and one that was empty."""

    def added(database, table, **values):
        new = insert(table).values(values)
        return database.write(lambda c: c.execute(new).inserted_primary_key[0])

    added(place.fill().database, queue_lists, list_id="a", fill_to=0)
    backup, _ = place.back_up()
    restored = new_place()
    restored.restore(backup)
    assert added(restored.database, queue_lists, list_id="b", fill_to=0) > restoring.IDS
    reply = {"shortcut": "hi", "body": "Hello", "updated_at": 0}
    assert added(restored.database, canned_replies, **reply) > restoring.IDS


@on_postgres_slow
def test_a_backup_of_an_older_schema_is_upgraded(place, new_place):
    place.fill()
    expected = place.rows()
    place.database.write(lambda connection: migrate.downgrade(connection, "0024"))
    backup, _ = place.back_up()
    restored = new_place()
    assert restored.restore(backup).manifest.revision == "0024"
    found = restored.rows()
    assert found.keys() == expected.keys()
    assert all(found[name] == expected[name] for name in ("events", "customers", "views", "files"))


def test_a_database_in_use_is_replaced_by_force_alone(place, new_place):
    backup, _ = place.fill().back_up()
    other = new_place()
    migrate.bring_to_head(other.database)
    Shop(other.database, other.clock, "blog").says(0, thread="theirs")
    before = other.rows()
    with pytest.raises(StartError, match="The database is in use"):
        other.restore(backup)
    assert other.rows() == before and other.contents() == {}
    other.restore(backup, force=True)
    assert other.rows() == place.rows()


@on_postgres_slow
def test_a_database_at_head_that_holds_nothing_is_no_database_in_use(place, new_place):
    backup, _ = place.fill().back_up()
    other = new_place()
    migrate.bring_to_head(other.database)
    other.restore(backup)
    assert other.rows() == place.rows()


def execute(place, *statements: str) -> None:
    place.database.write(lambda c: [c.execute(text(statement)) for statement in statements])


#: A table of another program, and the one by which other programs use Alembic.
OTHER = ["CREATE TABLE o (id int)", "CREATE TABLE alembic_version (version_num varchar(32))"]
OTHER.append("INSERT INTO alembic_version VALUES ('ae1027a6acf')")


@on_postgres_slow
@pytest.mark.parametrize("statements", [OTHER[:1], OTHER], ids=["plain", "alembic"])
def test_tables_of_another_program_are_never_replaced(place, new_place, statements):
    backup, _ = place.back_up()
    other = new_place()
    execute(other, *statements)
    with pytest.raises(StartError, match="not Lineup's"):
        other.restore(backup, force=True)
    with other.database.read() as connection:
        assert "o" in inspect(connection).get_table_names()


@on_postgres_alone
def test_a_restore_by_force_keeps_what_is_not_of_lineup(place, new_place):
    """Of a newer Lineup's tables nobody here knows what they are."""
    backup, _ = place.fill().back_up()
    returned = "LANGUAGE sql AS 'SELECT 1'"
    execute(place, "CREATE TABLE o (id int)", f"CREATE FUNCTION f() RETURNS int {returned}")
    place.restore(backup, force=True)
    with place.database.read() as connection:
        assert connection.scalar(text("SELECT f() + count(*) FROM o")) == 1
    execute(place, "UPDATE alembic_version SET version_num='9999'")
    with pytest.raises(StartError, match=r"newer Lineup, whose .* know \(o\)\. Give"):
        place.restore(backup, force=True)
    execute(place, "DROP TABLE o")
    place.restore(backup, force=True)
    with place.database.read() as connection:
        assert migrate.revision(connection) == migrate.head()


def test_all_tables_are_known_as_those_of_lineup(any_database):
    with any_database.read() as connection:
        made = {*inspect(connection).get_table_names()}
    # SQLite keeps its index of words in tables of its own.
    assert {name for name in made if "_search_" not in name} == backups.OWN_TABLES


@on_postgres_alone
def test_tables_that_are_not_of_lineup_are_in_no_backup_and_are_left_out(
    place, new_place, monkeypatch
):
    """Earlier backups have them."""
    execute(place.fill(), "CREATE TABLE notes2 (id int)", "INSERT INTO notes2 VALUES (1)")
    backup, _ = place.back_up()
    assert new_place().restore(backup).left_out == []
    with monkeypatch.context() as patched:
        patched.setattr(backups, "OWN_TABLES", backups.OWN_TABLES | {"notes2"})
        earlier, _ = place.back_up()
    restored = new_place()
    assert restored.restore(earlier).left_out == ["notes2"]
    execute(place, "DROP TABLE notes2")
    assert restored.rows() == place.rows()


def test_a_backup_of_a_newer_lineup_is_refused(place, new_place):
    place.database.write(lambda c: c.execute(text("UPDATE alembic_version SET version_num='9999'")))
    backup, _ = place.back_up()
    with pytest.raises(StartError, match=r"newer Lineup \(.*, schema 9999\); upgrade Lineup."):
        new_place().restore(backup)
