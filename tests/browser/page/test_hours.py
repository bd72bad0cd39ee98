"""Supervisors draw opening hours and promise reply times in the page."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.axe import violations
from tests.drivers.admin import AdminDriver
from tests.drivers.browser import BrowserDriver

pytestmark = pytest.mark.slow

#: The texts of the blocks of a day.
TEXTS = """(day) => [...document.querySelectorAll(`[data-day=${day}] .week-block`)]
  .map((one) => one.textContent)"""
#: The names of the policies in the order of the dialog.
NAMES = "() => [...document.querySelectorAll('.policy-name')].map((one) => one.textContent)"
#: The number of threads that the policies on screen would make late.
LATE = """() => document.querySelector('.late-line strong')
  && !document.querySelector('[aria-busy=true]')"""
MISTAKE = "() => document.querySelector('.policy-form .query-expected')"
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


class Supervisor:
    """Sue's window, and her calls over HTTP."""

    def __init__(self, browser: BrowserDriver, admin: AdminDriver):
        self.browser = browser
        self.page = browser.page
        self.admin = admin

    def open(self, name: str) -> None:
        self.page.locator(".nav-settings").click()
        self.page.locator(f".area-nav [href='/settings/{name}']").click()
        self.page.wait_for_selector(f"[data-page={name}] .area-action")

    def point(self, day: str, hour: float) -> tuple[float, float]:
        box = self.page.locator(f"[data-day={day}] .week-track").bounding_box()
        assert box is not None
        return box["x"] + box["width"] * hour / 24, box["y"] + box["height"] / 2

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        mouse.move(*end)
        mouse.up()

    def hours(self, day: str) -> list[str]:
        return self.page.evaluate(TEXTS, day)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def faults(self) -> list[Any]:
        self.page.mouse.move(2, 2)
        found = violations(self.page)
        self.page.evaluate("() => { document.documentElement.dataset.theme = 'light'; }")
        return found


@pytest.fixture
def sue(chromium, lineup) -> Iterator[Supervisor]:
    """Sue, whose calendars and policies are deleted: policies concern all threads of the server."""
    email = lineup.server.create_admin("Sue", role="supervisor")
    browser = BrowserDriver(chromium, lineup.server, email, reduced_motion="reduce")
    admin = lineup.admin(email)
    yield Supervisor(browser, admin)
    browser.close()
    for kind in ("policies", "calendars"):
        for one in admin.get(kind)[kind]:
            admin.delete(f"{kind}/{one['id']}")
    assert browser.errors == []


def test_a_calendar_is_drawn_by_pointer_and_keys(sue):
    """W70, W71, W73, W75: the server has what was drawn, and nothing written is lost."""
    page = sue.page
    sue.open("hours")
    page.locator(".area-action").click()
    page.fill("#calendar-name", "Night desk")
    page.fill("#zone", "saigon")
    page.wait_for_selector(".zone-option")
    page.keyboard.press("Enter")
    draw_the_weekend(sue)
    write_monday(sue)
    page.locator(".day-copy").click()
    page.locator("[data-day=fri] .week-block").focus()
    sue.press("Delete")
    page.fill("#holiday-date", "2100-12-24")
    page.fill("#holiday-until", "2100-12-25")
    page.locator(".holiday-add").click()
    assert sue.faults() == []

    page.keyboard.press("Escape")
    page.locator(".ask-no").click()
    assert page.input_value("#calendar-name") == "Night desk", "nothing is lost by Esc"
    page.locator(".calendar-form [type=submit]").click()
    page.wait_for_selector(".calendar-item")
    [saved] = sue.admin.get("calendars")["calendars"]
    day = [["07:00", "17:30"]]
    sunday = [["11:00", "15:00"], ["22:00", "06:00"]]
    assert saved["week"] == {"mon": day, "tue": day, "wed": day, "thu": day, "sun": sunday}
    assert (saved["name"], saved["timezone"]) == ("Night desk", "Asia/Ho_Chi_Minh")
    assert [each["date"] for each in saved["exceptions"]] == ["2100-12-24", "2100-12-25"]
    change_beside_a_colleague(sue, saved)
    assert sue.faults() == []


