"""Windows on different sorts, at the top and scrolled, show SQL's order after 2,000 events."""

import pytest

from dashboard.db.database import Database
from tests.conftest import MODES
from tests.drivers.browser import BrowserDriver
from tests.drivers.sender import Sender
from tests.support import wait_until

pytestmark = pytest.mark.slow

THREADS = 400
EVENTS = 2_000


def scroll_to_middle(browser: BrowserDriver) -> None:
    """Drags the scroll bar, as soon as the list is laid out."""
    drag = (
        "() => { const list = document.querySelector('[role=listbox]');"
        " const there = document.querySelector('[role=option][aria-posinset=\"205\"]') !== null;"
        " if (!there) list.scrollTop = list.scrollHeight / 2;"
        " return there; }"
    )
    wait_until(lambda: browser.page.evaluate(drag), 15, "the rows of the middle")


@pytest.mark.slow
@pytest.mark.parametrize("async_mode", MODES)
def test_every_window_ends_with_the_order_of_sql(chromium, start_server, tmp_path, async_mode):
    first, last = start_server(async_mode), start_server(async_mode)
    emails = [first.create_admin("Mai"), first.create_admin("Ken")]
    sender = Sender(first.bot(first.create_key()), first.url, THREADS)
    sender.fill()

    browsers = [
        BrowserDriver(chromium, first, emails[0]),
        BrowserDriver(chromium, last, emails[1], "not_respond/longest_wait"),
        BrowserDriver(chromium, last, emails[1], "arrival/priority"),
    ]
    scroll_to_middle(browsers[2])
    sender.post_random(EVENTS)

    database = Database(f"sqlite:///{tmp_path / 'lineup.sqlite'}")
    for browser in browsers:
        browser.wait_until_equal(database)
        assert browser.errors == []
        browser.close()
    database.close()
    assert "same order" in first.command("check")
