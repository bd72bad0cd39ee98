"""Windows on different sorts, at the top and scrolled, show SQL's order after 2,000 events."""

import pytest

from dashboard.store.database import Database
from tests.browser.desk import Desk
from tests.sender import Sender
from tests.support import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.live, pytest.mark.real_redis]

THREADS = 400
EVENTS = 2_000


def scroll_to_middle(desk: Desk) -> None:
    """Drags the scroll bar, as soon as the list is laid out."""
    drag = (
        "() => { const list = document.querySelector('[role=listbox]');"
        " const there = document.querySelector('[role=option][aria-posinset=\"205\"]') !== null;"
        " if (!there) list.scrollTop = list.scrollHeight / 2;"
        " return there; }"
    )
    wait_until(lambda: desk.page.evaluate(drag), 15, "the rows of the middle")


@pytest.mark.parametrize("async_mode", ["eventlet", "gevent"])
@pytest.mark.parametrize("servers", [1, 2], ids=["one server", "two servers"])
def test_every_window_ends_with_the_order_of_sql(
    chromium, start_server, tmp_path, async_mode, servers
):
    running = [start_server(async_mode) for _ in range(servers)]
    first, last = running[0], running[-1]
    emails = [first.create_admin("Mai"), first.create_admin("Ken")]
    sender = Sender(first.bot(first.create_key()), first.url, THREADS)
    sender.fill()

    desks = [
        Desk(chromium, first, emails[0]),
        Desk(chromium, last, emails[1], "not_respond/longest_wait"),
        Desk(chromium, last, emails[1], "arrival/priority"),
    ]
    scroll_to_middle(desks[2])
    sender.post_random(EVENTS)

    database = Database(f"sqlite:///{tmp_path / 'lineup.sqlite'}")
    for desk in desks:
        desk.wait_until_equal(database)
        assert desk.errors == []
        desk.close()
    database.close()
    assert "same order" in first.command("check")
