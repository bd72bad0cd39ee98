"""The search field: suggestions, mistakes, and the live list that a query becomes."""

from uuid import uuid4

import pytest

from tests.drivers.browser import BrowserDriver
from tests.drivers.lineup import LineupDriver
from tests.support import wait_until

pytestmark = pytest.mark.slow

FIELD = "document.getElementById('search-field')"
STATE = "document.getElementById('search-state').textContent"
FILTERS = """() => [...document.querySelectorAll('.query-filter[data-set=true]')]
  .map((filter) => filter.querySelector('.query-filter-text').textContent)"""
OPTIONS = """() => [...document.querySelectorAll('.query-list:popover-open .query-option-text')]
  .map((option) => option.textContent)"""


def listed(browser: BrowserDriver, query: str) -> int:
    """Waits until the live list of a query is shown; returns its length."""
    return browser.wait_for(
        "() => window.lineup.list().state === 'live'"
        f" && new URLSearchParams(location.hash.split('?')[1]).get('query') === {query!r}"
        " && window.lineup.list().total",
        f"the list of {query}",
    )


def say(lineup: LineupDriver, name: str, locale: str, body: str = "Where is it?") -> int:
    customer = {"id": f"field-{name}", "name": name, "locale": locale}
    return lineup.say(f"field-{name}", body, customer=customer)


def completes(browser: BrowserDriver) -> int:
    """Writes `lang:fr` from suggestions; returns the length of its live list."""
    page = browser.page
    page.keyboard.press("/")
    page.keyboard.type("la")
    browser.wait_for(f"() => ({OPTIONS})().join() === 'lang:,last:'", "the fields")
    assert page.evaluate(f"() => {FIELD}.getAttribute('aria-expanded')") == "true"
    page.keyboard.press("ArrowDown")
    browser.wait_for(
        f"() => document.getElementById({FIELD}.getAttribute('aria-activedescendant'))"
        "?.ariaSelected === 'true'",
        "the first of them being active",
    )
    page.keyboard.press("Enter")
    browser.wait_for(f"() => ({OPTIONS})().includes('fr-ca')", "the languages that there are")
    page.keyboard.type("fr")
    return listed(browser, "lang:fr")


def filters(browser: BrowserDriver, total: int) -> None:
    """A filter is a part of the text, and the other way round."""
    page = browser.page
    assert page.evaluate(FILTERS) == ["Language: French"]
    page.get_by_role("button", name="Age", exact=True).click()
    page.get_by_role("menuitemradio", name="less than 1 hour").click()
    assert listed(browser, "lang:fr age:<1h") == total
    values_come_late(browser)
    page.get_by_role("menuitemcheckbox", name="French", exact=True).click()
    browser.wait_for(f"() => {FIELD}.value === 'age:<1h'", "the term being gone")
    assert page.locator(".menu:popover-open").count() == 1, "of several, more may be chosen"
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Remove the filter “Age: less than 1 hour”").click()
    browser.wait_for(f"() => {FIELD}.value === ''", "no condition")


def values_come_late(browser: BrowserDriver) -> None:
    """The entries of a menu stay in place when more arrive."""
    page, held = browser.page, []
    page.route("**/query/complete*", lambda route: held.append(route))
    page.get_by_role("button", name="Language: French", exact=True).click()
    items = page.locator(".menu:popover-open .menu-text")
    browser.wait_for("() => document.activeElement.ariaChecked === 'true'", "the focus on French")
    before = items.all_inner_texts()
    wait_until(lambda: browser.state() and held, what="the menu's question")
    held[0].continue_()
    page.unroute("**/query/complete*")
    wait_until(lambda: items.count() > len(before), what="more languages")
    assert items.all_inner_texts()[: len(before)] == before
    assert page.evaluate("() => document.activeElement.textContent").strip() == "French"


def mistakes(browser: BrowserDriver) -> None:
    """A mistake is shown at its place."""
    page = browser.page
    page.fill("#search-field", "lang:fr asigned:me ")
    browser.wait_for(f"() => {STATE}.includes('Expected: assigned:')", "the mistake")
    assert page.locator(".query-wrong").inner_text() == "igned:me"
    assert page.evaluate(f"() => {FIELD}.getAttribute('aria-invalid')") == "true"


def begins_with_its_conditions(browser: BrowserDriver, view: str, conditions: str) -> None:
    """A filter opened on a list begins with the conditions of that list."""
    page = browser.page
    page.keyboard.press("Escape")
    page.wait_for_selector(".search", state="hidden")
    page.goto(f"{browser.server.url}/#/{view}")
    browser.wait_until_shown(view)
    page.keyboard.press("Shift+F")
    browser.wait_for(f"() => {FIELD}?.value === '{conditions}'", "the conditions of the list")


def takes_the_only_suggestion(browser: BrowserDriver, lineup: LineupDriver) -> None:
    """By Tab; by Enter except for a complete language, and a field, which may be a word."""
    say(lineup, uuid4().hex, "is-IS")
    page = browser.page
    page.keyboard.press("/")
    for typed, key, only, taken in (
        ("is:snoo", "Tab", "snoozed", "is:snoozed"),
        ("is:snoo", "Enter", "snoozed", "is:snoozed"),
        ("quie", "Tab", "quiet:", "quiet:"),
        ("lang:is-i", "Tab", "is-is", "lang:is-is"),
    ):
        page.fill("#search-field", "")
        page.keyboard.type(typed)
        browser.wait_for(f"() => ({OPTIONS})().join() === '{only}'", f"the suggestion {only}")
        page.keyboard.press(key)
        browser.wait_for(f"() => {FIELD}.value === '{taken}'", f"{key} taking it")
    page.fill("#search-field", "")
    page.keyboard.type("lang:is")
    browser.wait_for(f"() => ({OPTIONS})().join() === 'is-is'", "the only suggestion")
    page.keyboard.press("Enter")
    listed(browser, "lang:is")


def test_conditions_are_completed_and_become_a_live_list(browser, lineup):
    for number in range(2):
        say(lineup, f"Ha{number}", "fr-CA", "a zebra" if number else "Where is it?")
    page = browser.page
    for _ in range(9):  # offered before French
        say(lineup, uuid4().hex, "eo")
    before = page.evaluate("() => location.hash")
    total = completes(browser)
    say(lineup, uuid4().hex, "fr")
    browser.wait_for(f"() => window.lineup.list().total === {total + 1}", "a new thread on it")
    filters(browser, total + 1)
    browser.wait_for(f"() => location.hash === {before!r}", "the list from before")
    mistakes(browser)

    # Beside words, conditions narrow the search.
    page.fill("#search-field", "zebra lang:fr")
    browser.wait_for("() => document.querySelectorAll('.found').length === 1", "the result")
    assert page.locator(".found-name").inner_text() == "Ha1"

    page.fill("#search-field", "")
    for view, own in (("snoozed/soonest", "is:snoozed"), ("mentions/arrival", "mentions:me")):
        begins_with_its_conditions(browser, view, own)
    conditions = "is:open -is:snoozed"
    begins_with_its_conditions(browser, "arrival/arrival", conditions)
    page.keyboard.press("End")
    page.keyboard.type(" lang:fr")
    page.keyboard.press("Enter")
    assert listed(browser, f"{conditions} lang:fr") == total + 1
    browser.wait_for("() => document.activeElement.id === 'list'", "the focus on the list")
    takes_the_only_suggestion(browser, lineup)
