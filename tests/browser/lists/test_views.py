"""Saved views on the page: saved from a query, live, arranged, edited, deleted."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.axe import violations
from tests.browser.page.test_accessible import PHONE, WIDE
from tests.drivers.admin import AdminDriver
from tests.drivers.browser import BrowserDriver
from tests.drivers.lineup import LineupDriver
from tests.support import wait_until

pytestmark = pytest.mark.slow

#: The saved views in the left column: names and counts.
SHOWN = """() => [...document.querySelectorAll('.nav-view')].map((view) =>
  [view.querySelector('.nav-text').textContent, view.querySelector('.nav-count').textContent])"""
LIVE = "() => window.lineup.list().state === 'live'"


@pytest.fixture
def mai(lineup: LineupDriver) -> Iterator[AdminDriver]:
    """The admin Mai, who has no views before and after the test."""
    admin = lineup.admin(lineup.mai_email)
    yield admin
    for view in admin.saved_views():
        admin.delete_view(view["id"])
    admin.put("views/order", {"ids": []})
    admin.prefer(saved=None)


def say(lineup: LineupDriver, thread: str, language: str) -> int:
    customer = {"id": f"c-{thread}", "name": thread, "locale": language}
    return lineup.say(thread, "Hello", customer=customer)


def shows(browser: BrowserDriver, *wanted: tuple[str, str]) -> None:
    def is_shown() -> bool:
        return browser.page.evaluate(SHOWN) == [[*each] for each in wanted]

    wait_until(is_shown, what=f"{wanted} in the left column")


def lists(browser: BrowserDriver, *ids: int) -> None:
    wait_until(lambda: browser.state()["painted"] == [*ids], what=f"{ids} in the list")


def has_no_fault(browser: BrowserDriver, state: str) -> None:
    # Otherwise colours are measured in the middle of a transition.
    browser.page.emulate_media(reduced_motion="reduce")
    found = violations(browser.page)
    browser.page.evaluate("() => { document.documentElement.dataset.theme = 'light'; }")
    assert found == [], state


def test_a_query_is_saved_as_a_view_which_is_live(browser, lineup, mai):
    page = browser.page
    first, second = say(lineup, "fi-1", "fi"), say(lineup, "fi-2", "fi-FI")
    browser.renew("arrival/arrival")
    page.evaluate("() => { location.hash = '#/query/arrival?query=lang%3Afi+is%3Aopen'; }")
    lists(browser, second, first)
    assert page.locator(".about-text").inner_text() == "lang:fi is:open"
    page.click(".view-save")
    page.fill(".view-form [name=name]", "Finnish")
    wait_until(lambda: "2 threads" in page.inner_text(".view-found"), what="what it would hold")
    has_no_fault(browser, "saving a view")
    page.locator("#view-query").focus()
    page.keyboard.press("Escape")
    page.click(".ask-no")
    assert page.input_value(".view-form [name=name]") == "Finnish", "nothing is lost by Esc"
    page.click(".view-form [type=submit]")
    shows(browser, ("Finnish", "2"))
    [view] = mai.saved_views()
    browser.wait_for(f"() => location.hash === '#/{view['id']}/arrival'", "the view's address")

    third = say(lineup, "fi-3", "fi")
    lists(browser, third, second, first)
    shows(browser, ("Finnish", "3"))
    page.locator(".nav-item", has_text="History").click()
    lineup.close_thread("fi-3")
    shows(browser, ("Finnish", "2"))
    page.keyboard.press("g")
    page.keyboard.press("1")
    lists(browser, second, first)
    page.reload()
    lists(browser, second, first)
    assert page.locator(".header-title").inner_text() == "Finnish"
    assert "Finnish" in page.title()
    has_no_fault(browser, "a view")
    begins_where_it_was_left(browser, mai, view["id"])


def begins_where_it_was_left(browser: BrowserDriver, mai: AdminDriver, view: str) -> None:
    page = browser.page

    def begins(place: str) -> None:
        page.goto("about:blank")
        page.goto(f"{browser.server.url}/")
        browser.wait_until_shown(place)

    begins(f"{view}/arrival")
    page.keyboard.press("s")
    page.keyboard.press("p")
    browser.wait_until_shown(f"{view}/priority")
    wait_until(lambda: "sort" in (mai.preferences()["saved"] or {}), what="the sort is kept")
    begins(f"{view}/priority")
    mai.delete_view(view)
    begins("history/arrival")
    toast = "The view that you had open last was deleted. This is “History”."
    assert page.locator(".toast").first.inner_text().startswith(toast)


def stand(browser: BrowserDriver, *wanted: str) -> None:
    names = "() => [...document.querySelectorAll('.nav-view .nav-text')].map((e) => e.textContent)"
    wait_until(lambda: browser.page.evaluate(names) == [*wanted], what=f"{wanted}")


def arranges_in_the_settings(browser: BrowserDriver, mai: AdminDriver) -> None:
    page = browser.page
    page.keyboard.press("g")
    page.keyboard.press("v")
    page.wait_for_selector(".views-item")
    has_no_fault(browser, "all views")
    page.locator(".views-item", has_text="Two").locator(".views-down").click()
    stand(browser, "Three", "One", "Two")
    assert "views-up" in page.evaluate("() => document.activeElement.className"), "it is the last"
    page.set_viewport_size(PHONE)
    has_no_fault(browser, "all views on a phone")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.click(".nav-item[data-kind=more]")
    page.wait_for_selector(".nav-sheet")
    has_no_fault(browser, "the sheet on a phone")
    page.locator(".nav-sheet .nav-item", has_text="One").click()
    browser.wait_for("() => document.querySelector('.header-title').textContent === 'One'")
    assert page.locator("#list-empty .empty-title").inner_text() == "Nothing in this view"
    page.set_viewport_size(WIDE)
    wait_until(lambda: [view["name"] for view in mai.saved_views()] == ["Three", "One", "Two"])
    page.reload()
    stand(browser, "Three", "One", "Two")


def is_made_by_plus(browser: BrowserDriver, mai: AdminDriver) -> None:
    """The editor begins empty, and what is saved is opened."""
    page = browser.page
    page.locator(".nav-heading-act").last.click()
    page.wait_for_selector(".view-form")
    assert page.locator("#dialog h2").inner_text() == "New view"
    assert page.locator("#view-query").inner_text() == ""
    page.fill(".view-form [name=name]", "Made by plus")
    page.locator("#view-query").click()
    begin = page.locator("#view-query-list [role=option]", has_text="lang:")
    begin.wait_for()
    page.keyboard.type("lang:sv is:open ")
    page.click(".view-form [type=submit]")
    browser.wait_for("() => document.querySelector('.header-title').textContent === 'Made by plus'")
    [made] = [view for view in mai.saved_views() if view["name"] == "Made by plus"]
    assert made["query"] == "lang:sv is:open"
    mai.delete_view(made["id"])


def test_views_are_arranged_by_keys_by_the_pointer_and_in_the_settings(browser, lineup, mai):
    page = browser.page
    one, two, three = (mai.save_view(name, "lang:sv")["id"] for name in ("One", "Two", "Three"))
    mai.put("views/order", {"ids": ["history", one, "arrival", two, three]})
    stand(browser, "One", "Two", "Three")
    page.locator(".nav-view .nav-item").first.focus()
    page.keyboard.press("Alt+ArrowDown")
    stand(browser, "Two", "One", "Three")
    focused = "() => document.activeElement.matches('.nav-view:nth-child(2) .nav-item')"
    browser.wait_for(focused, "what was moved keeps the focus")
    assert page.inner_text("#announcer") == "One: place 2 of 3"
    handle = page.locator(".nav-view").nth(2).bounding_box()
    page.mouse.move(handle["x"] + 40, handle["y"] + 14)
    page.mouse.down()
    page.mouse.move(handle["x"] + 40, handle["y"] - 60, steps=6)
    stand(browser, "Three", "Two", "One")
    page.mouse.up()
    assert browser.state()["view"] == "arrival", "what was dragged is not opened"
    kept = ["not_respond", "snoozed", "mentions", "history", three, "arrival", two, one]
    wait_until(lambda: [view["id"] for view in mai.get("views")["views"]] == kept)
    arranges_in_the_settings(browser, mai)
    is_made_by_plus(browser, mai)


def is_deleted_by_others(
    browser: BrowserDriver, mai: AdminDriver, view: dict[str, Any], danish: int, dutch: int
) -> None:
    page = browser.page
    mai.delete_view(view["id"])
    page.wait_for_selector("#list-empty .empty-title")
    assert page.locator("#list-empty .empty-title").inner_text() == "The view “Danish” was deleted"
    shows(browser)
    page.get_by_role("button", name="Show its threads").click()
    lists(browser, dutch, danish)
    page.go_back()
    page.wait_for_selector("#list-empty .empty-title")
    page.get_by_role("button", name="Open Not responded").click()
    browser.wait_until_shown("not_respond/longest_wait")


def is_deleted_here(browser: BrowserDriver, mai: AdminDriver) -> None:
    page = browser.page
    mai.save_view("Gone soon", "lang:da")
    shows(browser, ("Gone soon", "1"))
    page.locator(".nav-view .nav-item").click()
    page.click(".view-edit")
    page.click(".view-delete")
    page.click(".ask-yes")
    browser.wait_until_shown("not_respond/longest_wait")
    assert mai.saved_views() == []


def test_a_view_that_others_edit_and_delete_while_it_is_shown(browser, lineup, mai):
    page = browser.page
    danish, dutch = say(lineup, "da-1", "da"), say(lineup, "nl-1", "nl")
    view = mai.save_view("Danish", "lang:da")
    shows(browser, ("Danish", "1"))
    page.locator(".nav-view .nav-item").click()
    lists(browser, danish)

    page.click(".view-edit")
    page.fill("#view-query", "lang:da is:clsd")
    page.wait_for_selector(".view-form .query-wrong")
    assert page.inner_text(".view-found") == "“clsd” does not fit here. Expected: closed"
    page.fill("#view-query", "lang:nl,da")
    mai.change_view(view, name="Nordic", query="lang:nl")
    lists(browser, dutch)
    assert page.locator(".toast").inner_text().startswith("The view “Nordic” was changed.")
    page.click(".view-form [type=submit]")
    page.wait_for_selector(".view-conflict")
    assert "lang:nl" in page.inner_text(".view-conflict")
    has_no_fault(browser, "a view that was changed meanwhile")
    page.click(".view-replace")
    page.wait_for_selector(".view-form", state="hidden")
    shows(browser, ("Danish", "2"))
    lists(browser, dutch, danish)
    is_deleted_by_others(browser, mai, view, danish, dutch)
    is_deleted_here(browser, mai)


def test_a_supervisor_saves_a_view_for_a_desk(browser, chromium, lineup, mai):
    """Admins who see the desk see the view, until it leaves the desk (docs/protocol.md, Views)."""
    lineup.server.create_desk("sales")
    chief = lineup.server.create_admin("Chief", role="supervisor")
    window = BrowserDriver(chromium, lineup.server, chief)
    page = window.page
    page.evaluate("() => { location.hash = '#/query/arrival?query=lang%3Anb'; }")
    page.click(".view-save")
    page.fill(".view-form [name=name]", "Norwegian")
    page.select_option(".view-form [name=owner]", "desk:main")
    has_no_fault(window, "saving a view for a desk")
    page.click(".view-form [type=submit]")
    shows(browser, ("Norwegian", "0"))
    say(lineup, "nb-1", "nb")
    shows(browser, ("Norwegian", "1"))
    about = "() => document.querySelector('.nav-view .nav-item').title"
    assert "Whoever sees desk main sees this view" in browser.page.evaluate(about)
    page.click(".view-edit")
    page.wait_for_selector(".view-form option[value='desk:sales']", state="attached")
    page.select_option(".view-form [name=owner]", "me")
    page.click(".view-form [type=submit]")
    shows(browser)
    window.close()
    assert window.errors == []
