"""The list does not jump: by opening a thread, under who walks it by keys, while it is held."""

import pytest

from tests.browser.test_case import has_row
from tests.support import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.live, pytest.mark.real_redis]

ACTIVE = "() => document.querySelector('.list').getAttribute('aria-activedescendant')"


@pytest.mark.parametrize("sort", ["arrival", "longest_wait", "unanswered_first", "priority"])
def test_opening_an_unread_thread_moves_no_row(desk, sort):
    """Case D2: in no sort, with the pointer gone and the order live again."""
    desk.renew(f"arrival/{sort}")
    desk.wait_for("() => document.querySelectorAll('.row.unread').length > 5")
    before = desk.rows_in_view()
    id = before[4][1]
    desk.page.locator(f"#row-{id}").click()
    desk.page.wait_for_selector(f".composer-field[data-thread='{id}']")
    desk.page.wait_for_selector(".message")
    desk.page.mouse.move(1000, 300)
    desk.wait_for("() => window.lineup.list().hold === 'live'")
    assert desk.rows_in_view() == before
    assert desk.page.locator(f"#row-{id}.unread").count() == 1, "unread is what is unanswered"


def test_who_walks_by_keys_keeps_their_thread_however_far_it_goes(desk, stage):
    """Case D3: focus is on a thread, not on a place, and its row is there for who reads aloud."""
    id = stage.ids["t-60"]
    desk.open(id)
    desk.page.keyboard.press(".")
    desk.wait_for(has_row(id), "the row in the list")
    desk.page.locator(".list").focus()
    desk.page.keyboard.press("ArrowDown")
    desk.wait_for(f"() => ({ACTIVE})() !== 'row-{id}'", "the row below it")
    active = desk.page.evaluate(ACTIVE)
    name = next(name for name, its in stage.ids.items() if f"row-{its}" == active)
    assert desk.state()["hold"] == "held"

    stage.says(name, "From far below to the top")
    wait_until(lambda: f"row-{desk.state()['ids'][0]}" == active, what="the move")
    desk.wait_for("() => window.lineup.list().hold === 'live'")
    wait_until(lambda: f"row-{desk.state()['painted'][0]}" == active, what="the order let go")
    assert desk.page.evaluate(ACTIVE) == active
    assert desk.page.locator(f"#{active}").get_attribute("aria-posinset") == "1"

    # Scrolled away from it, the row is there still, and the next key goes on from it.
    desk.page.evaluate("() => { document.querySelector('.list').scrollTop = 64 * 20; }")
    twenty_first = (21, desk.state()["painted"][20])
    wait_until(lambda: desk.rows_in_view()[:1] == [twenty_first], what="the scrolling")
    assert desk.page.locator(f"#{active}").count() == 1
    desk.page.keyboard.press("ArrowDown")
    second = f"row-{desk.state()['painted'][1]}"
    desk.wait_for(f"() => ({ACTIVE})() === '{second}'", "the row below it")
    assert desk.rows_in_view()[0][0] <= 2, "the list shows where the keys are"


def test_while_held_a_row_tells_at_once_and_moves_later(desk, stage):
    """Case D5: the count and an arrow now, the place when the pointer is gone."""
    name, *later = stage.names[:6]
    id = stage.says(name)
    stage.post(*[stage.message(other) for other in later])
    wait_until(lambda: (6, id) in desk.rows_in_view(), what="the thread below the others")
    box = desk.page.locator(".list").bounding_box()
    desk.page.mouse.move(box["x"] + 90, box["y"] + 250)
    desk.page.mouse.move(box["x"] + 92, box["y"] + 252)
    desk.wait_for("() => window.lineup.list().hold === 'held'")
    before = desk.rows_in_view()
    stage.says(name, "One more thing")
    desk.wait_for(has_row(id, "One more thing"), "the new text")
    desk.page.wait_for_selector(f"#row-{id}.moved-up")
    assert desk.rows_in_view() == before
    desk.page.mouse.move(1000, 300)
    wait_until(lambda: desk.rows_in_view()[0] == (1, id), what="the move")
    assert desk.page.locator(f"#row-{id}.moved-up").count() == 0
