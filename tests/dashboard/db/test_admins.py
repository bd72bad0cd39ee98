"""Admins in SQL."""

import pytest

from dashboard.db.accounts import admins, sessions
from dashboard.db.accounts.admins import EmailTaken

NOW = 1_790_000_000_000


def create(database, email="mai@example.com", name="Mai", role="admin", hash="x"):
    return database.write(
        lambda connection: admins.create(connection, email, name, role, hash, NOW)
    )


def begin(database, admin_id):
    return database.write(lambda connection: sessions.begin(connection, admin_id, NOW))


def is_alive(database, token):
    with database.read() as connection:
        return sessions.admin_of(connection, token, NOW) is not None


def test_an_admin_is_found_however_the_address_is_typed(database):
    admin_id = create(database, email=" Mai@Example.com ")
    with database.read() as connection:
        assert admins.by_email(connection, "mai@EXAMPLE.com").id == admin_id
        assert admins.by_id(connection, admin_id).email == "mai@example.com"
        assert admins.by_email(connection, "nobody@example.com") is None


def test_an_address_is_one_account(database):
    create(database)
    with pytest.raises(EmailTaken):
        create(database, email="MAI@example.com")
    with database.read() as connection:
        assert len(admins.listing(connection)) == 1


def test_a_new_password_ends_every_session(database):
    admin_id = create(database)
    token = begin(database, admin_id)
    database.write(lambda connection: admins.set_password(connection, admin_id, "y"))
    assert not is_alive(database, token)
    with database.read() as connection:
        assert admins.credentials(connection, "mai@example.com") == (admin_id, "y")


def test_a_disabled_admin_has_no_session_and_no_credentials(database):
    admin_id = create(database)
    token = begin(database, admin_id)
    database.write(lambda connection: admins.disable(connection, admin_id, NOW))
    assert not is_alive(database, token)
    with database.read() as connection:
        assert admins.credentials(connection, "mai@example.com") is None
        assert [each.disabled_at for each in admins.listing(connection)] == [NOW]


def test_preferences_are_kept(database):
    admin_id = create(database)
    database.write(
        lambda connection: admins.save_preferences(connection, admin_id, {"theme": "dark"})
    )
    with database.read() as connection:
        assert admins.preferences(connection, admin_id) == {"theme": "dark"}
