"""The page's words: the places of toasts, why a thread stands where it does, commands by other
names, the assignee, the priority and the times of a thread."""

import re

import pytest
from playwright.sync_api import Page

from tests.browser.threads.test_case import toast
from tests.drivers.browser import BrowserDriver

pytestmark = pytest.mark.slow

#: The parts of the page that a toast covers.
COVERED = """(selectors) => {
  const toasts = [...document.querySelectorAll('.toast')].map((one) => one.getBoundingClientRect());
  return selectors.filter((selector) => {
    const { left, right, top, bottom } = document.querySelector(selector).getBoundingClientRect();
    return toasts.some((box) => box.left < right && box.right > left
      && box.top < bottom && box.bottom > top);
  });
}"""
OTHER_NAMES = {
    "close": "Done",
    "resolve": "Done",
    "unassign": "Give back",
    "keyboard": "This help",
    "colleagues": "Team",
    "preferences": "Settings",
    "select everything": "Select all",
}
ENTRIES = "() => [...document.querySelectorAll('.palette-text')].map((one) => one.textContent)"


@pytest.fixture
def mai(chromium, lineup):
    """A window of somebody who writes English as in Britain."""
    window = BrowserDriver(chromium, lineup.server, lineup.mai_email, locale="en-GB")
    yield window
    assert window.errors == []
    window.close()


def test_toasts_cover_neither_rows_nor_the_composer(mai, lineup):
    id = lineup.say("told-toasts", name="Toasts")
    page = mai.page
    mai.renew()
    mai.open(id)
    page.locator(".list").focus()
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    for priority in ("h", "u"):  # two toasts, one below the other
        page.keyboard.press("u")
        page.keyboard.press(priority)
    mai.wait_for(toast("Urgent"), "the second toast")
    for width, height in ((1280, 720), (1440, 900), (820, 1180)):
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate(COVERED, ["#list", ".composer", ".row.active"]) == [], width
    stand_above_what_is_below_on_a_phone(mai, id)
    page.set_viewport_size({"width": 1280, "height": 720})
    page.locator(".list").focus()
    page.keyboard.press("i")
    page.wait_for_selector(".customer-facts time")
    for width, height in ((390, 844), (1024, 768), (1280, 720), (1440, 900), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        parts = ["#customer", "#list" if width > 720 else "#thread-head"]
        mai.wait_for(f"() => !({COVERED})({parts}).length", f"nothing covered at {width}")
        assert page.locator(".toast:visible").count(), width
    page.keyboard.press("i")


def stand_above_what_is_below_on_a_phone(mai: BrowserDriver, id: int) -> None:
    """They stand over the composer or the bar, and the list and the messages end above them."""
    page = mai.page
    page.set_viewport_size({"width": 390, "height": 780})
    parts = [".composer", "#messages"]
    for _ in range(2):
        mai.wait_for(f"() => !({COVERED})({parts}).length", f"nothing covered of {parts}")
        for one in page.locator(".toast").all():
            box = one.bounding_box()
            assert box and box["x"] > 0 and box["y"] > 500 and box["y"] + box["height"] < 780
        page.click(".thread-back:visible, .nav-item[data-kind=arrival]:visible")
        parts = [".nav", "#list"]
    page.locator(f"#row-{id}").click()
    page.wait_for_selector(".composer-field")


def test_head_and_reasons_speak_in_sentences(mai, lineup):
    id = lineup.say("told-why", name="Why")
    page = mai.page
    mai.renew("not_respond/longest_wait")
    mai.open(id)
    mai.choose_act("Why here?")
    page.wait_for_selector(".explain-facts")
    facts = page.locator(".explain-facts").inner_text()
    assert re.fullmatch(
        r"Waiting since \d{1,2} \w{3,4} \d{4}, \d\d:\d\d:\d\d \((now|\d+ \w+ ago)\)\."
        r" Who has waited longest is on top\.",
        facts,
    ), facts
    assert re.match(r"Place \d+ of \d+|#?\d+", page.locator(".explain-title").inner_text())
    assert "score" not in page.locator("#explain").inner_text().lower()
    page.keyboard.press("Escape")
    for _ in range(2):
        page.locator(f"#row-{id} .row-when").click()
        page.wait_for_selector("#explain:popover-open .explain-facts")
        page.keyboard.press("Escape")

    page.keyboard.press("t")
    mai.wait_for("() => /with you/.test(document.getElementById('thread-head').textContent)")
    page.click(".act-more")
    mai.wait_for("() => /^Why here/.test(document.activeElement.innerText.trim())", "the focus")
    checked = page.locator("#more-menu [aria-checked=true]")
    assert checked.inner_text().split() == ["Normal", "u", "n"]
    checked.press("Escape")
    page.set_viewport_size({"width": 1900, "height": 900})
    assert page.locator(".nav-palette").inner_text().split() == ["Actions", "Ctrl", "K"]
    clock = page.locator(".message time, .message-time").last.inner_text()
    assert re.search(r"\b\d{1,2}:\d\d$", clock), clock

    page.set_viewport_size({"width": 1280, "height": 800})
    finds_commands_by_other_names(page)


def finds_commands_by_other_names(page: Page) -> None:
    page.locator(".list").focus()
    page.keyboard.press("Control+k")
    page.wait_for_selector(".palette-entry")
    groups = page.locator(".palette-list > [role=group]")
    headings = [group.locator(".palette-heading").inner_text() for group in groups.all()]
    assert headings == ["In the thread", "Go to", "In the list", "Everywhere", "Settings"]
    assert [group.get_attribute("aria-label") for group in groups.all()] == headings
    assert page.locator(".palette-list > .palette-entry").count() == 0
    for typed, command in OTHER_NAMES.items():
        page.fill(".palette-field", typed)
        found = page.evaluate(ENTRIES)
        assert any(text.startswith(command) for text in found), (typed, found)
