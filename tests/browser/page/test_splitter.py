"""The width of the list: by mouse, by keys, within its limits, kept for the admin."""

from collections.abc import Iterator

import pytest

from tests.drivers.browser import BrowserDriver
from tests.support import wait_until

pytestmark = pytest.mark.slow

LEAST_PX, MOST_PX = 360, 560
WIDTH = "() => document.getElementById('pane-list').offsetWidth"
ANNOUNCED = "() => Number(document.getElementById('splitter').getAttribute('aria-valuenow'))"


@pytest.fixture
def browser(chromium, lineup) -> Iterator[BrowserDriver]:
    """Mai's window with the width that fits it."""
    acting = lineup.admin(lineup.mai_email)
    acting.prefer(list_width=None)
    made = BrowserDriver(chromium, lineup.server, lineup.mai_email)
    yield made
    made.close()
    acting.prefer(list_width=None)
    assert made.errors == []


def drag(browser: BrowserDriver, by_px: int) -> None:
    box = browser.page.locator("#splitter").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + 200
    browser.page.mouse.move(x, y)
    browser.page.mouse.down()
    browser.page.mouse.move(x + by_px / 2, y)
    browser.page.mouse.move(x + by_px, y)
    browser.page.mouse.up()


def kept(lineup) -> int | None:
    api = f"{lineup.server.url}/admin/api/me"
    return lineup.admin(lineup.mai_email).session.get(api).json()["preferences"]["list_width"]


def test_it_is_dragged_and_kept_over_a_reload(browser, lineup):
    before = browser.page.evaluate(WIDTH)
    drag(browser, 100)
    width = browser.page.evaluate(WIDTH)
    assert abs(width - before - 100) <= 4
    wait_until(lambda: kept(lineup) == width, what="the width on the server")
    browser.page.reload()
    browser.page.wait_for_selector(".row:not(.skeleton)")
    assert browser.page.evaluate(WIDTH) == width


@pytest.mark.parametrize(("by_px", "px"), [(-900, LEAST_PX), (900, MOST_PX)])
def test_no_drag_goes_beyond_the_limits(browser, by_px, px):
    drag(browser, by_px)
    assert browser.page.evaluate(WIDTH) == px


def test_keys_set_it_in_steps_to_the_limits_and_say_so(browser):
    splitter = browser.page.locator("#splitter")
    splitter.focus()
    before = browser.page.evaluate(WIDTH)
    browser.page.keyboard.press("ArrowRight")
    browser.page.keyboard.press("ArrowRight")
    browser.page.keyboard.press("ArrowLeft")
    assert browser.page.evaluate(WIDTH) == before + 20
    for key, px, name in (("Home", LEAST_PX, "valuemin"), ("End", MOST_PX, "valuemax")):
        browser.page.keyboard.press(key)
        assert browser.page.evaluate(WIDTH) == px
        assert splitter.get_attribute(f"aria-{name}") == str(px)
        wait_until(lambda px=px: browser.page.evaluate(ANNOUNCED) == px, what="the announced width")
    browser.page.keyboard.press("ArrowRight")
    assert browser.page.evaluate(WIDTH) == MOST_PX


def test_a_double_click_gives_it_back_to_the_window(browser, lineup):
    before = browser.page.evaluate(WIDTH)
    drag(browser, 120)
    assert browser.page.evaluate(WIDTH) != before
    browser.page.locator("#splitter").dblclick()
    wait_until(lambda: browser.page.evaluate(WIDTH) == before, what="the width that fits")
    wait_until(lambda: kept(lineup) is None, what="no width being kept")
