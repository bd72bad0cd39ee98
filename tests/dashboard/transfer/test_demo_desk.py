"""The demo's data are exported and imported like those of any other desk."""

import errno
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy import select

from dashboard.cli.demo_access import DEMO_EMAIL, demo_access
from dashboard.cli.demo_data import DEMO_SOURCE, seed_threads
from dashboard.cli.demo_desk import SECOND_DESK, TAKEN_EACH, VIEWS, furnish, hire, share_out
from dashboard.cli.demo_server import DemoShop, set_up
from dashboard.cli.starting import Address
from dashboard.db import calendars, policies
from dashboard.db.accounts import admin_desks, admins, api_keys, sources
from dashboard.db.lists import views
from dashboard.db.models.threads import events, threads
from dashboard.db.outbox import webhooks
from dashboard.errors import StartError
from dashboard.ingest.outgoing import Admin
from dashboard.ingest.schema import parse
from tests.dashboard.ingest.shop import timestamp
from tests.dashboard.transfer.story import state_of

THREADS = 60


def test_a_demo_desk_that_is_imported_gives_the_same_threads_lists_and_export(
    any_database, new_database, transfer, clock
):
    """Its chatbot has sent the answers that are signed with the names of colleagues."""
    services = transfer.services(any_database)
    services.rebuilder.rebuild(services.rebuilder.list_ids())
    people = hire(services)
    seed_threads(services, THREADS, 3, 1)
    share_out(services, people)
    with any_database.read() as connection:
        signed = select(events.c.id).where(
            events.c.author_id.is_not(None), events.c.customer_id.is_not(None)
        )
        answer_id = connection.scalars(signed).first()
        demo = sources.named(connection, DEMO_SOURCE)
    assert answer_id is not None, "the demo signs no answer"
    receipt = {"id": "r", "type": "receipt", "message_id": answer_id, "state": "read"}
    moment = timestamp(clock())
    [outcome] = services.ingest.accept(demo, [parse(receipt | {"occurred_at": moment})])
    assert outcome.status == "created"
    # One colleague has closed a thread, too: an event of the dashboard.
    services.ingest.act(services.actions.close, Admin(people[0].id, people[0].name), 1)
    clock.advance(3_600_000)

    lines = transfer.exported(any_database)
    kinds = Counter(next(iter(json.loads(line))) for line in lines)
    assert (kinds["thread"], kinds["admin"]) == (THREADS, 1)
    other = new_database()
    imported = transfer.imported(other, lines)
    assert imported.created == kinds["event"]
    assert (imported.duplicates, imported.refused) == (0, 0)
    assert transfer.exported(other) == lines
    before, after = state_of(any_database), state_of(other)
    for name in ("threads", "order", "customers", "lists"):
        assert after[name] == before[name], name


def test_the_demo_desk_has_a_second_desk_promises_views_snoozes_and_mentions_once(
    any_database, transfer
):
    services = transfer.services(any_database)
    services.rebuilder.rebuild(services.rebuilder.list_ids())
    people = hire(services)
    given = (DEMO_EMAIL, "Demo", "supervisor", "", 0)
    admin_id = any_database.write(lambda connection: admins.create(connection, *given))
    seed_threads(services, 500, 3, 1, at_desk=True)
    share_out(services, people)
    for _ in range(2):
        furnish(services, people)
    is_furnished(any_database, people, admin_id)


def is_furnished(database, people, admin_id):
    with database.read() as connection:
        seen = admin_desks.of(connection, [person.id for person in people])
        assert all(desks == {"main", SECOND_DESK} for desks in seen.values())
        assert [policy.name for policy in policies.listing(connection)] == ["Members", "Everybody"]
        assert len(calendars.listing(connection)) == 1
        shared = views.visible_to(connection, admin_id, None)
        assert [(view.name, view.query, view.sort) for view in shared] == [*VIEWS]
        rows = connection.execute(
            select(threads.c.desk, threads.c.snoozed_until, threads.c.mentioned)
        ).all()
    assert 0 < sum(row.desk == SECOND_DESK for row in rows) <= 12
    assert sum(row.snoozed_until is not None for row in rows) == 8
    assert sum(row.mentioned is not None for row in rows) == 3


