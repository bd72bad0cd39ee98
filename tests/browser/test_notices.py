"""Sound, notification and count in Chromium: by each admin's own rules, once over all windows."""

import itertools
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.desk import Desk
from tests.browser.stage import Stage
from tests.support import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.live, pytest.mark.real_redis]

#: Notes what is heard and seen: tones that start, notifications as they are shown.
_RECORD = """() => {
  window.told = { tones: [], shown: [], closed: 0 };
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (...given) {
    told.tones.push([this.frequency.value, this.context.state]);
    return start.apply(this, given);
  };
  window.Notification = class extends Notification {
    constructor(title, options) {
      super(title, options);
      told.newest = this;
      this.onshow = () => told.shown.push({ title, ...options });
      this.onclose = () => { told.closed += 1; };
    }
  };
}"""
#: As browsers do, but Chromium without a screen: no sound before the page was touched.
_UNTOUCHED = """() => {
  const touched = new Promise((resolve) => addEventListener('pointerdown', resolve));
  AudioContext.prototype.resume = () => touched;
}"""
_HIDE = """(state) => {
  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => state });
  document.dispatchEvent(new Event('visibilitychange'));
}"""
_COUNT = "() => Number(/^\\((\\d+)\\)/.exec(document.title)?.[1] ?? 0)"
_CHIME = [[660, "running"], [880, "running"]]
#: A rush is told once in so many seconds.
GATHER_SECONDS = 2

names = (f"notice-{number}" for number in itertools.count())


class Windows:
    """Windows of one admin in one browser, whose rules are `notify`."""

    def __init__(self, desk: Desk, stage: Stage, **notify):
        self.stage = stage
        self.first = desk.page
        rules = {"sound": True, "desktop": True, "title": True, "pages": ["not_respond"]}
        stage.acts(stage.mai).prefer(notify=rules | notify)
        desk.page.context.grant_permissions(["notifications"])
        self.pages: list[Page] = []

    def open(self) -> Page:
        """One more window, and the one that is looked at."""
        page = self.first.context.new_page() if self.pages else self.first
        page.goto("about:blank")
        page.goto(f"{self.stage.server.url}/#/arrival/arrival")
        wait_until(lambda: page.evaluate("() => window.lineup?.list()?.state") == "live", 10)
        wait_until(lambda: page.evaluate(_COUNT), 5, "the count")
        page.evaluate(_RECORD)
        self.pages.append(page)
        return page

    def look_away(self) -> None:
        for page in self.pages:
            page.evaluate(_HIDE, "hidden")

    def customer_waits(self) -> int:
        """One more does, and every window knows; the thread's id."""
        before = [page.evaluate(_COUNT) for page in self.pages]
        thread = self.stage.says(next(names))
        for page, count in zip(self.pages, before, strict=True):
            wait_until(lambda p=page, c=count: p.evaluate(_COUNT) > c, 5, "the count")
        return thread

    def tones(self) -> list[tuple[float, str]]:
        return [tone for page in self.pages for tone in page.evaluate("() => told.tones")]

    def shown(self) -> list[dict[str, Any]]:
        return [one for page in self.pages for one in page.evaluate("() => told.shown")]

    def wait_out_the_rush(self) -> None:
        self.pages[0].wait_for_timeout(GATHER_SECONDS * 1_000 + 100)


@pytest.fixture
def windows(desk, stage):
    yield lambda **notify: Windows(desk, stage, **notify)
    stage.acts(stage.mai).prefer(notify={"sound": False, "desktop": False})


def set_status(page: Page, status: str) -> None:
    page.click("[popovertarget=team-panel]")
    wait_until(lambda: page.query_selector("#team-panel select") is not None, 5, "the panel")
    page.select_option("#team-panel select >> nth=0", status)
    page.keyboard.press("Escape")


def is_quiet(page: Page) -> bool:
    """Whether the settings say so."""
    page.click(".nav-settings")
    wait_until(lambda: page.query_selector(".settings") is not None, 5, "the settings")
    told = page.query_selector(".settings .panel-note") is not None
    page.keyboard.press("Escape")
    return told


