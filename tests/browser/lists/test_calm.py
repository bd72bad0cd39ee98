"""The list stays calm: a press hits its target, and what is read or written stays in place."""

import random

import pytest

from tests.drivers.browser import BrowserDriver
from tests.drivers.churn import Churn
from tests.support import wait_until

pytestmark = pytest.mark.slow

TRIALS = 30
SEEN_MS = 150
#: After this many trials the pointer goes away until the order has moved.
LEAVE_AFTER = 3
#: Threads at the list's end that stay there.
STAYING = 40
ROW_PX = 64

#: The upper edge of a row in each frame for a while; null where the row is gone.
FOLLOW_ROW = """([id, ms]) => new Promise((resolve) => {
  const tops = [];
  const began = performance.now();
  const look = () => {
    const row = document.getElementById(`row-${id}`);
    tops.push(row ? row.getBoundingClientRect().top : null);
    if (performance.now() - began < ms) requestAnimationFrame(look);
    else resolve(tops);
  };
  look();
})"""


def opened(browser: BrowserDriver) -> int | None:
    """The thread that the address says is open."""
    tail = browser.page.evaluate("() => location.hash").split("/")[-1]
    return int(tail) if tail.isdigit() else None


@pytest.mark.parametrize("per_second", [0, 2, 10, 50])
def test_the_row_seen_150_ms_before_the_click_is_the_one_that_opens(browser, lineup, per_second):
    """Case D1."""
    chance = random.Random(per_second)
    box = browser.page.locator(".list").bounding_box()
    row_at = "(y) => document.elementFromPoint(400, y).closest('.row')?.id"
    hits = 0
    with Churn(lineup, lineup.names, per_second) as churn:
        for trial in range(TRIALS):
            y = box["y"] + chance.randrange(40, int(box["height"]) - 40)
            browser.page.mouse.move(397, y - 3)
            browser.page.mouse.move(400, y)
            seen = browser.page.evaluate(row_at, y)
            browser.page.wait_for_timeout(SEEN_MS)
            browser.page.mouse.down()
            browser.page.mouse.up()
            hits += f"row-{opened(browser)}" == seen
            if per_second and trial % LEAVE_AFTER == 0:
                browser.page.mouse.move(900, 300)
                browser.wait_for("() => window.lineup.list().hold === 'live'")
        assert churn.moves >= per_second
    assert hits == TRIALS


def test_a_scrolled_list_keeps_its_row_on_the_pixel_at_50_moves_a_second(browser, lineup):
    for names in (lineup.names[:STAYING], lineup.names[STAYING:]):
        lineup.post(*[lineup.message_event(name) for name in names])
    ids = lineup.ids
    newest = lineup.say(lineup.names[-1])
    wait_until(lambda: browser.rows_in_view()[0][1] == newest, what="their order")
    browser.page.evaluate("() => { document.querySelector('.list').scrollTop = 60 * 64 + 17; }")
    wait_until(lambda: browser.rows_in_view()[3:4], what="the rows there")
    browser.wait_for("() => window.lineup.list().hold === 'live'")
    place, id = browser.rows_in_view()[3]
    # Threads above and below the window move, none in view. The last ones stay: a row that becomes
    # the end of the list could not keep its pixel.
    in_view = {id for _, id in browser.rows_in_view()}
    movers = [name for name in lineup.names[STAYING:] if ids[name] not in in_view]
    with Churn(lineup, movers, 50) as churn:
        wait_until(lambda: churn.moves > 0, what="the first move")
        tops = browser.page.evaluate(FOLLOW_ROW, [id, 3000])
    assert churn.moves > 100
    assert set(tops) == {tops[0]}, f"drift {min(tops)} to {max(tops)} in {len(tops)} frames"
    assert dict(map(reversed, browser.rows_in_view()))[id] != place, "nothing moved above the row"


