"""Presence settings of a Redis that came back from an older dump."""

import pytest

from dashboard.db.accounts import admins, sources
from dashboard.presence import service
from dashboard.presence.service import OTHERS, PresenceService
from presence.people import Connection


@pytest.fixture
def presence(database, client, clock, monkeypatch) -> PresenceService:
    monkeypatch.setattr(service, "SETTINGS_AT_ONCE", 2)
    opened = PresenceService(client, database, clock)
    while opened.send_settings_again():
        pass
    return opened


def test_who_hid_after_the_dump_is_hidden_again(presence, database, client, clock):
    """H1: SQL knows the settings that Redis has lost."""
    source_id = database.write(lambda sql: sources.ensure(sql, "shop", 0))
    mai = str(database.write(lambda sql: admins.create(sql, "m@example.com", "M", "admin", "", 0)))
    names = [f"c-{number}" for number in range(5)]
    people = [("customer", f"shop/{name}") for name in names] + [("admin", mai)]

    def set_everybody(**changes):
        presence.set_admin(int(mai), changes)
        for name in names:
            presence.set_customer(source_id, "shop", name, changes)

    def shown():
        return {presence.look_up(*_asked(one))[one[1]]["status"] for one in people}

    set_everybody(visibility="everyone")
    for kind, person in people:
        if kind == "customer":
            settings = presence.customer_settings([person])[person]
            presence.customers.open(Connection(person, "c1", "web"), settings)
        else:
            settings = presence.admin_settings([person])[person]
            presence.admins.open(Connection(person, "c1", "web"), settings)
    assert shown() == {"online"}
    dump = {key: client.dump(key) for key in client.scan_iter()}
    set_everybody(status="invisible")
    assert shown() == {"offline"}
    client.flushall()
    for key, value in dump.items():
        client.restore(key, 0, value)
    presence.send_all_settings_again()
    while presence.send_settings_again():
        pass
    assert shown() == {"offline"}


def _asked(one):
    kind, person = one
    return kind, [person], OTHERS
