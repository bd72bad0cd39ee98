"""The presence of admins as queues know it, while Redis loses its data or was away."""

from dataclasses import replace

import pytest

from dashboard.db.accounts import admins
from dashboard.db.queues import admins as queue_admins
from dashboard.db.queues import definitions
from dashboard.presence.service import PresenceService
from dashboard.presence.tasks import QueuePresence
from presence.people import Connection


class Copies:
    """An admin whom queues know, with a window `w`, and the copies of the admin's presence."""

    def __init__(self, client, database, clock):
        self._database = database
        self.people = PresenceService(client, database, clock).admins
        self._presence = QueuePresence(self.people, database, clock, lambda: None)
        self._id = database.write(self._add)

    def _add(self, connection) -> int:
        id = admins.create(connection, "m@example.com", "M", "admin", "", 0)
        definitions.lock(connection)
        queue_admins.put(connection, id, accepting=True)
        return id

    def open(self) -> None:
        self.people.open(Connection(str(self._id), "w", "web"))

    def close(self) -> None:
        self.people.close(str(self._id), "w")

    def status(self, *, trusts_absence: bool = True) -> str:
        self._presence.copy(trusts_absence=trusts_absence)
        with self._database.read() as connection:
            admin = queue_admins.one(connection, self._id)
        assert admin is not None
        return admin.status


@pytest.fixture
def copies(client, database, clock) -> Copies:
    return Copies(client, database, clock)


def test_nobody_has_gone_because_redis_lost_its_data(copies, client):
    copies.open()
    assert copies.status() == "online"
    client.flushall()
    assert copies.status() == "online", "the window will be opened again"
    copies.open()
    assert copies.status() == "online"
    copies.close()
    assert copies.status() == "offline", "now it is known"


def test_who_does_not_come_back_after_the_loss_has_gone(copies, client):
    copies.open()
    assert copies.status() == "online"
    client.flushall()
    assert copies.status() == "online"
    copies.people.timing = replace(copies.people.timing, recovery_grace_ms=0)
    assert copies.status() == "offline"


def test_after_an_outage_who_comes_is_here_at_once(copies):
    """Whoever seems to have gone may be about to come back."""
    copies.open()
    assert copies.status(trusts_absence=False) == "online"
    copies.close()
    assert copies.status(trusts_absence=False) == "online"
    assert copies.status() == "offline"
