"""The page at each width: whole titles, Take in the thread's head, icons with names; and touch."""

import pytest
from playwright.sync_api import Page

from tests.browser.outside import outside
from tests.drivers.browser import BrowserDriver
from tests.support import wait_until

pytestmark = pytest.mark.slow

#: The names of the left column and of a phone's bar.
NAMES = ".nav-item > .nav-text, .nav-short"
#: Texts below 12 px.
SMALL_TEXTS = """(selector) => [...document.querySelectorAll(`${selector} *`)]
  .filter((each) => each.checkVisibility() && parseFloat(getComputedStyle(each).fontSize) < 12
    && [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
  .map((each) => `${each.className} ${each.textContent}`)"""
#: Parts of texts that do not fit into their elements.
CUT = """(selector) => [...document.querySelectorAll(selector)]
  .filter((each) => each.checkVisibility()
    && (each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight))
  .map((each) => each.textContent)"""
#: Words that are broken in the middle.
BROKEN = """(selector) => [...document.querySelectorAll(selector)]
  .filter((each) => each.checkVisibility())
  .flatMap((each) => {
    const text = [...each.childNodes].find((node) => node.nodeType === 3 && node.data.trim());
    return [...text.data.matchAll(/\\S+/g)].filter(({ 0: word, index }) => {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      return range.getClientRects().length > 1;
    });
  }).map(([word]) => word)"""
#: What can be scrolled up and down beside the list and the messages.
SCROLLED = """() => [...document.querySelectorAll('*')]
  .filter((each) => each.checkVisibility() && each.scrollHeight > each.clientHeight + 1
    && /auto|scroll/.test(getComputedStyle(each).overflowY) && !/^(list|messages)$/.test(each.id))
  .map((each) => `${each.tagName} ${each.className}`)"""
#: Elements that reach beyond the inside of the list's head.
OUTSIDE = """() => {
  const head = document.querySelector('.list-header');
  const end = head.getBoundingClientRect().right - parseFloat(getComputedStyle(head).paddingRight);
  return [...head.children].filter((each) => each.getBoundingClientRect().right > end + 0.5)
    .map((each) => each.className);
}"""
#: What is drawn beyond its container in the thread: [container, element].
OF_THREAD = """() => [
  ['.pane-thread', '#thread-head, .messages-frame, #here, .composer'],
  ['.thread-head', 'button, .avatar, .thread-line, .thread-facts'],
  ['.composer', 'button, textarea, .composer-state'],
  ['.customer:not([hidden])', '*'],
].flatMap(([within, parts]) => {
  const outer = document.querySelector(within);
  if (!outer) return [];
  const box = outer.getBoundingClientRect();
  const scrolls = outer.matches('.customer');
  return [...outer.querySelectorAll(parts)].filter((each) => {
    if (!each.checkVisibility()) return false;
    const { left, right, top, bottom } = each.getBoundingClientRect();
    return left < box.left - 0.5 || right > box.right + 0.5
      || (!scrolls && (top < box.top - 0.5 || bottom > box.bottom + 0.5));
  }).map((each) => [within, each.className || each.tagName]);
})"""
#: The left and right edges of the newest of the customer's and of the team's messages, and of the
#: composer.
EDGES = """() => {
  const box = (selector) => [...document.querySelectorAll(selector)].at(-1).getBoundingClientRect();
  const composer = box('.composer');
  return [box('.message[data-kind=client]').left, composer.left,
    box('.message[data-kind=note]').right, composer.right];
}"""
SIX = ((390, 844), (820, 1180), (1280, 720), (1440, 900), (1920, 1080), (2560, 1440))
#: The texts below visible icons, with the shapes of the icons.
NAMED = """() => [...document.querySelectorAll('.nav button')]
  .filter((each) => each.checkVisibility() && !each.matches('.nav-me')).map((each) =>
    [[...each.querySelectorAll('.nav-text, .nav-short')].filter((one) => one.checkVisibility())
      .map((one) => one.textContent).join(), each.querySelector('use')?.getAttribute('href')])"""
