"""The desks of admins: stored, read, and given to admins from before desks."""

import pytest

from dashboard.db import migrate
from dashboard.db.accounts import admin_desks, admins
from dashboard.db.database import Database


@pytest.fixture
def mai(any_database: Database) -> int:
    def write(connection) -> int:
        admin_desks.add(connection, "billing", 1)
        return admins.create(connection, "mai@example.org", "Mai", "admin", "", 1)

    return any_database.write(write)


def seen(database: Database, *ids: int, role: str = "admin") -> list[admin_desks.Desks]:
    with database.read() as connection:
        found = admin_desks.seen_by(connection, dict.fromkeys(ids, role))
    return [found[id] for id in ids]


def test_who_was_an_admin_before_sees_what_they_saw(any_database, mai):
    assert seen(any_database, mai) == [{"main"}]
    any_database.write(lambda c: migrate.downgrade(c, "0019"))
    migrate.bring_to_head(any_database)
    assert seen(any_database, mai) == [None]
    any_database.write(lambda c: admin_desks.add(c, "sales", 2))
    assert seen(any_database, mai) == [{"main", "billing"}]


def test_the_last_desks_count_and_supervisors_see_all(any_database, mai):
    ken = any_database.write(lambda c: admins.create(c, "ken@example.org", "Ken", "admin", "", 1))
    any_database.write(lambda c: admin_desks.save(c, mai, ["billing", "billing"]))
    assert seen(any_database, mai, ken) == [{"billing"}, {"main"}]
    any_database.write(lambda c: admin_desks.save(c, mai, []))
    assert seen(any_database, mai) == [frozenset()]
    assert seen(any_database, mai, role="supervisor") == [None]
