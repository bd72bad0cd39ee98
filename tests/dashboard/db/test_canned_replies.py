"""Canned replies in both databases."""

import pytest
from sqlalchemy.exc import IntegrityError

from dashboard.db.accounts import canned_replies


def test_canned_replies_are_added_changed_listed_and_deleted(any_database):
    write = any_database.write
    first = write(lambda c: canned_replies.create(c, "b", "B", 1))
    second = write(lambda c: canned_replies.create(c, "a", "A", 2))
    with any_database.read() as connection:
        assert [each.id for each in canned_replies.listing(connection)] == [second, first]
    assert write(lambda c: canned_replies.change(c, first, "b", "BB", 3))
    with any_database.read() as connection:
        held = canned_replies.one(connection, first)
    assert held == (first, "b", "BB", 3)
    assert write(lambda c: canned_replies.remove(c, first))
    assert not write(lambda c: canned_replies.remove(c, first))
    assert not write(lambda c: canned_replies.change(c, first, "b", "B", 4))


def test_a_shortcut_is_unique(any_database):
    any_database.write(lambda c: canned_replies.create(c, "a", "A", 1))
    with pytest.raises(IntegrityError):
        any_database.write(lambda c: canned_replies.create(c, "a", "B", 1))
