"""The consequences of a change of an account: threads, places, views."""

import fakeredis
import pytest

from dashboard.db import policies
from dashboard.db.accounts.invitations import Draft as Invited
from dashboard.db.audit import COMMAND, PAGE, Actor
from dashboard.db.database import Database
from dashboard.db.lists import query_lists, views
from dashboard.db.lists.views import Draft
from dashboard.db.threads import thread_rows
from dashboard.errors import StorageUnavailable
from dashboard.ingest import accounts, releases
from dashboard.ingest.accounts import Accounts, Changes, Invitations
from dashboard.ingest.outgoing import Admin
from tests.dashboard.ingest.shop import new_admin
from tests.dashboard.ordering.order import Order
from tests.dashboard.web.admin.hours.calls import saved_calendar, saved_policy
from tests.dashboard.web.admin.sorts.calls import REST
from tests.dashboard.web.admin.sorts.calls import saved as saved_sort
from tests.dashboard.web.admin.views.calls import saved as saved_view
from tests.drivers.application import PASSWORD
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


BOB, ROBERT = "bob@example.com", "robert@example.com"


def of_a_worker(database) -> tuple[list[str], list[str]]:
    """Returns the lists and the conditions of policies as a worker with this database has them."""
    with database.read() as connection:
        held = policies.current(connection).policies.policies
        lists = query_lists.current(connection).lists
        return sorted(lists), [policy.when.key for policy in held]


def agree_with_a_new_worker(database) -> tuple[list[str], list[str]]:
    """Checks that a worker that starts now has what the running one has; returns that."""
    new = Database(database.url)
    try:
        running = of_a_worker(database)
        assert running == of_a_worker(new)
    finally:
        new.close()
    return running


def lists_of_views(database) -> list[str]:
    with database.read() as connection:
        return [view.list_id for view in views.of_several(connection, [1, 2])]


def by_supervisor(sue, bob, email):
    return sue.put("/admin/api/accounts/2", json={"email": email})


def by_themselves(sue, bob, email):
    given = {"password": PASSWORD, "email": email}
    return bob.post("/admin/api/profile/email", json=given)


@pytest.mark.parametrize("change", [by_supervisor, by_themselves])
@pytest.mark.parametrize("passes_on", [False, True])
def test_lists_and_policies_follow_an_address(app, sue, change, passes_on):
    """In every worker at once, when nobody has it any more, and when another admin gets it."""
    bob = app.sign_in("Bob")
    theirs = {"when": f"assigned:{BOB}", "by": "recent_at", "order": "newest"}
    saved_sort(sue, rules=[theirs, REST])
    saved_policy(sue, saved_calendar(sue)["id"], query=theirs["when"])
    saved_view(bob, query="assigned:me")
    for given in ({"query": theirs["when"]}, {"query": "is:open", "sort": "vip"}):
        saved_view(sue, owner="all", **given)
    lists, [policy] = agree_with_a_new_worker(app.database)
    of_views = lists_of_views(app.database)
    assert of_views[0] == of_views[1] and {*of_views} <= {*lists}
    assert change(sue, bob, ROBERT).status_code == 200
    lists, held = agree_with_a_new_worker(app.database)
    own, theirs, sorted_by_it = lists_of_views(app.database)
    assert held == [] and {own, sorted_by_it} <= {*lists} and sorted_by_it != of_views[2]
    if passes_on:
        app.create_admin("Lan")
        assert sue.put("/admin/api/accounts/3", json={"email": BOB}).status_code == 200
    else:
        assert sue.put("/admin/api/accounts/2", json={"email": BOB}).status_code == 200
    lists, [held] = agree_with_a_new_worker(app.database)
    assert {*lists_of_views(app.database)} <= {*lists}
    assert (held != policy) == (lists_of_views(app.database) != of_views) == passes_on


def test_lists_and_policies_follow_an_address_that_a_new_account_gets(app, sue):
    app.create_admin("Bob")
    query = f"assigned:{BOB}"
    saved_policy(sue, saved_calendar(sue)["id"], query=query)
    saved_view(sue, owner="all", query=query)
    sue.put("/admin/api/accounts/2", json={"email": ROBERT})
    assert agree_with_a_new_worker(app.database)[1] == []
    invitations = Invitations(app.database, app.clock)
    draft = Invited(BOB, "", "admin", frozenset({"main"}))
    _, token = invitations.create(Actor(PAGE, 1), draft)
    invitations.accept(token, "Bo", "hash", Actor(PAGE), lambda connection, now, id: "")
    lists, held = agree_with_a_new_worker(app.database)
    assert len(held) == 1 and {*lists_of_views(app.database)} <= {*lists}
