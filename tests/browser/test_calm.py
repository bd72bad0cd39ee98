"""The list stays calm: what is aimed at is hit, what is looked at or written is kept."""

import random

import pytest

from tests.browser.churn import Churn
from tests.browser.desk import Desk
from tests.support import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.live, pytest.mark.real_redis]

TRIALS = 30
SEEN_MS = 150
#: Trials after which the pointer goes away until the order has moved.
LEAVE_AFTER = 3
#: Threads at the list's end that stay there.
STAYING = 40

#: Where a row stands in each frame for a while: its upper edge, null where it is gone.
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


def opened(desk: Desk) -> int | None:
    """The thread that the address says is open."""
    tail = desk.page.evaluate("() => location.hash").split("/")[-1]
    return int(tail) if tail.isdigit() else None


@pytest.mark.parametrize("per_second", [0, 2, 10, 50])
def test_the_row_seen_150_ms_before_the_click_is_the_one_that_opens(desk, stage, per_second):
    """Case D1."""
    chance = random.Random(per_second)
    box = desk.page.locator(".list").bounding_box()
    row_at = "(y) => document.elementFromPoint(400, y).closest('.row')?.id"
    hits = 0
    with Churn(stage, stage.names, per_second) as churn:
        for trial in range(TRIALS):
            y = box["y"] + chance.randrange(40, int(box["height"]) - 40)
            desk.page.mouse.move(397, y - 3)
            desk.page.mouse.move(400, y)
            seen = desk.page.evaluate(row_at, y)
            desk.page.wait_for_timeout(SEEN_MS)
            desk.page.mouse.down()
            desk.page.mouse.up()
            hits += f"row-{opened(desk)}" == seen
            if per_second and trial % LEAVE_AFTER == 0:
                desk.page.mouse.move(900, 300)
                desk.wait_for("() => window.lineup.list().hold === 'live'")
        assert churn.moves >= per_second
    assert hits == TRIALS


def test_a_scrolled_list_keeps_its_row_on_the_pixel_at_50_moves_a_second(desk, stage):
    for names in (stage.names[:STAYING], stage.names[STAYING:]):
        stage.post(*[stage.message(name) for name in names])
    ids = stage.ids
    newest = stage.says(stage.names[-1])
    wait_until(lambda: desk.rows_in_view()[0][1] == newest, what="their order")
    desk.page.evaluate("() => { document.querySelector('.list').scrollTop = 60 * 64 + 17; }")
    wait_until(lambda: desk.rows_in_view()[3:4], what="the rows there")
    desk.wait_for("() => window.lineup.list().hold === 'live'")
    place, id = desk.rows_in_view()[3]
    # Threads from above and from below the window move, none that is in view. The last ones stay:
    # a row that comes to stand at the list's end could not keep its pixel.
    in_view = {id for _, id in desk.rows_in_view()}
    movers = [name for name in stage.names[STAYING:] if ids[name] not in in_view]
    with Churn(stage, movers, 50) as churn:
        wait_until(lambda: churn.moves > 0, what="the first move")
        tops = desk.page.evaluate(FOLLOW_ROW, [id, 3000])
    assert churn.moves > 100
    assert set(tops) == {tops[0]}, f"drift {min(tops)} to {max(tops)} in {len(tops)} frames"
    assert dict(map(reversed, desk.rows_in_view()))[id] != place, "nothing moved above the row"


def test_a_banner_that_comes_or_goes_moves_no_row(desk, stage):
    wait_until(lambda: desk.rows_in_view()[3:4], what="the rows")
    tops = "() => [...document.querySelectorAll('.row')].map((r) => r.getBoundingClientRect().top)"
    before = desk.page.evaluate(tops)[:4]
    desk.page.context.set_offline(True)
    desk.page.wait_for_selector(".banner")
    assert desk.page.evaluate(tops)[:4] == before
    desk.page.context.set_offline(False)
    desk.wait_for("() => !document.querySelector('.banner')", "the banner's end", 15)
    assert desk.page.evaluate(tops)[:4] == before


def test_focus_selection_and_draft_are_kept_while_the_list_churns(desk, stage):
    thread_id = stage.says("t-7", "Where is it?")
    desk.open(thread_id)
    desk.page.fill(".composer-field", "It is on its way, I looked it up")
    desk.page.locator(".composer-field").evaluate("(field) => field.setSelectionRange(6, 12)")
    looked_at = """() => {
      const field = document.activeElement;
      return [field.className, field.value, field.selectionStart, field.selectionEnd];
    }"""
    before = desk.page.evaluate(looked_at)
    version = desk.state()["version"]
    with Churn(stage, stage.names, 50) as churn:
        wait_until(lambda: churn.moves > 100, 10, "a hundred moves")
    assert desk.state()["version"] > version
    assert desk.page.evaluate(looked_at) == before
    assert opened(desk) == thread_id

    desk.page.reload()
    desk.page.wait_for_selector(f".composer-field[data-thread='{thread_id}']")
    assert desk.page.input_value(".composer-field") == before[1]


def test_picked_rows_stay_where_they_are_until_they_are_let_go(desk, stage):
    desk.page.locator(".list").focus()
    for key in ("ArrowDown", "x", "Shift+ArrowDown", "Shift+ArrowDown"):
        desk.page.keyboard.press(key)
    desk.wait_for("() => document.querySelectorAll('.row.picked').length === 3")
    before = desk.rows_in_view()
    version = desk.state()["version"]
    with Churn(stage, stage.names, 50) as churn:
        wait_until(lambda: churn.moves > 50, 10, "fifty moves")
        wait_until(lambda: desk.state()["version"] > version, what="frames")
    assert desk.rows_in_view() == before
    desk.page.keyboard.press("Escape")
    wait_until(lambda: desk.rows_in_view() != before, 10, "the order being let go")
