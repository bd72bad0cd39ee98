"""The presence of admins as queues know it, while Redis loses its data or was away."""

from dataclasses import replace

import pytest
from redis.exceptions import RedisError
from sqlalchemy import select

from dashboard.db.accounts import admins
from dashboard.db.models.queues import queue_admins as table
from dashboard.db.queues import admins as queue_admins
from dashboard.db.queues import definitions
from dashboard.presence.service import PresenceService
from dashboard.presence.tasks import QueuePresence
from presence.people import Connection
from presence.settings import Settings


class Copies:
    """An admin whom queues know, with a window `w`, and the copies of the admin's presence."""

    def __init__(self, client, database, clock):
        self._database = database
        self.woken = 0
        self.people = PresenceService(client, database, clock).admins
        self._presence = QueuePresence(self.people, database, clock, self._wake)
        self._id = database.write(self._add)

    def _add(self, connection) -> int:
        id = admins.create(connection, "m@example.com", "M", "admin", "", 0)
        definitions.lock(connection)
        queue_admins.put(connection, id, accepting=True)
        return id

    def _wake(self) -> None:
        self.woken += 1

    def row(self):
        with self._database.read() as connection:
            return connection.execute(select(table)).one()

    def set(self, revision: int, status: str) -> None:
        self.people.set(str(self._id), Settings(revision).changed({"status": status}, 0))

    def held(self):
        return self.people.held([str(self._id)])

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
    # Less than 0: once, Redis began anew in the millisecond after the one that was read.
    copies.people.timing = replace(copies.people.timing, recovery_grace_ms=-1_000)
    assert copies.status() == "offline"


def test_after_an_outage_who_comes_is_here_at_once(copies):
    """Whoever seems to have gone may be about to come back."""
    copies.open()
    assert copies.status(trusts_absence=False) == "online"
    copies.close()
    assert copies.status(trusts_absence=False) == "online"
    assert copies.status() == "offline"


def test_the_time_since_which_an_admin_is_gone_stays_until_the_admin_is_back(copies, clock):
    """Q52."""
    copies.open()
    assert copies.status() == "online" and copies.row().offline_since is None
    copies.close()
    gone_at = clock()
    for _ in range(2):
        assert copies.status() == "offline" and copies.row().offline_since == gone_at
        clock.advance(1_000)
    assert copies.woken == 2, "nothing is stored and nobody is woken without a change"
    copies.open()
    assert copies.status() == "online" and copies.row().offline_since is None


def test_who_was_gone_before_the_first_copy_is_gone_since_then(copies, clock):
    """Q52: such as an admin who took a thread, and left at once."""
    copies.open()
    copies.close()
    assert copies.row().offline_since is None
    assert copies.status() == "offline" and copies.row().offline_since == clock()


def test_colleagues_see_another_status_than_the_true_one(copies):
    """Q27."""
    copies.open()
    copies.status()
    for revision, status, stored in (
        (1, "invisible", ("online", "offline")),
        (2, "dnd", ("dnd", "dnd")),
        (3, "auto", ("online", "online")),
    ):
        copies.set(revision, status)
        copies.status()
        row = copies.row()
        assert (row.status, row.shown_status) == stored, status


def test_an_older_state_never_replaces_a_newer_one(copies, monkeypatch):
    """Another process may have read it before, and write it afterwards."""
    copies.open()
    older = copies.held()
    copies.close()
    newer = copies.held()
    assert copies.status() == "offline"
    for state, status in ((older, "offline"), (newer, "offline")):
        monkeypatch.setattr(copies.people, "held", lambda ids, state=state: state)
        assert copies.status() == status
    assert copies.woken == 1
    monkeypatch.undo()
    copies.open()
    assert copies.status() == "online"


def test_while_redis_is_away_nothing_is_stored(copies, monkeypatch):
    copies.open()
    assert copies.status() == "online"

    def held(ids):
        raise RedisError

    monkeypatch.setattr(copies.people, "held", held)
    with pytest.raises(RedisError):
        copies.status()
    monkeypatch.undo()
    row = copies.row()
    assert (row.status, row.offline_since) == ("online", None)
