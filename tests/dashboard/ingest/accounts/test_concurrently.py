"""Two supervisors, or two people with one link, act at the same moment."""

import threading
from collections.abc import Callable
from typing import Any

import fakeredis
import pytest
from sqlalchemy import select

from dashboard.db.accounts import admins, sessions, sources
from dashboard.db.accounts.invitations import Draft
from dashboard.db.audit import COMMAND, PAGE, Actor
from dashboard.db.lists import versions
from dashboard.db.models.accounts import admins as table
from dashboard.db.threads import thread_states
from dashboard.errors import Problem
from dashboard.ingest.accounts import Changes, Invitations
from tests.dashboard.ingest.shop import Shop, new_admin
from tests.dashboard.ordering.order import Order
from tests.servers.postgres import waits_for_a_lock
from tests.support import wait_until

AT_ONCE = 4
OPERATOR = Actor(COMMAND, name="root")
NOBODY_KNOWN = Actor(PAGE)


@pytest.fixture
def services(any_database, clock):
    return Order(any_database, fakeredis.FakeRedis(), clock).services


def supervisors(services, count: int) -> list[int]:
    made = [new_admin(services.database, f"Chief{number}") for number in range(count)]
    for id in made:
        services.accounts.change(OPERATOR, id, Changes(role="supervisor"))
    return made


def invitations_of(services) -> Invitations:
    return Invitations(services.database, services.clock)


def page(admin_id: int) -> Actor:
    """Returns the admin as an actor on the page."""
    return Actor(PAGE, admin_id)


def at_once(*works: Callable[[], Any]) -> list[Any]:
    """Runs all at the same moment; returns their results, or codes of their problems."""
    begin, results = threading.Barrier(len(works)), [None] * len(works)

    def run(number: int) -> None:
        begin.wait(30)
        try:
            results[number] = works[number]()
        except Problem as problem:
            results[number] = problem.code

    threads = [threading.Thread(target=run, args=[number]) for number in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return results


def begin(connection, now: int, admin_id: int) -> str:
    """Begins a session."""
    return sessions.begin(connection, admin_id, now)


def test_of_many_uses_of_a_link_at_the_same_time_one_makes_an_account(services):
    (chief,) = supervisors(services, 1)
    draft = Draft("lan@example.com", "", "admin", frozenset({"main"}))
    _, token = invitations_of(services).create(page(chief), draft)
    accept = invitations_of(services).accept
    found = at_once(
        *[
            lambda n=n: accept(token, f"Lan {n}", "hash", NOBODY_KNOWN, begin)
            for n in range(AT_ONCE)
        ]
    )
    joined = [each for each in found if each != "invitation_over"]
    assert len(joined) == 1 and len(found) == AT_ONCE
    with services.database.read() as connection:
        names = [admin.name for admin in admins.listing(connection)]
    assert len(names) == 2


def test_two_invitations_of_an_address_at_the_same_time_leave_one_link(services):
    one, other = supervisors(services, 2)
    draft = Draft("lan@example.com", "", "admin", frozenset({"main"}))
    create = invitations_of(services).create
    made = at_once(lambda: create(page(one), draft), lambda: create(page(other), draft))
    accepted = at_once(
        *[
            lambda token=token: invitations_of(services).accept(
                token, "Lan", "x", NOBODY_KNOWN, begin
            )
            for _, token in made
        ]
    )
    assert accepted.count("invitation_over") == 1


def test_supervisors_who_take_each_others_role_leave_one(services):
    chiefs = supervisors(services, AT_ONCE)
    to_admin = Changes(role="admin")
    around = zip(chiefs, [*chiefs[1:], chiefs[0]], strict=True)
    works = [
        lambda by=by, of=of: services.accounts.change(page(by), of, to_admin) for by, of in around
    ]
    at_once(*works)
    with services.database.read() as connection:
        left = admins.lock_supervisors(connection)
    assert len(left) >= 1


def test_supervisors_who_disable_each_other_leave_one(services):
    one, other = supervisors(services, 2)
    disable = services.accounts.disable
    found = at_once(lambda: disable(page(one), other), lambda: disable(page(other), one))
    assert [each for each in found if each in ("forbidden", "last_supervisor")]
    with services.database.read() as connection:
        assert len(admins.lock_supervisors(connection)) == 1


def test_of_two_changes_that_read_the_same_one_is_made(services):
    (chief,) = supervisors(services, 1)
    mai = new_admin(services.database, "Mai")
    with services.database.read() as connection:
        read = admins.by_id(connection, mai).changed_at
    change = services.accounts.change
    found = at_once(
        lambda: change(page(chief), mai, Changes(name="One", changed_at=read)),
        lambda: change(page(chief), mai, Changes(name="Two", changed_at=read)),
    )
    assert found.count("changed_meanwhile") == 1


def test_a_session_that_begins_while_the_account_is_disabled_is_none(services, clock):
    (chief,) = supervisors(services, 1)
    mai = new_admin(services.database, "Mai")
    begin = lambda: services.database.write(lambda c: sessions.begin(c, mai, clock()))  # noqa: E731
    token, _ = at_once(begin, lambda: services.accounts.disable(page(chief), mai))
    with services.database.read() as connection:
        assert sessions.admin_of(connection, token, clock()) is None


@pytest.mark.postgres
def test_only_hand_offs_request_a_person_once_events_before_are_stored(postgres_database, clock):
    """A new thread, which nobody else sees yet, also gets the change, afterwards."""
    shop = Shop(postgres_database, clock)
    shop.says(0, thread="before")
    saying = threading.Thread(
        target=lambda: postgres_database.write(
            lambda connection: sources.set_handoff_only(connection, shop.source_id)
        )
    )
    with postgres_database.engine.begin() as connection:
        found = thread_states.locked(connection, shop.source_id, ["new"], (), 0)
        assert not found.handoff_only
        saying.start()
        wait_until(lambda: waits_for_a_lock(postgres_database), what="that it waits for the writer")
    saying.join()
    assert [state.external_id for state in found.states] == ["new"]
    with postgres_database.read() as connection:
        assert sources.is_handoff_only(connection, shop.source_id)


def test_a_source_that_is_new_to_several_callers_at_once_is_added_once(services):
    """Such as two first keys of a source, by a double press."""

    def ensure() -> int:
        return services.database.write(lambda connection: sources.ensure(connection, "new", 1))

    found = at_once(*[ensure] * AT_ONCE)
    assert len(found) == AT_ONCE and len(set(found)) == 1


@pytest.mark.postgres
def test_an_address_changes_after_the_writes_that_are_under_way(postgres_database, clock):
    """Such as one that stores an act of the admin, which locks the admin's row."""
    mai = new_admin(postgres_database, "Mai")
    accounts = Order(postgres_database, fakeredis.FakeRedis(), clock).services.accounts
    edit = Changes(email="mai.tran@example.com")
    changing = threading.Thread(target=lambda: accounts.change(OPERATOR, mai, edit))
    with postgres_database.engine.begin() as connection:
        versions.current(connection, for_writing=True)
        changing.start()
        wait_until(lambda: waits_for_a_lock(postgres_database), what="that it waits for the write")
        of_mai = select(table.c.id).where(table.c.id == mai)
        connection.execute(of_mai.with_for_update(read=True, key_share=True, nowait=True))
    changing.join()
    with postgres_database.read() as connection:
        assert admins.by_id(connection, mai).email == edit.email