def test_a_first_start_of_the_demo_that_is_cut_off_is_finished_by_the_next(
    any_database, transfer, tmp_path, clock, monkeypatch
):
    services = transfer.services(any_database)
    services.settings = replace(services.settings, instance=tmp_path)
    services.rebuilder.rebuild(services.rebuilder.list_ids())
    people, real, calls = hire(services), services.ingest, [0]
    given = (DEMO_EMAIL, "Demo", "supervisor", "", 0)
    admin_id = any_database.write(lambda connection: admins.create(connection, *given))

    def cut_off(work):
        def call(*given):
            calls[0] -= 1
            if calls[0] < 0:
                raise KeyboardInterrupt
            return work(*given)

        return call

    cut = SimpleNamespace(accept=cut_off(real.accept), act=cut_off(real.act))
    monkeypatch.setattr(services, "ingest", cut)
    # In the seeding, while threads are taken, and while they are snoozed.
    for calls[0] in (2, 25, 103):
        with pytest.raises(KeyboardInterrupt):
            set_up(services, people, 500)
        clock.advance(60_000)
    monkeypatch.setattr(services, "ingest", real)
    for _ in range(2):
        set_up(services, people, 500)
    is_furnished(any_database, people, admin_id)
    with any_database.read() as connection:
        assignees = connection.scalars(select(threads.c.assignee_id)).all()
    assert len(assignees) == 500
    taken = Counter(assignees)
    assert all(taken[person.id] == sum(TAKEN_EACH) for person in people)


def test_the_demo_knows_its_accounts_by_new_addresses_too(any_database, transfer, tmp_path, clock):
    services = transfer.services(any_database)
    first, people = demo_access(tmp_path, any_database, clock), hire(services)

    def move(connection):
        for id in (admins.by_email(connection, DEMO_EMAIL).id, people[0].id):
            admins.set_email(connection, id, f"new-{id}@lineup.example", clock())

    any_database.write(move)
    again = demo_access(tmp_path, any_database, clock)
    assert hire(services) == people
    assert (again.password, again.api_key) == (first.password, first.api_key)
    assert again.email.startswith("new-")
    with any_database.read() as connection:
        assert len(admins.listing(connection)) == len(people) + 1


@pytest.mark.parametrize("used", ["admin", "source"])
def test_the_demo_leaves_a_database_alone_that_somebody_uses(any_database, tmp_path, clock, used):
    def use(connection):
        if used == "admin":
            admins.create(connection, "mai@desk.example", "Mai", "admin", "no hash", 0)
        else:
            sources.ensure(connection, "shop", 0)

    any_database.write(use)
    with pytest.raises(StartError, match="The database is in use, and the demo would add"):
        demo_access(tmp_path, any_database, clock)
    assert not (tmp_path / "demo.json").exists()


def test_a_database_of_the_demo_may_have_more(any_database, tmp_path, clock):
    any_database.write(lambda connection: sources.ensure(connection, DEMO_SOURCE, 0))
    first = demo_access(tmp_path, any_database, clock)
    any_database.write(lambda connection: sources.ensure(connection, "mine", 0))
    assert demo_access(tmp_path, any_database, clock) == first


@pytest.mark.parametrize("spoiled", [b"", b'{"pass', b"[]", b"\xff"])
def test_a_spoiled_file_of_secrets_is_written_again(any_database, tmp_path, clock, spoiled):
    demo_access(tmp_path, any_database, clock)
    (tmp_path / "demo.json").write_bytes(spoiled)
    access = demo_access(tmp_path, any_database, clock)
    assert json.loads((tmp_path / "demo.json").read_text())["password"] == access.password
    assert demo_access(tmp_path, any_database, clock) == access


def test_the_file_of_secrets_is_replaced_when_it_is_complete(
    any_database, tmp_path, clock, monkeypatch
):
    demo_access(tmp_path, any_database, clock)
    before = (tmp_path / "demo.json").read_text()
    monkeypatch.setattr(api_keys, "authenticate", lambda *given: None)

    def full(path: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError):
        demo_access(tmp_path, any_database, clock)
    assert (tmp_path / "demo.json").read_text() == before


def test_the_demos_shop_has_one_webhook_wherever_it_is_served(
    any_database, transfer, tmp_path, clock
):
    services = transfer.services(any_database)
    shop = DemoShop(services, demo_access(tmp_path, any_database, clock), Address("127.0.0.1", 0))
    secret = shop.webhook_secret("http://localhost:5001/chat/hook")
    assert shop.webhook_secret("http://localhost:5001/chat/hook") == secret
    assert shop.webhook_secret("http://localhost:5002/chat/hook") != secret
    with any_database.read() as connection:
        [only] = webhooks.listing(connection)
    assert only.url == "http://localhost:5002/chat/hook"
