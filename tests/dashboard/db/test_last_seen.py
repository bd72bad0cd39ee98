"""Customers in SQL by the time they were last seen, visitors who never wrote among them."""

import random

import pytest
from sqlalchemy import func, select, text

from dashboard.db import erasures, migrate
from dashboard.db.accounts import presence_settings, sources
from dashboard.db.last_seen import SeenCustomers, save_customers
from dashboard.db.models.threads import customers
from dashboard.db.threads import customers as customer_store
from presence.listing import Row, Wanted
from presence.outbox import Departure

ALWAYS = Wanted(0, 2**42)


@pytest.fixture
def shop(any_database) -> int:
    return any_database.write(lambda c: sources.ensure(c, "shop", 0))


def save(database, *departures: tuple[str, int | None, int | None]) -> None:
    database.write(lambda c: save_customers(c, [Departure(*one) for one in departures]))


def set_customer(database, source_id: int, name: str, **changes) -> None:
    database.write(
        lambda c: presence_settings.change_customer(
            c, source_id, name, lambda held: held.changed(changes, 0), 0
        )
    )


def seen(database, audience="truth", wanted=ALWAYS, limit=100) -> list[Row]:
    return SeenCustomers(database).page(audience, wanted, limit)


def test_a_visitor_who_never_wrote_is_kept(any_database, shop):
    save(any_database, ("shop/new", 50, 40), ("nowhere/x", 50, 50), ("shop/never", None, None))
    assert seen(any_database) == [Row(50, b"shop/new")]
    assert seen(any_database, "everyone") == [Row(40, b"shop/new")]
    save(any_database, ("shop/new", 70, 60))
    assert seen(any_database) == [Row(70, b"shop/new")]


def test_a_deleted_customer_is_not_added_again(any_database, shop):
    """A time that was being stored when the customer was deleted does not bring them back."""
    any_database.write(lambda c: erasures.remember(c, shop, [("customer", "gone")], 10))
    save(any_database, ("shop/gone", 50, 50), ("shop/here", 60, 60))
    assert seen(any_database) == [Row(60, b"shop/here")]
    with any_database.read() as connection:
        assert connection.scalar(select(func.count()).select_from(customers)) == 1
    # A deleted customer who writes again is a customer again.
    any_database.write(lambda c: customer_store.locked(c, shop, ["gone"], 20))
    save(any_database, ("shop/gone", 70, 70))
    assert seen(any_database)[0] == Row(70, b"shop/gone")


def test_who_is_deleted_while_a_time_is_stored_is_not_kept(any_database, shop, monkeypatch):
    """The deletion is committed after the check that the person is not deleted."""
    answers = [{}, {("customer", "gone"): 10}]
    monkeypatch.setattr(erasures, "among", lambda *given: answers.pop(0))
    save(any_database, ("shop/gone", 50, 50), ("shop/here", 60, 60))
    assert seen(any_database) == [Row(60, b"shop/here")] and not answers


def test_settings_say_who_may_know_the_time(any_database, shop):
    names = ("open", "contacts", "nobody", "quiet")
    save(any_database, *((f"shop/{name}", 50, 40) for name in names))
    set_customer(any_database, shop, "contacts", visibility="contacts")
    set_customer(any_database, shop, "nobody", visibility="nobody")
    set_customer(any_database, shop, "quiet", show_last_seen=False)
    assert seen(any_database, "everyone") == [Row(40, b"shop/open")]
    assert seen(any_database, "contacts") == [Row(40, b"shop/contacts")]
    assert len(seen(any_database)) == SeenCustomers(any_database).count("truth", ALWAYS) == 4
    set_customer(any_database, shop, "quiet", show_last_seen=None)
    assert SeenCustomers(any_database).count("everyone", ALWAYS) == 2


def test_random_pages_equal_a_sorted_list(any_database, shop):
    """Equal times are ordered by the bytes of the name, in PostgreSQL as in Redis."""
    rng = random.Random(2)
    any_database.write(lambda c: sources.ensure(c, "other", 0))
    names = [
        f"{rng.choice(('shop', 'other'))}/{rng.choice('aBéZ_-')}{number}" for number in range(80)
    ]
    rows = [Row(rng.randrange(100, 112), name.encode()) for name in names]
    save(any_database, *((row.name.decode(), row.last_seen, row.last_seen) for row in rows))
    rows.sort(reverse=True)
    for _ in range(40):
        group = rng.choice((None, "shop", "other", "none"))
        wanted = Wanted(rng.randrange(98, 106), rng.randrange(104, 115), group)
        some = rng.choice((None, (), tuple(rng.sample([*names, "shop/unknown", "nothing"], 30))))
        wanted = wanted._replace(after=rng.choice((None, rng.choice(rows))), people=some)
        audience = rng.choice(("truth", "everyone"))
        expected = [
            row
            for row in rows
            if wanted.from_ms <= row.last_seen <= wanted.to_ms
            and (group is None or row.name.startswith(f"{group}/".encode()))
            and (some is None or row.name.decode() in some)
        ]
        assert SeenCustomers(any_database).count(audience, wanted) == len(expected)
        after = [row for row in expected if wanted.after is None or row < wanted.after]
        assert seen(any_database, audience, wanted, 7) == after[:7]


def test_rows_from_before_the_list_have_their_source_and_audience(any_database, shop):
    """Revision 0028 fills what is stored already."""
    save(any_database, ("shop/open", 50, 50), ("shop/nobody", 60, 60))
    for name, changes in {
        "nobody": {"visibility": "nobody"},
        "contacts": {"visibility": "contacts"},
        "quiet": {"show_last_seen": False},
    }.items():
        set_customer(any_database, shop, name, **changes)
    query = text("SELECT customer_id, source_id, shown_to FROM customer_presence ORDER BY 1")
    with any_database.read() as connection:
        written = connection.execute(query).all()
    any_database.write(lambda c: migrate.downgrade(c, "0027"))
    migrate.bring_to_head(any_database)
    with any_database.read() as connection:
        assert connection.execute(query).all() == written
    assert sorted(row.shown_to for row in written) == ["contacts", "everyone", "nobody", "nobody"]
