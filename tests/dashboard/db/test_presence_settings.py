"""Presence settings are stored, and the time last seen never goes back."""

import pytest

from dashboard.db import erasures, last_seen
from dashboard.db.accounts import admins, presence_settings, sources
from dashboard.db.threads import customers
from dashboard.errors import CustomerErased
from presence.outbox import Departure
from presence.settings import Settings


def customer(any_database, name: str) -> int:
    def make(connection) -> int:
        source_id = sources.ensure(connection, "shop", 0)
        customers.locked(connection, source_id, [name], 0)
        return source_id

    return any_database.write(make)


def admin(any_database) -> int:
    return any_database.write(lambda c: admins.create(c, "mai@example.com", "Mai", "admin", "", 0))


def of_customers(any_database, *people: str):
    with any_database.read() as connection:
        return presence_settings.of_customers(connection, people)


def test_people_without_settings_who_were_never_seen_have_no_row(any_database):
    customer(any_database, "c-1")
    assert of_customers(any_database, "shop/c-1", "shop/c-2", "nowhere/c", "x") == {}


def test_a_change_is_based_on_the_stored_settings(any_database):
    source_id = customer(any_database, "c-1")

    def change(**what):
        return any_database.write(
            lambda c: presence_settings.change_customer(
                c, source_id, "c-1", lambda held: held.changed(what, 5), 5
            )
        )

    change(status="dnd", until=100)
    made = change(visibility="nobody")
    assert (made.revision, made.override.status) == (2, "dnd")
    assert of_customers(any_database, "shop/c-1")["shop/c-1"].settings == made


def test_a_change_adds_an_unknown_customer(any_database):
    source_id = customer(any_database, "c-1")
    any_database.write(
        lambda c: presence_settings.change_customer(
            c, source_id, "new", lambda held: held.changed({"text": "hi"}, 0), 7
        )
    )
    settings = of_customers(any_database, "shop/new")["shop/new"].settings
    assert settings.override.text == "hi"


def test_who_is_deleted_while_settings_are_changed_is_not_kept(any_database, monkeypatch):
    """The deletion is committed after the check that the person is not deleted."""
    source_id = customer(any_database, "c-1")
    any_database.write(lambda c: erasures.remember(c, source_id, [("customer", "gone")], 10))
    monkeypatch.setattr(erasures, "gone", lambda *given: set())
    with pytest.raises(CustomerErased):
        any_database.write(
            lambda c: presence_settings.change_customer(
                c, source_id, "gone", lambda held: held.changed({"text": "hi"}, 0), 7
            )
        )
    with any_database.read() as connection:
        assert customers.named(connection, source_id, "gone") is None


def test_last_seen_never_goes_back_when_batches_are_replayed(any_database):
    """Batches may be replayed in any order. (R55, R56)"""
    customer(any_database, "c-1")

    def note(*departures):
        any_database.write(lambda c: last_seen.save_customers(c, departures))
        kept = of_customers(any_database, "shop/c-1")["shop/c-1"]
        return kept.last_seen, kept.public_last_seen

    assert note(Departure("shop/c-1", 50, None), Departure("shop/who", 50, 50)) == (50, None)
    assert note(Departure("shop/c-1", 70, 60)) == (70, 60)
    assert note(Departure("shop/c-1", 50, None)) == (70, 60)
    assert note(Departure("shop/c-1", None, 65)) == (70, 65)


def test_admins_and_customers_are_stored_separately(any_database):
    mai = admin(any_database)
    made = any_database.write(
        lambda c: presence_settings.change_admin(
            c, mai, lambda held: held.changed({"status": "busy"}, 0)
        )
    )
    any_database.write(
        lambda c: last_seen.save_admins(c, [Departure(str(mai), 9, 8), Departure("999", 9, 9)])
    )
    with any_database.read() as connection:
        kept = presence_settings.of_admins(connection, [str(mai), "999", "no number"])
    assert kept == {str(mai): presence_settings.Stored(9, 8, made)} and isinstance(made, Settings)
