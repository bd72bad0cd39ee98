"""Sound, notification and count in Chromium: by each admin's own rules, once over all windows."""

import itertools
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.drivers.browser import BrowserDriver
from tests.drivers.lineup import LineupDriver
from tests.support import stays, wait_until

pytestmark = pytest.mark.slow

#: Notes what is heard and seen: tones that start, notifications as they are shown.
_RECORD = """() => {
  window.recorded = { tones: [], shown: [], closed: 0 };
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (...given) {
    recorded.tones.push([this.frequency.value, this.context.state]);
    return start.apply(this, given);
  };
  window.Notification = class extends Notification {
    constructor(title, options) {
      super(title, options);
      recorded.newest = this;
      this.onshow = () => recorded.shown.push({ title, ...options });
      this.onclose = () => { recorded.closed += 1; };
    }
  };
}"""
#: As in browsers, but not in headless Chromium: no sound before the page was touched.
_UNTOUCHED = """() => {
  const touched = new Promise((resolve) => addEventListener('pointerdown', resolve));
  AudioContext.prototype.resume = () => touched;
}"""
_HIDE = """(state) => {
  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => state });
  document.dispatchEvent(new Event('visibilitychange'));
}"""
#: Visible, but another window is in front, as on a second screen.
_BLUR = """() => { document.hasFocus = () => false; window.dispatchEvent(new Event('blur')); }"""
_COUNT = "() => Number(/^\\((\\d+)\\)/.exec(document.title)?.[1] ?? 0)"
_CHIME = [[660, "running"], [880, "running"]]
#: Seconds within which further requests give no new notification.
GATHER_SECONDS = 2

names = (f"notice-{number}" for number in itertools.count())


class Windows:
    """Windows of one admin in one browser; the admin's rules are `notify`."""

    def __init__(self, browser: BrowserDriver, lineup: LineupDriver, **notify):
        self.lineup = lineup
        self.first = browser.page
        rules = {"sound": True, "desktop": True, "title": True, "views": ["not_respond"]}
        lineup.admin(lineup.mai_email).prefer(notify=rules | notify)
        browser.page.context.grant_permissions(["notifications"])
        self.pages: list[Page] = []

    def open(self) -> Page:
        """Opens one more window, which gets the focus."""
        page = self.first.context.new_page() if self.pages else self.first
        page.goto("about:blank")
        page.goto(f"{self.lineup.server.url}/#/arrival/arrival")
        wait_until(lambda: page.evaluate("() => window.lineup?.list()?.state") == "live", 10)
        wait_until(lambda: page.evaluate(_COUNT), 5, "the count")
        page.evaluate(_RECORD)
        self.pages.append(page)
        return page

    def look_away(self) -> None:
        for page in self.pages:
            page.evaluate(_HIDE, "hidden")

    def customer_waits(self, body: str = "Hello", name: str = "Mai Anh") -> int:
        """Lets one more customer wait, until every window knows; returns the thread's id."""
        before = [page.evaluate(_COUNT) for page in self.pages]
        thread = self.lineup.say(next(names), body, name=name)
        for page, count in zip(self.pages, before, strict=True):
            wait_until(lambda p=page, c=count: p.evaluate(_COUNT) > c, 5, "the count")
        return thread

    def tones(self) -> list[tuple[float, str]]:
        return [tone for page in self.pages for tone in page.evaluate("() => recorded.tones")]

    def shown(self) -> list[dict[str, Any]]:
        return [one for page in self.pages for one in page.evaluate("() => recorded.shown")]

    def wait_out_the_rush(self) -> None:
        self.pages[0].wait_for_timeout(GATHER_SECONDS * 1_000 + 100)


@pytest.fixture
def windows(browser, lineup):
    yield lambda **notify: Windows(browser, lineup, **notify)
    lineup.admin(lineup.mai_email).prefer(
        notify={"sound": False, "desktop": False}, notify_own=True, notify_text=True
    )


def set_status(page: Page, status: str) -> None:
    page.click("[popovertarget=team-panel]")
    wait_until(lambda: page.query_selector("#team-panel select") is not None, 5, "the panel")
    page.select_option("#team-panel select >> nth=0", status)
    page.keyboard.press("Escape")


def is_quiet(page: Page) -> bool:
    """Whether the settings say so."""
    page.click(".nav-settings")
    page.click(".area-nav [href='/settings/notifications']")
    wait_until(lambda: page.query_selector("[data-page=notifications] .switch"), 5, "the settings")
    has_note = page.query_selector(".area-page .panel-note") is not None
    page.keyboard.press("Escape")
    return has_note


def test_one_of_two_windows_notifies_and_a_burst_is_one_notification(windows):
    """With the focus there is only the sound; else also the notification."""
    mine = windows()
    mine.open()
    mine.open()
    mine.customer_waits()
    wait_until(lambda: mine.tones() == _CHIME, 3, "the sound, once")
    mine.customer_waits()
    assert mine.tones() == _CHIME, "within a rush"
    assert mine.shown() == []

    mine.look_away()
    mine.wait_out_the_rush()
    mine.customer_waits("Is it here?")
    wait_until(lambda: mine.tones() == _CHIME * 2, 5, "the sound again")
    wait_until(lambda: mine.shown(), 3, "the notification")
    (notification,) = mine.shown()
    assert (notification["title"], notification["body"]) == ("Mai Anh", "Is it here?")


def test_the_other_window_notifies_after_the_leading_one_is_closed(windows):
    mine = windows()
    leading = mine.open()
    mine.open()
    mine.customer_waits()
    wait_until(lambda: len(leading.evaluate("() => recorded.tones")) == 2, 3, "the first telling")
    leading.close()
    mine.pages.remove(leading)
    mine.wait_out_the_rush()
    mine.customer_waits()
    wait_until(lambda: mine.tones() == _CHIME, 3, "the second telling")


