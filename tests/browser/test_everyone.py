"""The page for everyone: zoomed in, on a phone, by touch, in forced colours, without motion."""

from uuid import uuid4

import pytest
from playwright.sync_api import Page

from tests.browser import states
from tests.browser.churn import Churn
from tests.browser.desk import Desk
from tests.support import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.live, pytest.mark.real_redis]

#: 1280 by 800 at 200 %.
ZOOMED = {"viewport": {"width": 640, "height": 400}, "device_scale_factor": 2}
PHONE = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 2,
    "has_touch": True,
    "is_mobile": True,
}
#: What cannot be reached by scrolling in one direction, and targets that are too small to hit
#: (WCAG 2.5.8; links in running text are let off there, and a label is part of its control).
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
    const both = at.scrollWidth > at.clientWidth + 1 && at.scrollHeight > at.clientHeight + 1;
    if (/auto|scroll/.test(overflowX) && /auto|scroll/.test(overflowY) && both && at.clientWidth) {
      found.push(['scrolls both ways', at.id || at.className]);
    }
  }
  const targets = 'button, a.button, input, select, textarea, [role=option]:not(.outside)';
  for (const target of document.querySelectorAll(targets)) {
    const box = (target.closest('label') ?? target).getBoundingClientRect();
    const style = getComputedStyle(target);
    if (!box.width || !box.height || style.visibility === 'hidden') continue;
    const told = [target.className || target.name, ...[box.left, box.top, box.right, box.bottom]
      .map(Math.round)];
    const out = box.left < -1 || box.right > innerWidth + 1
      || ((box.top < -1 || box.bottom > innerHeight + 1) && !scrolls(target));
    if (out && !target.closest('.nav')) found.push(['cut off', ...told]);
    if (box.width < 24 || box.height < 24) found.push(['too small', ...told]);
  }
  return found;
}"""
#: Which thread the row under a point is of.
ROW_AT = "([x, y]) => document.elementFromPoint(x, y)?.closest('.row')?.id"

#: What needs a pointer that hovers, or a button that narrow windows put into a menu.
WIDE_ONLY = {"held", "explain", "help"}


def window(chromium, stage, email: str | None = None, **options) -> Desk:
    desk = Desk(chromium, stage.server, email or stage.mai, **options)
    desk.page.wait_for_selector(".row:not(.skeleton)")
    return desk


@pytest.mark.parametrize("options", [ZOOMED, PHONE], ids=["zoomed", "phone"])
def test_all_is_there_and_large_enough_and_scrolls_one_way(chromium, stage, options):
    """In Vietnamese, which needs the most room."""
    stage.acts(stage.mai).prefer(locale="vi")
    desk = window(chromium, stage, **options)
    found = {}
    for name, state in states.STATES.items():
        if name not in WIDE_ONLY:
            desk.renew()
            state(desk, stage)
            found[name] = desk.page.evaluate(LOOK)
    stage.acts(stage.mai).prefer(locale="en")
    desk.close()
    assert {name: told for name, told in found.items() if told} == {}
    assert desk.errors == []


def test_what_a_narrow_window_has_no_room_for_is_in_a_menu(chromium, stage):
    desk = window(chromium, stage, **ZOOMED)
    desk.open(stage.shown)
    desk.page.click(".act-more")
    desk.page.locator(".menu-item", has_text="Why here?").click()
    desk.page.wait_for_selector(".explain-facts")
    assert desk.page.evaluate(LOOK) == []
    desk.page.keyboard.press("Escape")
    desk.page.click(".thread-back")
    desk.wait_for("() => document.getElementById('list').offsetParent !== null", "the list")
    assert desk.errors == []
    desk.close()


def test_a_finger_holds_the_order_and_opens_the_thread_it_touched(chromium, stage):
    """Case D1: by touch."""
    desk = window(chromium, stage, **PHONE)
    box = desk.page.locator(".list").bounding_box()
    x, y = box["x"] + 150, box["y"] + 400
    session = desk.page.context.new_cdp_session(desk.page)

    def touch(kind: str, *points: dict[str, float]) -> None:
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

    for _ in range(5):
        with Churn(stage, stage.names, 20) as churn:
            wait_until(lambda churn=churn: churn.moves > 0, what="the first move")
            touch("touchStart", {"x": x, "y": y})
            desk.wait_for("() => window.lineup.list().hold === 'held'")
            touched = desk.page.evaluate(ROW_AT, [x, y])
            version = desk.state()["version"]
            wait_until(lambda version=version: desk.state()["version"] > version + 3, 10, "moves")
            assert desk.page.evaluate(ROW_AT, [x, y]) == touched
            touch("touchEnd")
            desk.page.wait_for_selector(
                f".composer-field[data-thread='{touched.removeprefix('row-')}']"
            )
        desk.page.tap(".thread-back")
        desk.wait_for("() => document.getElementById('list').offsetParent !== null", "the list")
    assert desk.errors == []
    desk.close()


def style(page: Page, selector: str, names: str, pseudo: str = "") -> list[str]:
    """Computed values, as they are in forced colours."""
    script = """([selector, names, pseudo]) => {
      const style = getComputedStyle(document.querySelector(selector), pseudo || null);
      return names.split(' ').map((name) => style.getPropertyValue(name));
    }"""
    return page.evaluate(script, [selector, names, pseudo])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_in_forced_colours_states_are_told_apart_by_shape(chromium, stage, scheme):
    desk = window(chromium, stage, forced_colors="active", color_scheme=scheme)
    page, frame = desk.page, "outline-style outline-width"
    states.open_thread(desk, stage)
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

    count = page.locator(".row.unread .row-count").first
    assert count.is_visible()
    assert style(page, ".row.unread .row-count", "border-top-style") == ["solid"]
    id = stage.says(f"forced-{uuid4()}", "I am new here")
    # The mark goes two seconds after it was seen: found and read at once.
    mark = f"""() => {{
      const mark = document.querySelector('#row-{id}.fresh .row-fresh');
      return mark && getComputedStyle(mark).backgroundColor;
    }}"""
    new_mark = [desk.wait_for(mark, "the mark of what is new")]
    dot = '.row .dot[data-dot="online"]'
    page.wait_for_selector(dot)
    canvas = style(page, "body", "background-color")
    assert style(page, dot, "background-color", "::before") != canvas
    assert new_mark != canvas

    page.locator("#splitter").focus()
    page.keyboard.press("ArrowRight")
    assert style(page, "#splitter", frame) == ["solid", "2px"]
    desk.close()
    assert desk.errors == []


@pytest.mark.parametrize(("motion", "moves"), [("no-preference", True), ("reduce", False)])
def test_who_wants_less_motion_gets_none(chromium, stage, motion, moves):
    desk = window(chromium, stage, reduced_motion=motion)
    desk.page.evaluate("""() => {
      window.animated = 0;
      const animate = Element.prototype.animate;
      Element.prototype.animate = function (...given) {
        window.animated += 1;
        return animate.apply(this, given);
      };
    }""")
    names = list(stage.ids)[50:56]
    for name in names:
        id = stage.says(name, "One row moves")
        wait_until(lambda id=id: desk.rows_in_view()[:1] == [(1, id)], what="the move")
    assert (desk.page.evaluate("() => window.animated") > 0) == moves
    desk.close()
    assert desk.errors == []
