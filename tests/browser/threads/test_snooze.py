"""Threads are put off in the page: by keys, with a time of one's own, many at once; and wake."""

from datetime import datetime, timedelta

import pytest

from tests.browser.threads.test_case import toast
from tests.browser.threads.test_undo import LINES, UNDO
from tests.drivers.browser import BrowserDriver
from tests.drivers.lineup import LineupDriver, rfc3339
from tests.support import now_ms, wait_until

pytestmark = pytest.mark.slow

MENU = "#snooze:popover-open"


def snooze_of(lineup: LineupDriver, id: int) -> dict | None:
    url = f"{lineup.server.url}/admin/api/threads?ids={id}"
    return lineup.mai.get(url).json()["rows"][0]["snooze"]


def opens_menu(browser: BrowserDriver) -> None:
    browser.page.locator(".list").focus()
    browser.page.keyboard.press("h")
    browser.page.wait_for_selector(f"{MENU} .menu-item")


def is_listed(browser: BrowserDriver, list: str, id: int) -> None:
    browser.page.evaluate("(to) => { location.hash = to; }", f"#/{list}")
    browser.wait_until_shown(list)
    script = f"() => window.lineup.list().painted.includes({id})"
    browser.wait_for(script, f"the thread on {list}")


def test_a_thread_is_snoozed_by_keys_changed_woken_and_each_is_undone(browser, lineup):
    """W1, W9: the next thread opens; the bar shows the moment, and no toast covers it."""
    ids = [lineup.say(f"snooze-{number}", name=f"Sleepy {number}") for number in range(2)]
    browser.renew()
    browser.open(ids[1])
    opens_menu(browser)
    browser.page.keyboard.press("t")
    browser.wait_for(toast("Snoozed Sleepy 1 until"), "the toast")
    browser.wait_for(f"() => location.hash.split('?')[0].endsWith('/{ids[0]}')", "the next thread")
    browser.wait_for(f"() => !window.lineup.list().ids.includes({ids[1]})", "it leaving the list")
    is_listed(browser, "snoozed/soonest", ids[1])
    browser.open(ids[1])
    browser.page.wait_for_selector(".snooze-bar >> text=by you")
    assert browser.page.locator(UNDO).count() == 1, "the toast is still there"
    for button in (".snooze-change", ".snooze-wake"):
        browser.page.locator(button).click(trial=True)
    browser.page.locator(".snooze-change").click()
    browser.page.wait_for_selector(f"{MENU} .menu-item")
    browser.page.keyboard.press("r")
    browser.page.keyboard.press("m")
    browser.page.wait_for_selector(".snooze-bar >> text=also if the customer writes")
    lineup.say("snooze-1", "Hello?", name="Sleepy 1")
    found = snooze_of(lineup, ids[1])
    assert found and found["wake"] == "never", "the message woke nothing"
    browser.page.locator(".snooze-wake").click()
    browser.page.wait_for_selector(".snooze-bar", state="detached")
    assert snooze_of(lineup, ids[1]) is None
    browser.page.locator(".list").focus()
    browser.page.keyboard.press("z")
    browser.page.wait_for_selector(".snooze-bar >> text=also if the customer writes")
    assert snooze_of(lineup, ids[1]) == found
    lines = browser.page.evaluate(LINES)
    assert any(line.startswith("You snoozed the thread until") for line in lines), lines
    assert "You woke the thread" in lines
    a_bar_moves_no_message_that_is_read(browser, lineup, ids[0])


def a_bar_moves_no_message_that_is_read(browser: BrowserDriver, lineup, id: int) -> None:
    for number in range(30):
        lineup.say("snooze-0", f"Message {number}", name="Sleepy 0")
    browser.renew()
    browser.open(id)
    browser.wait_for("() => document.querySelectorAll('.message').length > 30", "all messages")
    browser.page.locator("#messages").evaluate(
        "(one) => new Promise((scrolled) => {"
        " one.addEventListener('scroll', () => setTimeout(scrolled), { once: true });"
        " one.scrollTop = one.scrollHeight / 2; })"
    )
    read = browser.page.locator(".message", has_text="Message 14")
    before = read.bounding_box()
    url = f"{lineup.server.url}/admin/api/threads/{id}"
    until = {"until": rfc3339(now_ms() + 86_400_000), "wake": "never"}
    assert lineup.mai.post(f"{url}/snooze", json=until).ok
    browser.page.wait_for_selector(".snooze-bar")
    assert read.bounding_box() == before
    browser.page.locator(".snooze-wake").click()
    browser.page.wait_for_selector(".snooze-bar", state="detached")
    assert read.bounding_box() == before


def test_a_moment_of_ones_own_and_the_customers_message_that_wakes(browser, lineup):
    """W1, W4."""
    id = lineup.say("snooze-own", name="Own moment")
    browser.open(id)
    opens_menu(browser)
    browser.page.keyboard.press("d")
    day = datetime.now() + timedelta(days=3)
    browser.page.fill("#dialog [name=date]", "2020-01-01")
    browser.page.wait_for_selector("#snooze-result[data-wrong=true]")
    browser.page.fill("#dialog [name=date]", day.strftime("%Y-%m-%d"))
    browser.page.fill("#dialog [name=time]", "14:30")
    browser.page.wait_for_selector("#snooze-result[data-wrong=false]")
    browser.page.keyboard.press("Enter")
    browser.wait_for(toast("Snoozed Own moment until"), "the toast")
    found = snooze_of(lineup, id)
    assert found and found["wake"] == "reply"
    until = datetime.fromtimestamp(found["until"] / 1000)
    assert (until.date(), until.hour, until.minute) == (day.date(), 14, 30)
    is_listed(browser, "snoozed/soonest", id)
    lineup.say("snooze-own", "And now?", name="Own moment")
    wait_until(lambda: snooze_of(lineup, id) is None, what="the message waking it")
    is_listed(browser, "arrival/arrival", id)
    woken = browser.page.locator(f"#row-{id} .row-woken:not(:empty)")
    woken.wait_for()


@pytest.mark.parametrize("opened_by", ["key", "button"])
def test_selected_threads_are_snoozed_together(browser, lineup, opened_by):
    """By `h` or the bar of what is selected; one `z` brings all of them back (W9)."""
    names = [f"snooze-{opened_by}-{number}" for number in range(2)]
    ids = [lineup.say(name, name=name) for name in names]
    browser.renew()
    browser.wait_for(f"() => document.querySelector('#row-{ids[1]}')", "the newest thread")
    for id in ids:
        browser.page.locator(f"#row-{id}").click(modifiers=["ControlOrMeta"])
    if opened_by == "key":
        opens_menu(browser)
    else:
        browser.page.locator(".list-header .act-snooze").click()
        browser.page.wait_for_selector(f"{MENU} .menu-item")
    assert "Snooze 2 threads until" in browser.page.locator(MENU).inner_text()
    browser.page.keyboard.press("t")
    wait_until(lambda: all(snooze_of(lineup, id) for id in ids), what="both being snoozed")
    browser.page.locator(".list").focus()
    browser.page.keyboard.press("z")
    wait_until(lambda: not any(snooze_of(lineup, id) for id in ids), what="both being back")
