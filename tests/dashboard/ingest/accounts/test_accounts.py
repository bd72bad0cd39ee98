"""The consequences of a change of an account: threads, places, views."""

import fakeredis
import pytest

from dashboard.db.audit import COMMAND, PAGE, Actor
from dashboard.db.lists import views
from dashboard.db.lists.views import Draft
from dashboard.db.threads import thread_rows
from dashboard.errors import StorageUnavailable
from dashboard.ingest import accounts, releases
from dashboard.ingest.accounts import Accounts, Changes
from dashboard.ingest.outgoing import Admin
from tests.dashboard.ingest.shop import new_admin
from tests.dashboard.ordering.order import Order
from tests.drivers.bot import BotDriver, message

OPERATOR = Actor(COMMAND, name="root")


class Desk:
    """Mai, who has three threads."""

    def __init__(self, database, clock):
        self.database = database
        self.order = Order(database, fakeredis.FakeRedis(), clock)
        self.accounts = self.order.services.accounts
        self.mai = new_admin(database, "Mai")
        bot, services = BotDriver(self.order), self.order.services
        clock.now_ms = 1_795_168_860_000  # 2026-11-20T10:01:00Z
        posted = [
            bot.post(message(thread=f"t-{n}", occurred_at=f"2026-11-20T10:00:0{n}Z"))
            for n in range(3)
        ]
        self.order.tick()
        self.threads = [answer.json["thread_id"] for answer in posted]
        for thread in self.threads:
            services.ingest.act(services.actions.claim, Admin(self.mai, "Mai"), thread)

    def head(self) -> list[tuple[int, int]]:
        found = self.order.ranking.head("arrival", "arrival", 100)
        return [(entry.id, entry.score) for entry in found.entries]

    def counted(self, admin_id: int) -> int:
        """The number of an admin's open threads in Redis; 0: threads of nobody."""
        return self.order.ranking.counts(["arrival"])["arrival"].get(admin_id, 0)

    def assignees(self) -> list[dict | None]:
        with self.database.read() as connection:
            rows = thread_rows.rows(connection, self.threads)
        return [rows[id]["assignee"] for id in self.threads]


@pytest.fixture
def desk(database, clock) -> Desk:
    return Desk(database, clock)


def test_who_is_disabled_gives_all_threads_back_to_their_old_places(desk):
    before = desk.head()
    assert len(before) == 3 == desk.counted(desk.mai)
    assert desk.accounts.disable(OPERATOR, desk.mai).released == 3
    assert desk.head() == before
    assert (desk.counted(0), desk.counted(desk.mai)) == (3, 0)
    assert desk.assignees() == [None] * 3


def test_the_same_call_completes_one_that_was_interrupted(desk, monkeypatch):
    release = accounts.release_all_of

    def interrupted(*given):
        raise StorageUnavailable()

    monkeypatch.setattr(accounts, "release_all_of", interrupted)
    with pytest.raises(StorageUnavailable):
        desk.accounts.disable(OPERATOR, desk.mai)
    assert None not in desk.assignees()
    monkeypatch.setattr(accounts, "release_all_of", release)
    again = desk.accounts.disable(OPERATOR, desk.mai)
    assert again.released == 3 and again.account["disabled_at"] is not None


def test_the_page_does_not_wait_for_all_threads_and_the_rest_follows(desk, monkeypatch):
    """Open threads come first, within 5 s; only a command waits for all."""
    monkeypatch.setattr(releases, "SLICE", 1)
    services, later = desk.order.services, []
    services.ingest.act(services.actions.close, Admin(desk.mai, "Mai"), desk.threads[0])
    seconds = iter(range(0, 1_000, 3))
    patient = Accounts(
        desk.database,
        services.placer,
        services.clock,
        monotonic=lambda: next(seconds),
        spawn=lambda work, *given: later.append((work, given)),
    )
    chief = new_admin(desk.database, "Chief")
    patient.change(OPERATOR, chief, Changes(role="supervisor"))
    disabled = patient.disable(Actor(PAGE, chief), desk.mai)
    assert (disabled.released, disabled.remaining) == (3, 1), "all of them, of which one is left"
    closed, *opened = desk.assignees()
    assert closed is not None and opened == [None, None]
    for work, given in later:
        work(*given)
    assert desk.assignees() == [None] * 3


def test_lists_of_own_views_are_kept_again_when_the_account_is_enabled(desk, clock):
    draft = Draft("Mine", "assigned:me", "arrival", "UTC", desk.mai)
    view = desk.database.write(lambda c: views.create(c, draft, desk.mai, clock()))
    assert view.list_id is not None

    def list_id() -> str | None:
        with desk.database.read() as connection:
            found = views.find(connection, view.id, desk.mai, None)
        assert found is not None
        return found.list_id

    desk.accounts.disable(OPERATOR, desk.mai)
    assert list_id() is None
    desk.accounts.enable(OPERATOR, desk.mai)
    assert list_id() == view.list_id
