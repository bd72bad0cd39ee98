"""The page for everyone: zoomed in, on a phone, by touch, in forced colours, without motion."""

from uuid import uuid4

import pytest
from playwright.sync_api import Page

from tests.browser import states
from tests.drivers.browser import BrowserDriver
from tests.drivers.churn import Churn
from tests.support import wait_until

pytestmark = pytest.mark.slow

#: 1280 by 800 at 200 %.
ZOOMED = {"viewport": {"width": 640, "height": 400}, "device_scale_factor": 2}
PHONE = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 2,
    "has_touch": True,
    "is_mobile": True,
}
#: Content that scrolling in one direction does not reach, and targets that are too small to hit
#: (WCAG 2.5.8 exempts links in running text; a label is part of its control).
LOOK = """() => {
  const found = [];
  const { clientWidth, scrollWidth, clientHeight, scrollHeight } = document.scrollingElement;
  if (scrollWidth > clientWidth || scrollHeight > clientHeight) {
    found.push(['the page scrolls', scrollWidth, scrollHeight]);
  }
  const scrolls = (element) => {
    for (let at = element.parentElement; at; at = at.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(at);
      if (/auto|scroll/.test(overflowX + overflowY)) return true;
    }
    return false;
  };
  for (const at of document.querySelectorAll('*')) {
    const { overflowX, overflowY } = getComputedStyle(at);
    const isWide = at.scrollWidth > at.clientWidth + 1;
    const both = isWide && at.scrollHeight > at.clientHeight + 1;
    if (/auto|scroll/.test(overflowX) && /auto|scroll/.test(overflowY) && both && at.clientWidth) {
      found.push(['scrolls both ways', at.id || at.className]);
    }
    if (isWide && at.matches('.set-scroll')) found.push(['the table is cut off', at.className]);
  }
  const targets = 'button, a.button, input, select, textarea, [role=option]:not(.outside)';
  for (const target of document.querySelectorAll(targets)) {
    const box = (target.closest('label') ?? target).getBoundingClientRect();
    const style = getComputedStyle(target);
    if (!box.width || !box.height || style.visibility === 'hidden') continue;
    const entry = [target.className || target.name, ...[box.left, box.top, box.right, box.bottom]
      .map(Math.round)];
    const out = box.left < -1 || box.right > innerWidth + 1
      || ((box.top < -1 || box.bottom > innerHeight + 1) && !scrolls(target));
    if (out && !target.closest('.nav')) found.push(['cut off', ...entry]);
    if (box.width < 24 || box.height < 24) found.push(['too small', ...entry]);
  }
  return found;
}"""
#: The thread of the row under a point.
ROW_AT = "([x, y]) => document.elementFromPoint(x, y)?.closest('.row')?.id"

#: Controls that need a pointer that hovers, or buttons that narrow windows put into a menu.
WIDE_ONLY = {"held", "explain", "help"}


def window(chromium, lineup, email: str | None = None, **options) -> BrowserDriver:
    browser = BrowserDriver(chromium, lineup.server, email or lineup.mai_email, **options)
    browser.page.wait_for_selector(".row:not(.skeleton)")
    return browser


@pytest.fixture
def in_vietnamese(lineup):
    """Sets the window's language, and resets it even if the test fails: the server is shared."""
    mai = lineup.admin(lineup.mai_email)
    mai.prefer(locale="vi")
    yield
    mai.prefer(locale="en")


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(ZOOMED, id="zoomed"),
        pytest.param(PHONE, id="phone"),
    ],
)
def test_all_is_there_and_large_enough_and_scrolls_one_way(
    chromium, lineup, in_vietnamese, options
):
    """In Vietnamese, which needs the most room."""
    browser = window(chromium, lineup, **options)
    found = {}
    for name, state in states.STATES.items():
        if name not in WIDE_ONLY:
            browser.renew()
            state(browser, lineup)
            found[name] = browser.page.evaluate(LOOK)
    browser.close()
    assert {name: faults for name, faults in found.items() if faults} == {}
    assert browser.errors == []


def test_what_a_narrow_window_has_no_room_for_is_in_a_menu(chromium, lineup):
    browser = window(chromium, lineup, **ZOOMED)
    browser.open(lineup.shown)
    browser.page.set_viewport_size({"width": 320, "height": 256})  # 1280 by 1024 at 400 %
    height = "() => document.querySelector('.composer').offsetHeight"
    assert browser.page.evaluate(height) < 36, "one line, until somebody writes"
    browser.page.locator(".composer-field").click()
    assert browser.page.locator(".composer-send").is_visible()
    browser.page.set_viewport_size(ZOOMED["viewport"])
    browser.choose_act("Why here?")
    browser.page.wait_for_selector(".explain-facts")
    assert browser.page.evaluate(LOOK) == []
    browser.page.keyboard.press("Escape")
    browser.page.click(".thread-back")
    browser.wait_for("() => document.getElementById('list').offsetParent !== null", "the list")
    assert browser.errors == []
    browser.close()