def draw_the_weekend(sue: Supervisor) -> None:
    """A block, one over midnight, and the first one dragged to another day."""
    sue.drag(sue.point("sat", 10), sue.point("sat", 14))
    assert sue.hours("sat") == ["10:00–14:00"]
    x, y = sue.point("sun", 6)
    sue.drag(sue.point("sun", 22), (x, y + 40))
    assert sue.hours("sun") == ["22:00–06:00"]
    assert sue.page.locator("[data-day=mon] .week-tail").count() == 1, "also on the next day"
    sue.drag(sue.point("sat", 12), sue.point("sun", 13))
    assert (sue.hours("sat"), sue.hours("sun")) == ([], ["11:00–15:00", "22:00–06:00"])


def write_monday(sue: Supervisor) -> None:
    """Moved and resized by keys, then written into the fields."""
    page = sue.page
    page.locator("[data-day=mon] .week-block").focus()
    sue.press("ArrowRight", "Shift+ArrowRight", "Alt+Shift+ArrowLeft", "ArrowLeft")
    assert sue.hours("mon") == ["08:45–18:15"]
    assert "08:45–18:15" in page.locator(".calendar-form > .unseen").inner_text()
    sue.press("Enter", "7", "Tab")
    assert sue.hours("mon") == ["07:00–18:15"]
    page.keyboard.type("9:77")
    page.locator(".calendar-form [type=submit]").click()
    assert page.evaluate("() => document.activeElement.value") == "9:77", "it is not lost"
    page.keyboard.type("17:30")
    page.keyboard.press("Tab")
    assert sue.hours("mon") == ["07:00–17:30"]


def change_beside_a_colleague(sue: Supervisor, saved: dict[str, Any]) -> None:
    """The second to save sees what the first has saved."""
    page = sue.page
    page.locator(".calendar-edit").click()
    page.fill("#calendar-name", "Mine")
    body = {name: saved[name] for name in ("timezone", "week", "exceptions")}
    sue.admin.put(f"calendars/{saved['id']}", {**body, "name": "Theirs"})
    page.locator(".calendar-form [type=submit]").click()
    page.wait_for_selector(".conflict-take")
    assert page.input_value("#calendar-name") == "Mine"
    page.locator(".conflict-replace").click()
    page.wait_for_selector(".calendar-item")
    assert [each["name"] for each in sue.admin.get("calendars")["calendars"]] == ["Mine"]


def test_policies_are_written_put_in_order_and_deleted(sue, browser):
    """W74, W75: a mistake is shown at its field, and late threads are announced before saving."""
    page, admin = sue.page, sue.admin
    always = {day: [["00:00", "24:00"]] for day in WEEKDAYS}
    body = {"name": "Always", "timezone": "UTC", "week": always, "exceptions": []}
    calendar = admin.post("calendars", body)["calendar"]["id"]
    rest = {"name": "Rest", "query": "lang:tlh", "calendar": calendar}
    admin.post("policies", {**rest, "first_reply": 60, "next_reply": None})
    sue.open("policies")
    page.locator(".area-action").click()
    page.fill("#policy-name", "Klingons")
    page.fill("#policy-query", "lang:tlh is:opn")
    sue.browser.wait_for(MISTAKE, "the mistake")
    page.fill("#policy-query", "lang:tlh is:open")
    page.fill("#first_reply", "1.5")
    page.locator(".policy-target select").first.select_option("hours")
    sue.browser.wait_for(LATE, "what would be late")
    assert sue.faults() == []
    page.locator(".policy-form [type=submit]").click()
    sue.browser.wait_for(f"() => ({NAMES})().join() === 'Rest,Klingons'", "it being saved")
    saved = admin.get("policies")["policies"][1]
    assert (saved["query"], saved["first_reply"]) == ("lang:tlh is:open", 90)

    page.locator(".policy-open").nth(1).focus()
    sue.press("Alt+ArrowUp")
    assert page.evaluate(NAMES) == ["Klingons", "Rest"]
    page.keyboard.press("Escape")
    page.locator(".ask-no").click()
    page.wait_for_selector(".policy-order .late-line strong")
    assert sue.faults() == []
    page.locator(".policy-order-save").click()
    page.locator(".policy-order").wait_for(state="detached")
    assert [each["name"] for each in admin.get("policies")["policies"]] == ["Klingons", "Rest"]
    page.locator(".policy-delete").first.click()
    page.locator(".ask-yes").click()
    sue.browser.wait_for(f"() => ({NAMES})().join() === 'Rest'", "its being gone")
    browser.page.locator(".nav-settings").click()
    browser.page.wait_for_selector(".area-nav")
    assert browser.page.locator("[href='/settings/hours']").count() == 0, "for supervisors alone"
