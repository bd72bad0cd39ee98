"""Keys are stored as hashes, and a revoked key is refused."""

import hashlib

import pytest
from sqlalchemy import event, select

from dashboard.db.accounts import api_keys, sources
from dashboard.db.accounts.api_keys import KeyRing
from dashboard.db.models.accounts import api_keys as api_keys_table
from dashboard.errors import StartError


def made(database, scopes=("read", "events"), rate=None) -> str:
    def make(connection) -> str:
        source_id = sources.ensure(connection, "shop", 1)
        return api_keys.create(connection, source_id, scopes, rate, 1)

    return database.write(make)


def caller(database, key: str):
    with database.read() as connection:
        return api_keys.authenticate(connection, key)


def test_a_key_identifies_source_scopes_and_rate(any_database):
    found = caller(any_database, made(any_database, rate=7))
    assert (found.source, found.scopes, found.rate_per_second) == (
        "shop",
        frozenset({"events", "read"}),
        7,
    )


def test_only_a_hash_of_the_secret_is_stored(any_database):
    key = made(any_database)
    with any_database.read() as connection:
        row = connection.execute(select(api_keys_table)).one()
    secret = key.removeprefix(f"lu_{row.prefix}_")
    assert bytes(row.secret_hash) == hashlib.sha256(secret.encode()).digest()
    assert not any(secret in str(value) for value in row)


def test_keys_are_unique(any_database):
    assert len({made(any_database) for _ in range(20)}) == 20


@pytest.mark.parametrize("spoil", [str.upper, lambda key: key[:-1], lambda key: key + "a"])
def test_a_changed_key_is_refused(any_database, spoil):
    assert caller(any_database, spoil(made(any_database))) is None


def test_a_key_is_revoked_by_its_prefix_or_in_full(any_database):
    for name in (lambda key: key, lambda key: key.split("_")[1]):
        key = made(any_database)
        assert any_database.write(lambda c, name=name, key=key: api_keys.revoke(c, name(key), 5))
        assert caller(any_database, key) is None
    assert not any_database.write(lambda c: api_keys.revoke(c, "nothing", 5))
    listed = [line.revoked_at for line in _listing(any_database)]
    assert listed == [5, 5]


def _listing(database):
    with database.read() as connection:
        return api_keys.listing(connection)


def test_a_valid_key_is_read_from_sql_once_a_second(database):
    key, seconds, asked = made(database), [0.0], []
    ring = KeyRing(database, lambda: 5, lambda: seconds[0])
    event.listen(
        database.engine, "before_cursor_execute", lambda c, cursor, sql, *rest: asked.append(sql)
    )
    for _ in range(5):
        assert ring.caller(key) is not None
    assert sum("api_keys" in sql for sql in asked) == 1
    seconds[0] = 1.5
    assert ring.caller(key) is not None
    assert sum("api_keys" in sql for sql in asked) == 2
    for _ in range(3):
        assert ring.caller("wrong") is None
    assert sum("api_keys" in sql for sql in asked) == 5, "wrong keys are not cached"


def test_sources_are_created_once_and_names_are_checked(any_database):
    first = any_database.write(lambda c: sources.ensure(c, "shop-2", 1))
    assert any_database.write(lambda c: sources.ensure(c, "shop-2", 2)) == first
    for wrong in ("", "Shop", "a_b", "_lineup", "x" * 65, "é", "a b", "a\n"):
        with pytest.raises(StartError):
            any_database.write(lambda c, wrong=wrong: sources.ensure(c, wrong, 1))


def test_handoff_only_is_set_once(any_database):
    source_id = any_database.write(lambda c: sources.ensure(c, "shop", 1))
    changed = [any_database.write(lambda c: sources.set_handoff_only(c, source_id)) for _ in "ab"]
    assert changed == [True, False]
