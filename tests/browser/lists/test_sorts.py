"""Supervisors write sorts in the page; everybody has them at once."""

import pytest

from tests.browser.axe import violations
from tests.drivers.browser import BrowserDriver

pytestmark = pytest.mark.slow

MENU = "() => [...document.querySelectorAll('#sort-menu .menu-text')].map((one) => one.textContent)"
TITLES = "() => [...document.querySelectorAll('.sort-rule .query-field')].map((one) => one.value)"


def test_a_sort_is_written_tried_saved_and_deleted(chromium, browser, lineup):
    email = lineup.server.create_admin("Sue", role="supervisor")
    sue = BrowserDriver(chromium, lineup.server, email, reduced_motion="reduce")
    page = sue.page
    page.locator(".sort-button").click()
    page.get_by_role("menuitem", name="Manage sorts").click()
    page.locator(".area-action").click()
    page.fill("[name=title]", "French {first}")
    page.locator(".sort-add").click()
    page.locator(".sort-rule .query-field").first.fill("lang:fr is:opn")
    sue.wait_for("() => document.querySelector('.sort-said .query-expected')", "the mistake")
    page.locator(".sort-rule .query-field").first.fill("is:waiting")
    sue.wait_for("() => document.querySelectorAll('.sort-compared tbody tr').length > 9", "it")
    assert "of 53 bits" in page.locator(".sort-size").inner_text()
    assert violations(page) == []

    page.locator(".sort-down").first.click()
    assert page.evaluate(TITLES) == ["", "is:waiting"]
    sue.wait_for("() => document.querySelector('.sort-said .query-said')", "an unreachable rule")
    page.keyboard.press("Enter")
    sue.wait_for(f"() => ({TITLES})().join() === 'is:waiting,'", "the rule being back")
    page.locator(".sort-form [type=submit]").click()
    page.wait_for_selector("[data-sort^=french_first]")
    browser.wait_for(f"() => ({MENU})().includes('French {{first}}')", "the sort for Mai")
    browser.page.locator(".sort-button").click()
    browser.page.locator("#sort-menu .menu-item", has_text="French {first}").click()
    browser.wait_for("() => window.lineup.list().sort.startsWith('french_first')", "her list in it")
    browser.wait_for("() => window.lineup.list().state === 'live'", "it being live")

    row = page.locator("[data-sort^=french_first]")
    row.locator(".set-more").click()
    row.locator(".menu-item", has_text="Delete").click()
    page.locator(".ask-yes").click()
    browser.wait_for("() => window.lineup.list().sort === 'arrival'", "the sort being gone")
    browser.wait_for(f"() => !({MENU})().includes('French {{first}}')", "from the menu, too")
    assert sue.errors == []
    sue.close()
