"""The width of the list: by mouse, by keys, within its limits, kept for the admin."""

from collections.abc import Iterator

import pytest

from tests.browser.desk import Desk
from tests.support import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.live, pytest.mark.real_redis]

LEAST_PX, MOST_PX = 320, 640
WIDTH = "() => document.getElementById('pane-list').offsetWidth"
TOLD = "() => Number(document.getElementById('splitter').getAttribute('aria-valuenow'))"


@pytest.fixture
def desk(chromium, stage) -> Iterator[Desk]:
    """Mai's window with the width that fits it."""
    acting = stage.acts(stage.mai)
    acting.prefer(list_width=None)
    made = Desk(chromium, stage.server, stage.mai)
    yield made
    made.close()
    acting.prefer(list_width=None)
    assert made.errors == []


def drag(desk: Desk, by_px: int) -> None:
    box = desk.page.locator("#splitter").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + 200
    desk.page.mouse.move(x, y)
    desk.page.mouse.down()
    desk.page.mouse.move(x + by_px / 2, y)
    desk.page.mouse.move(x + by_px, y)
    desk.page.mouse.up()


def kept(stage) -> int | None:
    api = f"{stage.server.url}/admin/api/me"
    return stage.acts(stage.mai).session.get(api).json()["preferences"]["list_width"]


def test_it_is_dragged_and_kept_over_a_reload(desk, stage):
    before = desk.page.evaluate(WIDTH)
    drag(desk, 100)
    width = desk.page.evaluate(WIDTH)
    assert abs(width - before - 100) <= 4
    wait_until(lambda: kept(stage) == width, what="the width on the server")
    desk.page.reload()
    desk.page.wait_for_selector(".row:not(.skeleton)")
    assert desk.page.evaluate(WIDTH) == width


@pytest.mark.parametrize(("by_px", "px"), [(-900, LEAST_PX), (900, MOST_PX)])
def test_no_drag_goes_beyond_the_limits(desk, by_px, px):
    drag(desk, by_px)
    assert desk.page.evaluate(WIDTH) == px


def test_keys_set_it_in_steps_to_the_limits_and_say_so(desk):
    splitter = desk.page.locator("#splitter")
    splitter.focus()
    before = desk.page.evaluate(WIDTH)
    desk.page.keyboard.press("ArrowRight")
    desk.page.keyboard.press("ArrowRight")
    desk.page.keyboard.press("ArrowLeft")
    assert desk.page.evaluate(WIDTH) == before + 20
    for key, px, name in (("Home", LEAST_PX, "valuemin"), ("End", MOST_PX, "valuemax")):
        desk.page.keyboard.press(key)
        assert desk.page.evaluate(WIDTH) == px
        assert splitter.get_attribute(f"aria-{name}") == str(px)
        wait_until(lambda px=px: desk.page.evaluate(TOLD) == px, what="the width being told")
    desk.page.keyboard.press("ArrowRight")
    assert desk.page.evaluate(WIDTH) == MOST_PX


def test_a_double_click_gives_it_back_to_the_window(desk, stage):
    before = desk.page.evaluate(WIDTH)
    drag(desk, 120)
    assert desk.page.evaluate(WIDTH) != before
    desk.page.locator("#splitter").dblclick()
    wait_until(lambda: desk.page.evaluate(WIDTH) == before, what="the width that fits")
    wait_until(lambda: kept(stage) is None, what="no width being kept")
