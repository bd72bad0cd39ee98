"""One walk through the page: the list moves, a thread is opened, answered and closed; and axe."""

import pytest
from playwright.sync_api import Page

from tests.browser.axe import violations
from tests.browser.states import NARROW, STATES
from tests.drivers.browser import BrowserDriver
from tests.support import wait_until

#: The states that every admin sees each day; test_accessible.py looks at all.
MAIN_STATES = ("live", "open", "query", "palette")


def point(browser: BrowserDriver) -> Page:
    """Moves the pointer a little over the list, which holds it for 5 s; the page."""
    box = browser.page.locator(".list").bounding_box()
    assert box is not None
    for offset in (0, 2):
        browser.page.mouse.move(box["x"] + 90 + offset, box["y"] + 250)
    return browser.page


def test_a_row_moves_is_opened_answered_and_closed(browser, lineup):
    page = browser.page
    page.mouse.move(900, 300)
    page.get_by_role("region", name="No thread is open").wait_for()
    quiet, loud = lineup.say("walk-quiet", "I can wait"), lineup.say("walk-loud", "It is broken")
    wait_until(lambda: browser.rows_in_view()[:2] == [(1, loud), (2, quiet)], what="both on top")

    # Under the pointer no row moves: a new thread is announced above the list.
    point(browser)
    browser.wait_for("() => window.lineup.list().hold === 'held'", "the list being held")
    held = browser.rows_in_view()
    lineup.say("walk-quiet", "I cannot wait any more")
    wait_until(lambda: point(browser).locator(".news").count(), what="what is new being told")
    assert browser.rows_in_view() == held
    page.mouse.move(900, 300)
    wait_until(lambda: browser.rows_in_view()[:2] == [(1, quiet), (2, loud)], what="the row moved")

    # Opened and answered, the thread has the reply; closed, it is in the history.
    page.locator(f"#row-{quiet}").click()
    page.wait_for_selector(f".composer-field[data-thread='{quiet}']")
    page.mouse.move(900, 300)
    page.locator("#messages").get_by_text("I cannot wait any more").wait_for()
    page.fill(".composer-field", "You do not have to.")
    page.keyboard.press("Control+Enter")
    said = "() => document.getElementById('messages').textContent.includes('You do not have to.')"
    browser.wait_for(said, "the reply in the conversation")
    browser.wait_for("() => !document.querySelector('.message[data-state]')", "its being stored")
    takes_what_nobody_has(browser)
    mai = lineup.admin(lineup.mai_email)
    assert mai.messages(quiet)[-1]["body"] == "You do not have to."
    replied = f"document.querySelector('#row-{quiet} .row-replied').textContent"
    browser.wait_for(f"() => {replied} === 'You replied'", "the row's word of the reply")
    assert "You replied" in page.locator(f"#row-{quiet}").get_attribute("aria-label")
    assert "I cannot wait any more" in page.locator(f"#row-{quiet} .row-preview").inner_text()
    page.click(".act-done")
    wait_until(lambda: quiet in lineup.in_sql("history", "arrival"), what="the thread being closed")
    browser.wait_for(f"() => !document.getElementById('row-{quiet}')", "the row leaving")


def takes_what_nobody_has(browser: BrowserDriver) -> None:
    """By one press after a reply; then the offer goes."""
    offer = browser.page.locator(".toast", has_text="Nobody has this thread")
    offer.get_by_role("button", name="Take").click()
    taken = "() => document.querySelector('.thread-facts').textContent.includes('with you')"
    browser.wait_for(taken, "the thread being taken")
    assert offer.count() == 0


@pytest.mark.parametrize(
    ("states", "viewport"),
    [
        ({name: STATES[name] for name in MAIN_STATES}, {"width": 1280, "height": 800}),
        ({name: NARROW[name] for name in ("live", "open")}, {"width": 390, "height": 780}),
    ],
    ids=["wide", "narrow"],
)
def test_axe_finds_nothing_in_the_main_states(chromium, lineup, states, viewport):
    options = {"viewport": viewport, "reduced_motion": "reduce"}
    browser = BrowserDriver(chromium, lineup.server, lineup.mai_email, **options)
    found = {}
    for name, state in states.items():
        browser.renew()
        state(browser, lineup)
        found[name] = violations(browser.page)
    browser.close()
    assert {name: said for name, said in found.items() if said} == {}
    assert browser.errors == []