def test_a_finger_holds_the_order_and_reaches_the_thread_it_touched(chromium, lineup):
    """Case D1: by touch; a long press selects, a short one opens."""
    browser = window(chromium, lineup, **PHONE)
    box = browser.page.locator(".list").bounding_box()
    x, y = box["x"] + 150, box["y"] + 400
    session = browser.page.context.new_cdp_session(browser.page)

    def touch(kind: str, *points: dict[str, float]) -> None:
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

    for _ in range(5):
        with Churn(lineup, lineup.names, 20) as churn:
            wait_until(lambda churn=churn: churn.moves > 0, what="the first move")
            touch("touchStart", {"x": x, "y": y})
            browser.wait_for("() => window.lineup.list().hold === 'held'")
            touched = browser.page.evaluate(ROW_AT, [x, y])
            version = browser.state()["version"]
            wait_until(
                lambda version=version: browser.state()["version"] > version + 3, 10, "moves"
            )
            assert browser.page.evaluate(ROW_AT, [x, y]) == touched
            # Four moves may take less time than a long press.
            browser.page.wait_for_selector(f"#{touched}.picked")
            touch("touchEnd")
            assert browser.page.evaluate(ROW_AT, [x, y]) == touched
        browser.page.touchscreen.tap(x, y)
        browser.wait_for("() => !document.querySelector('.picked')", "the end of the selection")
        browser.wait_until_equal(lineup.database)  # nothing moves any more
        touched = browser.page.evaluate(ROW_AT, [x, y])
        browser.page.touchscreen.tap(x, y)
        browser.page.wait_for_selector(
            f".composer-field[data-thread='{touched.removeprefix('row-')}']"
        )
        browser.page.tap(".thread-back")
        browser.wait_for("() => document.getElementById('list').offsetParent !== null", "the list")
    assert browser.errors == []
    browser.close()


def style(page: Page, selector: str, names: str, pseudo: str = "") -> list[str]:
    """Returns computed values under forced colours."""
    script = """([selector, names, pseudo]) => {
      const style = getComputedStyle(document.querySelector(selector), pseudo || null);
      return names.split(' ').map((name) => style.getPropertyValue(name));
    }"""
    return page.evaluate(script, [selector, names, pseudo])


#: The widths of these characters, each alone, at the place of the element.
WIDTHS = """([selector, signs]) => [...signs].map((sign) => {
  const span = document.createElement('span');
  span.textContent = sign.repeat(20);
  document.querySelector(selector).append(span);
  const { width } = span.getBoundingClientRect();
  span.remove();
  return Math.round(width);
})"""


def test_figures_have_one_width_in_times_and_hyphens_their_own_in_names(chromium, lineup):
    """Figures of one width in all texts would widen hyphens: "LN - 86590"."""
    browser = window(chromium, lineup)
    browser.page.wait_for_selector(".row:not(.skeleton) .row-time")
    assert len({*browser.page.evaluate(WIDTHS, [".row:not(.skeleton) .row-time", "1478"])}) == 1
    one, hyphen = browser.page.evaluate(WIDTHS, [".row:not(.skeleton) .row-name", "8-"])
    assert hyphen < 0.8 * one
    browser.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_in_forced_colours_states_differ_by_shape(chromium, lineup, scheme):
    browser = window(chromium, lineup, forced_colors="active", color_scheme=scheme)
    page, frame = browser.page, "outline-style outline-width"
    states.open_thread(browser, lineup)
    row = ".row:not(.current):not(.active):not(.outside)"
    assert style(page, ".row.current", "border-left-width") == ["6px"]
    assert style(page, row, f"border-left-width {frame}")[:2] == ["0px", "none"]

    pressed = '.composer-mode[aria-pressed="{}"]'.format
    assert style(page, pressed("true"), frame) == ["solid", "2px"]
    assert style(page, pressed("false"), "outline-style") == ["none"]

    page.locator(".list").focus()
    for key in ("ArrowDown", "ArrowDown", "x"):
        page.keyboard.press(key)
    page.wait_for_selector(".row.picked.active")
    assert style(page, ".row.active", frame) == ["solid", "2px"]
    assert style(page, ".row.picked .avatar", "content", "::after") == ['"✓"']
    page.keyboard.press("Escape")
    page.keyboard.press("Home")

    page.locator("#splitter").focus()
    page.keyboard.press("ArrowRight")
    assert style(page, "#splitter", frame) == ["solid", "2px"]
    browser.close()
    assert browser.errors == []


#: Records the colour of a new row's mark, which disappears two seconds after it came into view.
RECORD_NEW_MARK = """() => {
  const look = () => {
    const mark = document.querySelector('.row.fresh .row-fresh');
    if (mark) window.newMark = getComputedStyle(mark).backgroundColor;
    else requestAnimationFrame(look);
  };
  look();
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_in_forced_colours_counts_marks_and_dots_are_visible(chromium, lineup, scheme):
    browser = window(chromium, lineup, forced_colors="active", color_scheme=scheme)
    page = browser.page
    states.live(browser, lineup)  # the list is at its top, where new rows come
    count = page.locator(".row.unread .row-count").first
    assert count.is_visible()
    page.evaluate(RECORD_NEW_MARK)
    lineup.say(f"forced-{uuid4()}", "I am new here")
    new_mark = [browser.wait_for("() => window.newMark", "the mark of what is new")]
    dot = '.row .dot[data-dot="online"]'
    page.wait_for_selector(dot)
    canvas = style(page, "body", "background-color")
    assert style(page, dot, "background-color", "::before") != canvas
    assert new_mark != canvas
    browser.close()
    assert browser.errors == []


@pytest.mark.parametrize(("motion", "moves"), [("no-preference", True), ("reduce", False)])
def test_who_wants_less_motion_gets_none(chromium, lineup, motion, moves):
    browser = window(chromium, lineup, reduced_motion=motion)
    browser.page.evaluate("""() => {
      window.animated = 0;
      const animate = Element.prototype.animate;
      Element.prototype.animate = function (...given) {
        window.animated += 1;
        return animate.apply(this, given);
      };
    }""")
    names = list(lineup.ids)[50:56]
    for name in names:
        id = lineup.say(name, "One row moves")
        wait_until(lambda id=id: browser.rows_in_view()[:1] == [(1, id)], what="the move")
    assert (browser.page.evaluate("() => window.animated") > 0) == moves
    browser.close()
    assert browser.errors == []