def test_a_banner_that_comes_or_goes_moves_no_row(browser, lineup):
    wait_until(lambda: browser.rows_in_view()[3:4], what="the rows")
    tops = "() => [...document.querySelectorAll('.row')].map((r) => r.getBoundingClientRect().top)"
    before = browser.page.evaluate(tops)[:4]
    browser.page.context.set_offline(True)
    browser.page.wait_for_selector(".banner")
    assert browser.page.evaluate(tops)[:4] == before
    browser.page.context.set_offline(False)
    browser.wait_for("() => !document.querySelector('.banner')", "the banner's end", 15)
    assert browser.page.evaluate(tops)[:4] == before


def test_focus_selection_and_draft_are_kept_while_the_list_churns(browser, lineup):
    thread_id = lineup.say("t-7", "Where is it?")
    browser.open(thread_id)
    browser.page.fill(".composer-field", "It is on its way, I looked it up")
    browser.page.locator(".composer-field").evaluate("(field) => field.setSelectionRange(6, 12)")
    looked_at = """() => {
      const field = document.activeElement;
      return [field.className, field.value, field.selectionStart, field.selectionEnd];
    }"""
    before = browser.page.evaluate(looked_at)
    version = browser.state()["version"]
    with Churn(lineup, lineup.names, 50) as churn:
        wait_until(lambda: churn.moves > 100, 10, "a hundred moves")
    assert browser.state()["version"] > version
    assert browser.page.evaluate(looked_at) == before
    assert opened(browser) == thread_id

    browser.page.reload()
    browser.page.wait_for_selector(f".composer-field[data-thread='{thread_id}']")
    assert browser.page.input_value(".composer-field") == before[1]


def test_the_row_under_a_resting_pointer_stays_until_the_pointer_goes_on(browser, lineup):
    """Its own thread gets a message after the hold of a moving pointer is over."""
    page = browser.page
    box = page.locator(".list").bounding_box()
    x, y = box["x"] + 100, box["y"] + 5.5 * ROW_PX
    page.mouse.move(x - 3, y)
    page.mouse.move(x, y)
    row_at = "([x, y]) => document.elementFromPoint(x, y).closest('.row')?.id"
    seen = page.evaluate(row_at, [x, y])
    aimed = int(seen.removeprefix("row-"))
    name = next(name for name, id in lineup.ids.items() if id == aimed)
    browser.wait_for("() => window.lineup.list().hold === 'live'", "the end of the first hold")
    lineup.say(name)
    browser.wait_for(f"() => window.lineup.list().ids[0] === {aimed}", "its move")
    browser.wait_for(f"() => document.querySelector('#row-{aimed}.moved-up')", "its mark")
    tops = page.evaluate(FOLLOW_ROW, [aimed, 1500])
    assert set(tops) == {tops[0]} and page.evaluate(row_at, [x, y]) == seen
    assert browser.state()["hold"] == "held"
    # Another thread's message waits, too, until a key shows that the pointer is not aiming.
    page.keyboard.press("Shift")
    browser.wait_for(f"() => window.lineup.list().painted[0] === {aimed}", "the order being let go")
    assert browser.state()["hold"] == "live"
    page.mouse.move(x, y + 2 * ROW_PX)
    page.mouse.move(x, y + 2 * ROW_PX + 1)
    page.mouse.down()
    page.mouse.up()
    assert f"row-{opened(browser)}" == page.evaluate(row_at, [x, y + 2 * ROW_PX])
    page.mouse.move(900, 300)


def test_picked_rows_stay_where_they_are_until_they_are_let_go(browser, lineup):
    browser.page.locator(".list").focus()
    for key in ("ArrowDown", "x", "Shift+ArrowDown", "Shift+ArrowDown"):
        browser.page.keyboard.press(key)
    browser.wait_for("() => document.querySelectorAll('.row.picked').length === 3")
    before = browser.rows_in_view()
    version = browser.state()["version"]
    with Churn(lineup, lineup.names, 50) as churn:
        wait_until(lambda: churn.moves > 50, 10, "fifty moves")
        wait_until(lambda: browser.state()["version"] > version, what="frames")
    assert browser.rows_in_view() == before
    browser.page.keyboard.press("Escape")
    wait_until(lambda: browser.rows_in_view() != before, 10, "the order being let go")
