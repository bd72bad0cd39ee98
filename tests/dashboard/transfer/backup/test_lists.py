"""Redis and dashboards that have seen later states of a database end with the restored lists."""

import pytest

from dashboard.db.database import Database
from dashboard.db.lists import views
from tests.dashboard.ingest.shop import new_admin
from tests.dashboard.ordering.order import Order
from tests.dashboard.transfer.backup.driver import Place


@pytest.fixture
def any_database(database):
    """Only Redis matters here."""
    return database


def test_lists_that_redis_holds_of_later_states_are_rebuilt(place, new_place, client, clock):
    """With the lists of a saved view, which all share the revisions of their threads."""
    order = Order(place.database, client, clock)
    draft = views.Draft("Open", "is:open", "arrival", "UTC", new_admin(place.database, "Mai"))
    place.database.write(lambda c: views.create(c, draft, 1, clock()))
    for number in range(6):
        order.post(f"t-{number}")
    assert order.tick(2) and order.differences() == []
    backup, _ = place.back_up()
    seen = order.ranking.head("arrival", "arrival", 10)
    for number in (0, 1, 2, 2, 2):
        order.post(f"t-{number}", role="admin")
    order.event(type="thread.close", thread="t-4")
    order.post("lost")
    assert order.tick(2) and order.differences() == []

    restored = new_place()
    restored.restore(backup)
    again = Order(restored.database, client, clock, count=100)
    assert again.tick(3) and again.differences() == []
    head = again.ranking.head("arrival", "arrival", 10)
    assert [each.id for each in head.entries] == [each.id for each in seen.entries]
    assert head.epoch != seen.epoch, "dashboards open their lists anew"
    for number in range(6):
        again.post(f"t-{number}")
        again.event(type="thread.close", thread=f"t-{number}")
    again.post("new")
    assert again.differences() == [], "no placement is refused as an older one"
    repairs = again.reconciler.repairs
    assert again.tick(3, seconds=30) and again.reconciler.repairs == repairs


def test_a_process_that_goes_on_meanwhile_rebuilds_its_lists(place, client, clock):
    """Against the advice; its memory holds the later states, too."""
    order = Order(place.database, client, clock)
    for number in range(4):
        order.post(f"t-{number}")
    backup, _ = place.back_up()
    for number in range(4):
        order.event(type="thread.close", thread=f"t-{number}")
    assert order.tick(2) and order.differences() == []
    other = Database(place.database.url)
    Place(other, place.folder, clock).restore(backup, force=True)
    other.close()
    assert order.tick(2) and order.differences() == []
    assert len(order.ranking.head("arrival", "arrival", 10).entries) == 4
