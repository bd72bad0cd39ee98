"""Sessions of admins in SQL."""

import pytest
from sqlalchemy import select

from dashboard.db.accounts import admins, sessions
from dashboard.db.accounts.sessions import SESSION_IDLE_MS, SESSION_MAX_MS, Rights
from dashboard.db.models.accounts import sessions as table

NOW = 1_790_000_000_000


@pytest.fixture
def admin_id(database):
    return database.write(
        lambda connection: admins.create(connection, "mai@example.com", "Mai", "admin", "x", NOW)
    )


@pytest.fixture
def token(database, admin_id):
    return database.write(lambda connection: sessions.begin(connection, admin_id, NOW))


def admin_of(database, token, now=NOW):
    with database.read() as connection:
        return sessions.admin_of(connection, token, now)


def test_a_token_identifies_its_admin(database, admin_id, token):
    identity = admin_of(database, token)
    assert (identity.admin_id, identity.name, identity.role) == (admin_id, "Mai", "admin")


def test_only_a_hash_of_the_token_is_stored(database, token):
    with database.read() as connection:
        kept = connection.execute(select(table)).one()
    assert token.encode() not in bytes(kept.token_hash)
    assert bytes(kept.token_hash) == sessions.token_hash(token)


@pytest.mark.parametrize("wrong", ["", "x", "\ud800", "' OR 1=1 --"])
def test_another_token_is_refused(database, token, wrong):
    assert admin_of(database, token[:-1] + wrong) is None


def test_an_unused_session_expires(database, token):
    assert admin_of(database, token, NOW + SESSION_IDLE_MS - 1) is not None
    assert admin_of(database, token, NOW + SESSION_IDLE_MS) is None


def test_use_extends_a_session_up_to_its_longest_lifetime(database, token):
    now = NOW
    while now < NOW + SESSION_MAX_MS:
        identity = admin_of(database, token, now)
        assert identity is not None, f"it ended {now - NOW} ms after it began"
        if identity.due_for_renewal(now):
            database.write(lambda c, i=identity, at=now: sessions.renew(c, i, at))
        now += SESSION_IDLE_MS // 2
    assert admin_of(database, token, NOW + SESSION_MAX_MS) is None


def test_frequent_use_does_not_renew_each_time(database, token):
    assert not admin_of(database, token).due_for_renewal(NOW + 1000)


def test_valid_sessions_are_distinguished_from_ended_ones(database, admin_id, token):
    other = database.write(lambda connection: sessions.begin(connection, admin_id, NOW))
    database.write(lambda connection: sessions.end(connection, token))
    hashes = [sessions.token_hash(each) for each in (token, other, "unknown")]
    with database.read() as connection:
        assert sessions.valid(connection, hashes, NOW) == {
            sessions.token_hash(other): Rights("admin")
        }
        assert sessions.valid(connection, hashes, NOW + SESSION_IDLE_MS) == {}


def test_expired_sessions_are_deleted(database, admin_id, token):
    later = NOW + SESSION_IDLE_MS
    database.write(lambda connection: sessions.begin(connection, admin_id, later))
    with database.read() as connection:
        assert len(connection.execute(select(table)).all()) == 1