def test_a_click_on_the_notification_opens_its_thread(windows):
    mine = windows(views=["arrival"], sound=False)
    page = mine.open()
    mine.look_away()
    page.evaluate("() => { location.hash = '#/history/arrival'; }")
    thread = mine.customer_waits()
    wait_until(lambda: mine.shown(), 3, "the notification")
    page.evaluate("() => recorded.newest.onclick()")
    wait_until(lambda: page.evaluate("() => window.lineup.list().view") == "arrival", 3)
    opened = "() => Number(location.hash.split('/').at(-1))"
    wait_until(lambda: page.evaluate(opened) == thread, 3, "the thread being opened")
    wait_until(
        lambda: page.evaluate("() => recorded.closed") == 1, 3, "the notification being closed"
    )
    assert mine.tones() == []


@pytest.mark.parametrize(
    "rules", [{"sound": False, "desktop": False}, {"views": ["history"]}], ids=str
)
def test_notifications_that_are_switched_off_are_not_shown(windows, rules):
    mine = windows(**rules)
    page = mine.open()
    mine.look_away()
    mine.customer_waits()
    given = "() => [recorded.tones, recorded.shown]"
    stays(lambda: page.evaluate(given) == [[], []], 0.3, "no sound and no notification")


def test_a_message_in_ones_own_thread_is_told_of_while_the_window_has_no_focus(windows, lineup):
    """Case F11: even if no count grows; without names if the admin wants none."""
    mine = windows(views=[])
    page = mine.open()
    name = next(names)
    thread = lineup.say(name, "First", name="Linh")
    assert lineup.admin(lineup.mai_email).act(thread, "claim").status_code == 200
    page.evaluate("() => { location.hash = '#/history/arrival'; }")
    wait_until(lambda: page.evaluate("() => window.lineup.list().view") == "history", 5)
    lineup.say(name, "Looked at", name="Linh")
    wait_until(lambda: mine.tones() == _CHIME, 5, "the sound")
    assert mine.shown() == [], "a window is looked at"
    page.evaluate(_BLUR)
    mine.wait_out_the_rush()
    lineup.say(name, "Where is it?", name="Linh")
    wait_until(lambda: mine.shown(), 8, "the notification")
    assert (mine.shown()[0]["title"], mine.shown()[0]["body"]) == ("Linh", "Where is it?")
    page.evaluate("() => recorded.newest.onclick()")
    opened = "() => Number(location.hash.split('/').at(-1))"
    wait_until(lambda: page.evaluate(opened) == thread, 3, "the thread being opened")

    lineup.admin(lineup.mai_email).prefer(notify_text=False)
    mine.pages.clear()
    page = mine.open()
    page.evaluate(_BLUR)

    def is_told() -> list[dict[str, Any]]:
        lineup.say(name, "Secret", name="Linh")
        page.wait_for_timeout(300)
        return mine.shown()

    wait_until(is_told, 10, "the notification")
    told = mine.shown()[0]
    assert told["title"] == "New work" and "Secret" not in told["body"] + told["title"]


def test_a_storm_is_few_sounds_and_one_notification(windows, lineup):
    """Case F10."""
    mine = windows()
    page = mine.open()
    page.evaluate(_BLUR)
    for _ in range(8):
        mine.customer_waits()
        page.wait_for_timeout(400)
    wait_until(lambda: len(mine.tones()) == 4, 8, "the second sound")
    tags = {one["tag"] for one in mine.shown()}
    assert len(tags) == 1, "each replaces the one before"
    assert "customers wrote" in mine.shown()[-1]["title"]


def test_a_sound_that_was_blocked_is_not_played_later(windows):
    mine = windows(desktop=False)
    page = mine.open()
    page.evaluate(_UNTOUCHED)
    mine.customer_waits()
    mine.wait_out_the_rush()
    page.mouse.click(700, 10)
    mine.customer_waits()
    wait_until(lambda: mine.tones() == _CHIME, 10, "one sound, for the last")


def test_do_not_disturb_of_another_device_leaves_the_count_alone(windows, chromium, lineup):
    """R35: neither sound nor notification nor toast; all as before when it ends."""
    mine = windows()
    page = mine.open()
    elsewhere = BrowserDriver(chromium, lineup.server, lineup.mai_email)
    set_status(elsewhere.page, "dnd")
    wait_until(lambda: is_quiet(page), 5, "this window knowing")
    mine.look_away()
    thread = mine.customer_waits()
    page.evaluate("(id) => { location.hash = `#/arrival/arrival/${id}`; }", thread)
    wait_until(lambda: page.query_selector(".message") is not None, 5, "the thread")
    assert lineup.admin(lineup.ken_email).act(thread, "claim").status_code == 200
    facts = "() => document.querySelector('.thread-facts').textContent"
    wait_until(lambda: "Ken" in page.evaluate(facts), 8, "the claim being seen")
    stays(lambda: page.query_selector(".toast") is None, 0.3, "no toast")
    assert (mine.tones(), mine.shown()) == ([], [])

    set_status(elsewhere.page, "auto")
    wait_until(lambda: not is_quiet(page), 5, "this window knowing of the end")
    mine.wait_out_the_rush()
    mine.customer_waits()
    wait_until(lambda: mine.tones() == _CHIME, 3, "the sound, again")
    assert lineup.admin(lineup.ken_email).act(thread, "release").status_code == 200
    wait_until(lambda: page.query_selector(".toast") is not None, 8, "the toast, again")
    elsewhere.close()