def test_of_two_windows_one_sounds_and_notifies_and_a_rush_is_told_once(windows):
    """Looked at, there is the sound alone; else the notification, too."""
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
    mine.customer_waits()
    wait_until(lambda: mine.tones() == _CHIME * 2, 3, "the sound again")
    wait_until(lambda: mine.shown(), 3, "the notification")
    (told,) = mine.shown()
    assert told["title"] == "New work"
    assert told["body"].startswith("Not responded: ")


def test_the_window_that_leads_goes_and_the_other_one_tells(windows):
    mine = windows()
    leading = mine.open()
    mine.open()
    mine.customer_waits()
    wait_until(lambda: len(leading.evaluate("() => told.tones")) == 2, 3, "the first telling")
    leading.close()
    mine.pages.remove(leading)
    mine.wait_out_the_rush()
    mine.customer_waits()
    wait_until(lambda: mine.tones() == _CHIME, 3, "the second telling")


def test_a_click_on_the_notification_goes_to_its_page(windows):
    mine = windows(pages=["arrival"], sound=False)
    page = mine.open()
    mine.look_away()
    page.evaluate("() => { location.hash = '#/history/arrival'; }")
    mine.customer_waits()
    wait_until(lambda: mine.shown(), 3, "the notification")
    page.evaluate("() => told.newest.onclick()")
    wait_until(lambda: page.evaluate("() => window.lineup.list().page") == "arrival", 3)
    wait_until(lambda: page.evaluate("() => told.closed") == 1, 3, "the notification being closed")
    assert mine.tones() == []


@pytest.mark.parametrize(
    "rules", [{"sound": False, "desktop": False}, {"pages": ["history"]}], ids=str
)
def test_what_an_admin_did_not_choose_is_not_told(windows, rules):
    mine = windows(**rules)
    page = mine.open()
    mine.look_away()
    mine.customer_waits()
    mine.first.wait_for_timeout(300)
    assert page.evaluate("() => [told.tones, told.shown]") == [[], []]


def test_a_page_that_nobody_touched_does_not_make_up_for_its_silence_later(windows):
    mine = windows(desktop=False)
    page = mine.open()
    page.evaluate(_UNTOUCHED)
    mine.customer_waits()
    mine.wait_out_the_rush()
    page.mouse.click(700, 10)
    mine.customer_waits()
    wait_until(lambda: mine.tones() == _CHIME, 3, "one sound, for the last")


def test_do_not_disturb_of_another_device_leaves_the_count_alone(windows, chromium, stage):
    """R35: neither sound nor notification nor toast; all as before when it ends."""
    mine = windows()
    page = mine.open()
    elsewhere = Desk(chromium, stage.server, stage.mai)
    set_status(elsewhere.page, "dnd")
    wait_until(lambda: is_quiet(page), 5, "this window knowing")
    mine.look_away()
    thread = mine.customer_waits()
    page.evaluate("(id) => { location.hash = `#/arrival/arrival/${id}`; }", thread)
    wait_until(lambda: page.query_selector(".message") is not None, 5, "the thread")
    assert stage.acts(stage.ken).act(thread, "claim").status_code == 200
    facts = "() => document.querySelector('.thread-facts').textContent"
    wait_until(lambda: "Ken" in page.evaluate(facts), 8, "the claim being seen")
    page.wait_for_timeout(300)
    assert page.query_selector(".toast") is None
    assert (mine.tones(), mine.shown()) == ([], [])

    set_status(elsewhere.page, "auto")
    wait_until(lambda: not is_quiet(page), 5, "this window knowing of the end")
    mine.wait_out_the_rush()
    mine.customer_waits()
    wait_until(lambda: mine.tones() == _CHIME, 3, "the sound, again")
    assert stage.acts(stage.ken).act(thread, "release").status_code == 200
    wait_until(lambda: page.query_selector(".toast") is not None, 8, "the toast, again")
    elsewhere.close()
