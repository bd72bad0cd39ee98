"""The list does not jump: when a thread is opened, while keys walk through it, while it is held."""

import pytest

from tests.browser.threads.test_case import has_row
from tests.support import wait_until

pytestmark = pytest.mark.slow

ACTIVE = "() => document.querySelector('.list').getAttribute('aria-activedescendant')"


@pytest.mark.parametrize("sort", ["arrival", "longest_wait", "unanswered_first", "priority"])
def test_opening_an_unread_thread_moves_no_row(browser, lineup, sort):
    """Case D2: in no sort, with the pointer gone and the order live again."""
    for number in range(6):
        lineup.say(f"unread-{sort}-{number}")
    browser.renew(f"arrival/{sort}")
    browser.wait_for("() => document.querySelectorAll('.row.unread').length > 5")
    before = browser.rows_in_view()
    unread = browser.page.evaluate(
        "() => [...document.querySelectorAll('.row.unread')].map(e => e.id)"
    )
    id = [id for _, id in before if f"row-{id}" in unread][3]
    browser.page.locator(f"#row-{id}").click()
    browser.page.wait_for_selector(f".composer-field[data-thread='{id}']")
    browser.page.wait_for_selector(".message")
    browser.page.mouse.move(1000, 300)
    browser.wait_for("() => window.lineup.list().hold === 'live'")
    assert browser.rows_in_view() == before
    assert browser.page.locator(f"#row-{id}.unread").count() == 1, "unread is what is unanswered"


def test_who_walks_by_keys_keeps_their_thread_however_far_it_goes(browser, lineup):
    """Case D3: focus is on a thread, not on a place, and its row stays for screen readers."""
    id = lineup.ids["t-60"]
    browser.open(id)
    browser.page.keyboard.press(".")
    browser.wait_for(has_row(id), "the row in the list")
    browser.page.locator(".list").focus()
    browser.page.keyboard.press("ArrowDown")
    browser.wait_for(f"() => ({ACTIVE})() !== 'row-{id}'", "the row below it")
    active = browser.page.evaluate(ACTIVE)
    name = next(name for name, its in lineup.ids.items() if f"row-{its}" == active)
    assert browser.state()["hold"] == "held"

    lineup.say(name, "From far below to the top")
    wait_until(lambda: f"row-{browser.state()['ids'][0]}" == active, what="the move")
    browser.wait_for("() => window.lineup.list().hold === 'live'")
    wait_until(lambda: f"row-{browser.state()['painted'][0]}" == active, what="the order let go")
    assert browser.page.evaluate(ACTIVE) == active
    assert browser.page.locator(f"#{active}").get_attribute("aria-posinset") == "1"

    # The row still exists when scrolled out of view, and the next key goes on from it.
    browser.page.evaluate("() => { document.querySelector('.list').scrollTop = 64 * 20; }")
    twenty_first = (21, browser.state()["painted"][20])
    wait_until(lambda: browser.rows_in_view()[:1] == [twenty_first], what="the scrolling")
    assert browser.page.locator(f"#{active}").count() == 1
    browser.page.keyboard.press("ArrowDown")
    second = f"row-{browser.state()['painted'][1]}"
    browser.wait_for(f"() => ({ACTIVE})() === '{second}'", "the row below it")
    assert browser.rows_in_view()[0][0] <= 2, "the list shows where the keys are"


def test_while_held_a_row_is_marked_at_once_and_moves_later(browser, lineup):
    """Case D5: the count and an arrow now, the place when the pointer is gone."""
    name, *later = lineup.names[:6]
    id = lineup.say(name)
    lineup.post(*[lineup.message_event(other) for other in later])
    wait_until(lambda: (6, id) in browser.rows_in_view(), what="the thread below the others")
    box = browser.page.locator(".list").bounding_box()
    browser.page.mouse.move(box["x"] + 90, box["y"] + 250)
    browser.page.mouse.move(box["x"] + 92, box["y"] + 252)
    browser.wait_for("() => window.lineup.list().hold === 'held'")
    before = browser.rows_in_view()
    lineup.say(name, "One more thing")
    browser.wait_for(has_row(id, "One more thing"), "the new text")
    browser.page.wait_for_selector(f"#row-{id}.moved-up")
    assert browser.rows_in_view() == before
    browser.page.mouse.move(1000, 300)
    wait_until(lambda: browser.rows_in_view()[0] == (1, id), what="the move")
    assert browser.page.locator(f"#row-{id}.moved-up").count() == 0
