"""The times in which admins are online, away, accepting threads and at capacity."""

from datetime import UTC, datetime

import pytest

from dashboard.db.queues import admins as queue_admins
from dashboard.ingest.reporting import WATCH_SECONDS, AdminWatch

STEP_MS = round(WATCH_SECONDS * 1_000)
MINUTE_MS = 60_000


class Desk:
    """Two admins with statuses that a test sets, and a task that looks at them."""

    def __init__(self, app, sue):
        self.app, self.sue = app, sue
        self.lan = app.create_admin("Lan")
        self.statuses = {1: "offline", self.lan: "offline"}
        self.watch = AdminWatch(app.database, lambda ids: self.statuses, app.clock)
        self.watch.turn()
        self.begin = app.clock()

    def passes(self, minutes: float) -> None:
        """Time passes, and the task looks in its interval."""
        end = self.app.clock() + round(minutes * MINUTE_MS)
        while self.app.clock() < end:
            self.watch.turn()
            self.app.clock.advance(min(STEP_MS, end - self.app.clock()))

    def accept(self, **values) -> None:
        self.app.database.write(lambda connection: queue_admins.put(connection, self.lan, **values))

    def minutes(self, metric: str) -> dict[str, float]:
        query = {"metric": metric, "by": "admin", "from": self.iso(self.begin)}
        answer = self.sue.get("/admin/api/reports", query_string=query | {"to": self.iso()})
        assert answer.status_code == 200, answer.text
        return {part["name"]: part["total"] / MINUTE_MS for part in answer.json["parts"]}

    def iso(self, at: int | None = None) -> str:
        at = self.app.clock() if at is None else at
        return datetime.fromtimestamp(at / 1_000, UTC).isoformat()


@pytest.fixture
def desk(app, sue) -> Desk:
    return Desk(app, sue)


def test_times_are_those_between_looks(desk):
    for status, minutes in (("online", 3), ("away", 2), ("busy", 1), ("offline", 4)):
        desk.statuses[desk.lan] = status
        desk.passes(minutes)
    assert desk.minutes("online") == {"Lan": 4} and desk.minutes("away") == {"Lan": 2}


def test_what_lasts_still_counts_until_now(desk):
    desk.statuses[desk.lan] = desk.statuses[1] = "online"
    desk.passes(2.5)
    assert desk.minutes("online") == {"Lan": 2.5, "Sue": 2.5}


def test_accepting_and_at_capacity(desk):
    desk.statuses[desk.lan] = "online"
    desk.accept(accepting=True, capacity=1)
    desk.passes(2)
    id = desk.app.say("t")
    body = {"admin_id": desk.lan}
    assert desk.sue.post(f"/admin/api/threads/{id}/assign", json=body).status_code < 300
    desk.passes(3)
    desk.statuses[desk.lan] = "away"
    desk.passes(1)
    # A message takes a second.
    assert desk.minutes("accepting") == {"Lan": pytest.approx(5 + 1 / 60)}
    assert desk.minutes("at_capacity") == {"Lan": 3}


def test_nobody_looked_for_a_while(desk):
    desk.statuses[desk.lan] = "online"
    desk.passes(2)
    known = desk.app.clock()
    desk.app.clock.advance(30 * MINUTE_MS)
    desk.passes(1)
    # It is noted every twenty seconds that somebody looked.
    assert 2 + 1 - 0.34 <= desk.minutes("online")["Lan"] <= 2 + 1, known


def test_steps_divide_a_time(desk):
    desk.statuses[desk.lan] = "online"
    desk.passes(150)
    query = {"metric": "online", "step": "hour", "from": desk.iso(desk.begin), "to": desk.iso()}
    said = desk.sue.get("/admin/api/reports", query_string=query).json
    assert sum(said["values"]) == said["total"] == 150 * MINUTE_MS
    assert max(said["values"]) == 60 * MINUTE_MS


def test_nothing_is_written_while_nothing_changes(desk):
    desk.statuses[desk.lan] = "online"
    desk.passes(1)
    assert desk.watch.turn() == 0
