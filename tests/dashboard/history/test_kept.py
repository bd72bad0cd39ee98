"""The past begins at an upgrade, and a backup keeps it."""

import time

import pytest
from sqlalchemy import select

from dashboard.db import migrate
from dashboard.db.accounts import sources
from dashboard.db.models.history import history_state
from scoring.views import DAY_MS
from tests.dashboard.history.desk import HISTORY, moment
from tests.dashboard.transfer.backup.conftest import new_place, place  # noqa: F401
from tests.drivers.application import ApplicationDriver
from tests.support import SettableClock

KEPT = ("ids", "scores", "total", "next")
LIST = {"view": "arrival", "sort": "longest_wait"}


def list_at(browser, at: int):
    return browser.get(HISTORY, query_string=LIST | {"at": moment(at)})


def test_the_past_begins_at_the_upgrade_of_a_database_with_threads(any_database, tmp_path):
    """Then each list is known, also of threads that have not changed since."""
    clock = SettableClock(time.time_ns() // 1_000_000 - DAY_MS)
    app = ApplicationDriver(any_database, clock, tmp_path)
    ids = [app.say(name) for name in ("one", "two", "three")]
    with migrate.exclusive(any_database):
        migrate.change_schema(any_database, lambda c: migrate.downgrade(c, "0041"))
    migrate.bring_to_head(any_database)
    with any_database.read() as connection:
        since = connection.scalar(select(history_state.c.since))
    clock.now_ms = since + 60_000
    sue = app.sign_in("Sue", "supervisor")
    app.say("two", role="admin")
    assert list_at(sue, since - 1).json["errors"][0]["code"] == "too_early"
    was = list_at(sue, since).json
    assert was["ids"] == ids and was["since"] == since
    assert [row["answered"] for row in was["rows"]] == [False, False, False]
    assert [row["answered"] for row in list_at(sue, clock()).json["rows"]] == [False, False, True]
    assert [len(list_at(sue, at).json["ids"]) for at in (clock() - 1, clock())] == [3, 3]


@pytest.mark.parametrize("first", ["account", "source"])
def test_a_new_installation_knows_its_past_from_its_beginning_on(
    any_database, clock, tmp_path, first
):
    """Also before anything happened; of earlier moments nothing is known."""
    app = ApplicationDriver(any_database, clock, tmp_path)
    begin = clock()
    if first == "account":
        app.create_admin("Ann")
    else:
        any_database.write(lambda connection: sources.ensure(connection, "shop", begin))
    clock.advance(DAY_MS)
    sue = app.sign_in("Sue", "supervisor")
    id = app.say("one")
    assert list_at(sue, begin - 1).json["errors"][0]["code"] == "too_early"
    explained = LIST | {"at": moment(begin - 1)}
    answer = sue.get(f"/admin/api/threads/{id}/explain", query_string=explained)
    assert answer.json["errors"][0]["code"] == "too_early"
    for at, ids in ((begin, []), (clock() - 1, []), (clock(), [id])):
        was = list_at(sue, at).json
        assert was["ids"] == ids and was["since"] == begin


def test_a_restored_database_has_the_past(place, new_place, tmp_path):  # noqa: F811
    app = ApplicationDriver(place.database, place.clock, tmp_path)
    sue = app.sign_in("Sue", "supervisor")
    shown = {}
    for name in ("one", "two", "one", "three", "two"):
        app.say(name)
        app.clock.advance(1_000)
        shown[app.clock()] = list_at(sue, app.clock()).json
        app.clock.advance(1_000)
    app.happens("thread.close", "one")
    restored = new_place()
    restored.restore(place.back_up()[0])
    again = ApplicationDriver(restored.database, app.clock, tmp_path)
    ken = again.sign_in("Ken", "supervisor")
    again.say("three")
    for at, was in shown.items():
        found = list_at(ken, at).json
        assert {name: found[name] for name in KEPT} == {name: was[name] for name in KEPT}
        # A thread that has not changed since has a later revision from now on.
        for row, before in zip(found["rows"], was["rows"], strict=True):
            assert row | {"rev": 0} == before | {"rev": 0}