TOUCH = """async ([selector, ms]) => {
  const target = document.querySelector(selector);
  const { left, top } = target.getBoundingClientRect();
  const options = {
    bubbles: true, pointerType: 'touch', button: 0, isPrimary: true,
    clientX: left + 80, clientY: top + 20,
  };
  target.dispatchEvent(new PointerEvent('pointerdown', options));
  await new Promise((resolve) => { setTimeout(resolve, ms); });
  target.dispatchEvent(new PointerEvent('pointerup', options));
}"""
LONG_MS = 700
#: As on a busy machine.
LATE_PAINTINGS = """() => {
  const { requestAnimationFrame: soon } = window;
  window.requestAnimationFrame = (paint) => setTimeout(() => soon(paint), 1500);
}"""


def test_the_names_below_icons_are_whole_on_phones_and_tablets(chromium, lineup):
    """In each language; a phone shows all of them without scrolling."""
    mai = BrowserDriver(chromium, lineup.server, lineup.mai_email)
    admin, page = lineup.admin(lineup.mai_email), mai.page
    id = lineup.say("names", name="Names")
    found = {}
    try:
        for locale in ("en", "vi", "ja"):
            admin.prefer(locale=locale)
            page.set_viewport_size({"width": 1280, "height": 800})
            mai.renew()
            mai.open(id)
            page.fill(".composer-field", "A draft is one more name below an icon")
            page.wait_for_selector(".nav-item[data-kind=draft]:not([data-none])")
            page.keyboard.press("Escape")
            page.evaluate("() => { location.hash = '#/arrival/arrival'; }")
            for width in (360, 390, 820, 1024):
                found[locale, width] = faults_of_names(page, width, locale)
            page.set_viewport_size({"width": 1024, "height": 600})
            found[locale, "low"] = page.evaluate(SCROLLED) + outside(page)
    finally:
        admin.prefer(locale="en")
    assert {at: faults for at, faults in found.items() if faults} == {}
    mai.renew()
    for width in (1280, 1440, 1920, 2560):
        page.set_viewport_size({"width": width, "height": width * 9 // 16})
        page.wait_for_selector(".queue-now-count")
        assert outside(page) == [], width
    page.set_viewport_size({"width": 360, "height": 780})
    page.click(".nav-item[data-kind=snoozed]")
    mai.wait_until_shown("snoozed/soonest")
    reaches_all_the_rest(mai)
    has_the_rest_of_a_low_column(mai)
    assert mai.errors == []
    mai.close()


def faults_of_names(page: Page, width: int, locale: str) -> list[str]:
    page.set_viewport_size({"width": width, "height": 768})
    page.wait_for_selector(".row:not(.skeleton)")
    faults = page.evaluate(CUT, NAMES) + page.evaluate(SMALL_TEXTS, ".nav")
    faults += page.evaluate(CUT, ".nav .nav-count") + outside(page)
    if width < 720:
        faults += page.evaluate(CUT, ".nav")
    if width < 720 or locale != "ja":  # Japanese may go on in a new line anywhere
        faults += page.evaluate(BROKEN, NAMES)
    return faults + page.evaluate(SCROLLED)


def has_the_rest_of_a_low_column(mai: BrowserDriver) -> None:
    """In the sheet of a tablet, whose column has the places."""
    page = mai.page
    page.set_viewport_size({"width": 1024, "height": 768})
    mai.renew()
    page.click(".nav-item[data-kind=more]")
    rest = page.locator(".nav-sheet button:visible .nav-text").all_inner_texts()
    assert {"Drafts", "Not sent", "Team", "Customers online", "Actions"} <= set(rest)
    assert "History" not in rest, "the places stand in the column"
    page.keyboard.press("Escape")


def reaches_all_the_rest(mai: BrowserDriver) -> None:
    """A phone's bar has five places and "More", with a sheet."""
    page = mai.page
    bar = page.locator(".nav-places > .nav-item:visible .nav-text").all_inner_texts()
    assert bar == ["Search", "Mine", "Not responded", "All open", "Snoozed", "More"]
    for place in ("mentions/arrival", "unassigned/longest_wait", "history/arrival"):
        page.click(".nav-item[data-kind=more]")
        assert outside(page) == []
        page.click(f".nav-sheet [data-kind={place.split('/')[0]}]")
        mai.wait_until_shown(place)
        more = page.locator(".nav-item[data-kind=more]").get_attribute("aria-current")
        assert more == "true" and not page.locator("#dialog").is_visible()
    for name, opened in (
        ("Team", "#team-panel"),
        ("Customers online", "#online-panel"),
        ("Drafts", "#dialog .panel-note"),
        ("Shortcuts", ".help-keys"),
        ("Actions", "#palette"),
        ("Settings", ".area-frame"),
        ("Manage views", ".area-page[data-page=views]"),
    ):
        page.click(".nav-item[data-kind=more]")
        page.locator(".nav-sheet button", has_text=name).click()
        page.wait_for_selector(opened)
        page.keyboard.press("Escape")
        page.wait_for_selector(opened, state="hidden")


def is_shown(browser: BrowserDriver, selector: str) -> bool:
    return browser.page.locator(selector).first.is_visible()


def has_room_for_head(mai: BrowserDriver, id: int, locale: str) -> None:
    """While the order is held, the customer's name is whole, and the list's head is in its pane."""
    for list in ("not_respond/longest_wait", "not_respond/unanswered_first"):
        mai.renew(list)
        mai.open(id)
        point_at_rows(mai)
        mai.wait_for("() => document.querySelector('.live').dataset.state === 'held'")
        assert mai.page.evaluate(CUT, ".thread-name, .sort-text") == [], (locale, list)
        assert mai.page.evaluate(OUTSIDE) == [], (locale, list)


def point_at_rows(mai: BrowserDriver) -> None:
    box = mai.page.locator(".list").bounding_box()
    mai.page.mouse.move(box["x"] + 90, box["y"] + 250)
    mai.page.mouse.move(box["x"] + 92, box["y"] + 252)


def has_whole_titles(mai: BrowserDriver, locale: str) -> None:
    for list in ("not_respond/longest_wait", "not_respond/unanswered_first"):
        mai.renew(list)
        mai.page.wait_for_selector(".row:not(.skeleton)")
        whole = ".header-title, .sort-text, .nav .nav-text"
        assert mai.page.evaluate(CUT, whole) == [], (locale, list)


def shows_the_whole_navigation(mai: BrowserDriver) -> None:
    """Nine views fit into 720 px, with nothing cut and nothing to scroll."""
    page = mai.page
    mai.wait_for("() => document.querySelectorAll('.nav-view').length === 9", "nine views")
    for selector in (".nav", ".nav-views-list"):
        room = "(name) => { const { scrollHeight, clientHeight } = document.querySelector(name);"
        assert page.evaluate(f"{room} return scrollHeight - clientHeight; }}", selector) <= 0
    end = "() => document.querySelector('.nav-settings').getBoundingClientRect().bottom"
    assert page.evaluate(end) <= 720
    assert page.evaluate("() => document.querySelector('.nav').offsetWidth") == 208
    assert outside(page) == []


def is_news_beside_whole_titles(mai: BrowserDriver, lineup, locale: str) -> None:
    """While the list is held, with a button for what is new above it, even if the thread comes
    before the page has painted what the pointer did."""
    mai.renew("arrival/arrival")
    mai.page.wait_for_selector(".row:not(.skeleton)")
    mai.page.evaluate(LATE_PAINTINGS)
    point_at_rows(mai)
    lineup.say(f"news-{locale}", name="News")
    mai.page.wait_for_selector(".news")
    assert mai.page.evaluate(CUT, ".header-title, .sort-text") == [], locale
    mai.page.mouse.move(900, 300)


def has_whole_thread(mai: BrowserDriver, id: int, locale: str) -> None:
    """At each width: no part of the thread beyond its container, no cut word on a button."""
    page = mai.page
    mai.renew("arrival/arrival")
    for width, height in SIX:
        page.set_viewport_size({"width": width, "height": height})
        mai.open(id)
        for kind in (1, 0):
            page.locator(".composer-mode").nth(kind).click()
            at = (locale, width, kind)
            assert page.evaluate(OF_THREAD) == [], at
            buttons = ".thread-acts .button, .composer-mode, .composer-send"
            assert page.evaluate(CUT, buttons) == [], at
    page.set_viewport_size({"width": 1280, "height": 720})


def test_titles_are_whole_and_take_stays_in_the_head(chromium, lineup):
    mai = BrowserDriver(
        chromium, lineup.server, lineup.mai_email, viewport={"width": 1280, "height": 720}
    )
    admin, page = lineup.admin(lineup.mai_email), mai.page
    id = lineup.say("wide", name="Nguyễn Thị Phương Anh")
    views = [admin.save_view(f"View {at}", f"lang:fi waits:>{at}h") for at in range(1, 10)]
    try:
        for locale in ("en", "vi", "ja"):
            admin.prefer(locale=locale)
            has_whole_titles(mai, locale)
            shows_the_whole_navigation(mai)
            is_news_beside_whole_titles(mai, lineup, locale)
            has_room_for_head(mai, id, locale)
            has_whole_thread(mai, id, locale)
    finally:
        admin.prefer(locale="en")
        for view in views:
            admin.delete_view(view["id"])
    mai.renew("not_respond/longest_wait")
    me = page.locator(".nav-me")
    wait_until(lambda: "Mai" in me.inner_text(), what="my name")
    counts = page.locator(".nav-item", has_text="Unassigned").locator(".nav-count")
    wait_until(lambda: counts.inner_text().isdigit(), what="the count of what nobody has")
    assert page.locator(".header-total .unseen").inner_text().endswith("threads")

    the_head_shows_its_acts(mai, lineup, id)
    large_windows_have_columns(mai, lineup, id)
    assert mai.errors == []
    mai.close()


def the_head_shows_its_acts(mai: BrowserDriver, lineup, id: int) -> None:
    page = mai.page
    mai.open(id)
    for width, height in ((1280, 720), (1440, 900), (820, 1180), (390, 780)):
        page.set_viewport_size({"width": width, "height": height})
        if width == 1440:
            page.keyboard.press("Escape")
            page.locator(".list").focus()
            page.keyboard.press("i")
            page.wait_for_selector(".customer-facts time")
        for name in ("claim", "hand", "snooze", "done", "more"):
            assert is_shown(mai, f".thread-acts > .act-{name}"), (name, width)
        if width != 390:
            continue
        facts = page.locator(".thread-facts")
        assert facts.is_visible()
        assert "Unassigned" in facts.inner_text(), "who has it stays on a phone"
        head_keeps_its_height(mai, lineup, id)


def head_keeps_its_height(mai: BrowserDriver, lineup, id: int) -> None:
    height = "() => document.getElementById('thread-head').offsetHeight"
    before = mai.page.evaluate(height)
    acts = "() => document.querySelector('.thread-acts').innerText"
    admin = lineup.admin(lineup.mai_email)
    for act, button in (("claim", "Give back"), ("close", "Reopen"), ("reopen", "Done")):
        assert admin.act(id, act).ok
        mai.wait_for(f"() => ({acts})().includes('{button}')", act)
        assert mai.page.evaluate(height) == before, act
    assert admin.act(id, "release").ok


def large_windows_have_columns(mai: BrowserDriver, lineup, id: int) -> None:
    """Messages and composer share a column, and the customer's panel stands open, until it is
    closed for good."""
    page, panel = mai.page, "#customer:not([hidden])"
    lineup.admin(lineup.mai_email).reply(id, "A note of the team", private=True)
    for width, height in ((1680, 1050), (1920, 1080), (2560, 1440)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_selector(f"{panel} .customer-facts time")
        for kind in ("client", "note"):
            page.wait_for_selector(f".message[data-kind={kind}]")
        if width >= 1920:
            left, composer_left, right, composer_right = page.evaluate(EDGES)
            assert abs(left - composer_left) < 1, width
            assert abs(right - composer_right) < 1, width
            assert right - left <= 860, width
    page.locator(f"{panel} .customer-head button").click()
    page.wait_for_selector(panel, state="detached")
    wait_until(
        lambda: (
            not lineup.mai.get(f"{lineup.server.url}/admin/api/me").json()["preferences"][
                "customer_panel"
            ]
        ),
        what="the choice being kept",
    )
    mai.renew()
    mai.open(id)
    assert page.locator(panel).count() == 0
    page.locator(".list").focus()
    page.keyboard.press("i")
    page.wait_for_selector(panel)


def icons_have_names_and_no_keys(mai: BrowserDriver) -> None:
    named = mai.page.evaluate(NAMED)
    assert all(text and icon for text, icon in named), named
    icons = [icon for _, icon in named]
    assert len(set(icons)) == len(icons), named
    mai.wait_for(
        "() => document.querySelector('.nav-item[aria-current=true] .nav-count')"
        ".textContent !== ''",
        "a count",
    )
    hints = "() => [...document.querySelectorAll('kbd')].filter((one) => one.checkVisibility())"
    assert mai.page.evaluate(f"({hints})().length") == 0


def finds_the_help(page, width: int) -> None:
    if width < 720:
        page.click(".nav-item[data-kind=more]")
    page.locator(".nav-palette:visible").click()
    page.fill(".palette-field", "shortcuts")
    page.locator(".palette-entry", has_text="help").first.click()
    page.wait_for_selector(".help-keys kbd")


@pytest.mark.parametrize("size", [(820, 1180), (390, 780)], ids=["tablet", "phone"])
def test_a_finger_picks_rows_and_reaches_everything(chromium, lineup, size):
    width, height = size
    mai = BrowserDriver(
        chromium,
        lineup.server,
        lineup.mai_email,
        viewport={"width": width, "height": height},
        has_touch=True,
        is_mobile=True,
    )
    page = mai.page
    ids = [lineup.say(f"touch-{width}-{number}", name=f"Touch {number}") for number in range(3)]
    mai.renew()
    mai.wait_for(f"() => document.getElementById('row-{ids[-1]}')", "the newest thread")
    icons_have_names_and_no_keys(mai)
    page.evaluate(TOUCH, [f"#row-{ids[-1]}", LONG_MS])
    count = "() => document.querySelector('.bulk-count')?.textContent"
    mai.wait_for(f"() => ({count})() === '1 selected'", "the row being picked")
    page.evaluate(TOUCH, [f"#row-{ids[-2]}", 30])
    mai.wait_for(f"() => ({count})() === '2 selected'", "one more row")
    assert page.evaluate("() => location.hash").endswith("arrival/arrival"), "no thread was opened"
    page.locator(".list-header .button", has_text="Take").click()
    mai.wait_for("() => document.getElementById('toasts').textContent.includes('2 threads taken.')")
    finds_the_help(page, width)
    assert mai.errors == []
    mai.close()


#: Fields with letters below 16 px: a phone zooms in where one is tapped.
SMALL = """() => [...document.querySelectorAll('input, select, textarea')]
  .filter((each) => !/checkbox|radio|file|hidden|range|color/.test(each.type))
  .map((each) => [each.className || each.name, parseFloat(getComputedStyle(each).fontSize)])
  .filter(([, px]) => px < 16)"""
FIELDS_OF = {
    "composer": lambda page: page.wait_for_selector(".composer-field"),
    "search": lambda page: (page.keyboard.press("/"), page.wait_for_selector(".query-field")),
    "palette": lambda page: (
        page.keyboard.press("Control+k"),
        page.wait_for_selector(".palette-field"),
    ),
    "settings": lambda page: (
        page.locator(".nav-settings").first.dispatch_event("click"),
        page.wait_for_selector(".area-nav a"),
        page.locator(".area-nav [href='/settings/profile']").click(),
        page.wait_for_selector("#account select"),
    ),
    "a moment of one's own": lambda page: (
        page.keyboard.press("h"),
        page.wait_for_selector("#snooze:popover-open .menu-item"),
        page.keyboard.press("d"),
        page.wait_for_selector(".snooze-form input"),
    ),
}


@pytest.mark.parametrize("width", [390, 820])
def test_no_field_makes_a_phone_zoom(chromium, lineup, width):
    id = lineup.say("zoomless")
    touch = {"viewport": {"width": width, "height": 844}, "has_touch": True, "is_mobile": True}
    browser = BrowserDriver(chromium, lineup.server, lineup.mai_email, **touch)
    page = browser.page
    for name, opens in FIELDS_OF.items():
        browser.renew()
        browser.open(id)
        page.evaluate("document.activeElement.blur()")
        opens(page)
        assert page.evaluate(SMALL) == [], name
    for path in (
        "settings/profile",
        "login",
        "invitation",
        "settings/webhooks",
        "settings/accounts",
    ):
        if path == "login":
            page.context.clear_cookies()
        page.goto(f"{lineup.server.url}/{path}")
        page.wait_for_selector("input:not([type=hidden]), .card", state="attached")
        assert page.evaluate(SMALL) == [], path
    browser.close()
    assert browser.errors == []
