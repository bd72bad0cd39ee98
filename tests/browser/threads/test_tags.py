"""Threads are tagged: by keys and for many at once, on rows, in the head, and as a filter."""

import pytest

from tests.browser.threads.test_case import toast
from tests.drivers.browser import BrowserDriver
from tests.drivers.lineup import LineupDriver
from tests.support import wait_until

pytestmark = pytest.mark.slow

PICKER = "#tags:popover-open"
LINES = """() => [...document.querySelectorAll('.act-line > span')]
  .map((line) => line.textContent)"""


def tags(lineup: LineupDriver, id: int) -> list[str]:
    url = f"{lineup.server.url}/admin/api/threads?ids={id}"
    return lineup.mai.get(url).json()["rows"][0]["tags"]


def on_row(id: int) -> str:
    return f"""() => [...document.querySelectorAll('#row-{id} .tag')]
      .map((tag) => tag.textContent).filter(Boolean).join(' ')"""


def opens_picker(browser: BrowserDriver) -> None:
    browser.page.locator(".list").focus()
    browser.page.keyboard.press("l")
    browser.page.wait_for_selector(PICKER)


def test_a_thread_is_tagged_by_keys_and_it_is_undone(browser, lineup):
    id = lineup.say("tag-1", name="Tagged")
    browser.open(id)
    opens_picker(browser)
    browser.page.keyboard.type("Late delivery")
    browser.page.wait_for_selector(f"{PICKER} .tag-option >> text=New tag “late-delivery”")
    browser.page.keyboard.press("Enter")
    browser.wait_for(toast("Tagged Tagged: late-delivery"), "the toast")
    browser.page.keyboard.type("refund")
    browser.page.keyboard.press("Enter")
    wait_until(lambda: tags(lineup, id) == ["late-delivery", "refund"], what="both tags")
    browser.wait_for(f"() => ({on_row(id)})() === 'late-delivery refund'", "both on the row")
    assert browser.page.locator(".thread-tags").inner_text().split() == ["late-delivery", "refund"]
    browser.wait_for(f"() => ({LINES})().includes('You added tags: refund')", "the line")
    browser.page.keyboard.press("Escape")
    browser.page.locator(".list").focus()
    browser.page.keyboard.press("z")
    wait_until(lambda: tags(lineup, id) == ["late-delivery"], what="the last one undone")
    opens_picker(browser)
    browser.page.keyboard.press("Enter")
    wait_until(lambda: tags(lineup, id) == [], what="the other one switched off")


def test_many_threads_are_tagged_together(browser, lineup):
    ids = [lineup.say(f"tag-many-{number}", name=f"Many {number}") for number in range(2)]
    url = f"{lineup.server.url}/admin/api/threads/{ids[0]}/tags"
    assert lineup.mai.put(url, json={"add": ["vip"], "remove": []}).ok
    browser.wait_for(f"() => ({on_row(ids[0])})() === 'vip'", "the tag on the row")
    for id in ids:
        browser.page.locator(f"#row-{id}").click(modifiers=["ControlOrMeta"])
    opens_picker(browser)
    assert "Tags of 2 threads" in browser.page.locator(PICKER).inner_text()
    browser.page.wait_for_selector(f"{PICKER} .tag-option[data-share=some] >> text=vip")
    browser.page.keyboard.press("Enter")
    browser.page.keyboard.type("march")
    browser.page.keyboard.press("Enter")
    assert tags(lineup, ids[1]) == [], "nothing is changed before it is applied"
    browser.page.keyboard.press("Control+Enter")
    wait_until(lambda: all(tags(lineup, id) == ["march", "vip"] for id in ids), what="both on both")


def test_tags_are_a_filter(browser, lineup):
    ids = [lineup.say(f"tag-filter-{number}", name=f"Filter {number}") for number in range(2)]
    url = f"{lineup.server.url}/admin/api/threads/{ids[0]}/tags"
    assert lineup.mai.put(url, json={"add": ["only-here"], "remove": []}).ok
    browser.page.keyboard.press("Shift+F")
    browser.page.locator(".query-filter-button", has_text="Tag").click()
    browser.page.locator(".query-filter .menu-item", has_text="only-here").click()
    rows = [f"document.getElementById('row-{id}')" for id in ids]
    browser.wait_for(f"() => {rows[0]} && !{rows[1]}", "the tagged thread alone")
