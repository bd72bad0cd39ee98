"""Nothing is lost and nothing doubled when the network, the page or the session goes away."""

import pytest

from tests.browser.threads.test_case import has_row
from tests.servers.lineup import PASSWORD
from tests.support import wait_until

pytestmark = pytest.mark.slow

WAKE_SECONDS = 3


def test_a_reply_written_offline_is_sent_once_when_the_network_is_back(browser, lineup):
    id = lineup.say("t-3", "Are you there?")
    browser.open(id)
    browser.page.context.set_offline(True)
    browser.page.wait_for_selector(".banner")
    browser.page.fill(".composer-field", "Yes, I am")
    browser.page.keyboard.press("Control+Enter")
    browser.page.wait_for_selector(".message[data-state]")
    browser.page.context.set_offline(False)
    browser.wait_for("() => !document.querySelector('.message[data-state]')", "the reply's end", 20)
    said = [message["body"] for message in lineup.admin(lineup.mai_email).messages(id)]
    assert said.count("Yes, I am") == 1
    assert browser.page.locator(".message-body", has_text="Yes, I am").count() == 1
    browser.wait_for("() => !document.querySelector('.banner')", "the banner's end", 15)


def test_offline_nothing_is_live_and_a_thread_opens_by_itself_when_the_network_is_back(
    browser, lineup
):
    """Case B18."""
    id = lineup.say("t-7", "Open me later")
    browser.renew()
    browser.open(lineup.say("t-8", "Open me now"))
    browser.page.mouse.move(1000, 300)
    live = "document.querySelector('.live').dataset.state"
    browser.wait_for(f"() => {live} === 'live'", "the live list")
    browser.page.context.set_offline(True)
    browser.wait_for(f"() => {live} === 'waiting'", "the end of live", 5)
    browser.page.evaluate("(id) => { location.hash = `#/arrival/arrival/${id}`; }", id)
    said = "() => document.getElementById('messages').textContent"
    browser.wait_for(f"() => ({said})().includes('opens by itself')", "the word about it", 40)
    assert browser.page.locator(".message-skeleton").count() == 0
    browser.page.context.set_offline(False)
    browser.wait_for(f"() => ({said})().includes('Open me later')", "the thread", 30)
    browser.wait_for(f"() => {live} === 'live'", "the live list again", 20)


def test_a_page_that_was_frozen_shows_the_right_list_soon_after_waking(browser, lineup):
    closed = lineup.say("closed-while-frozen", "Will it be there?")
    browser.wait_for(has_row(closed), "the thread that will be closed")
    total = browser.state()["total"]
    chrome = browser.page.context.new_cdp_session(browser.page)
    chrome.send("Page.setWebLifecycleState", {"state": "frozen"})
    ids = [lineup.say(f"t-{number}", "While you slept") for number in (20, 10, 5)]
    lineup.post(lineup.close_event("closed-while-frozen"))
    chrome.send("Page.setWebLifecycleState", {"state": "active"})
    newest_first = ids[::-1]
    wait_until(
        lambda: [id for _, id in browser.rows_in_view()[:3]] == newest_first,
        WAKE_SECONDS,
        "the right list",
    )
    wait_until(lambda: browser.state()["total"] == total - 1, WAKE_SECONDS, "the closed one gone")


def test_a_session_that_ended_leaves_the_draft_for_the_next_one(browser, lineup):
    id = lineup.say("t-4", "Still there?")
    browser.open(id)
    browser.page.fill(".composer-field", "A long answer that nobody wants to write twice")
    lineup.end_sessions_of_mai()
    banner = browser.page.wait_for_selector(".banner[data-kind=error] button", timeout=20_000)
    banner.click()
    browser.page.wait_for_selector("[name=email]")
    browser.page.fill("[name=email]", lineup.mai_email)
    browser.page.fill("[name=password]", PASSWORD)
    browser.page.keyboard.press("Enter")
    browser.page.wait_for_selector(f".composer-field[data-thread='{id}']")
    assert "nobody wants to write twice" in browser.page.input_value(".composer-field")


def test_a_page_that_is_woken_while_the_server_hangs_is_connected_again_by_itself(browser):
    """Fault F74: woken in the middle of attempts that get no answer; then "Try now" is pressed."""
    hangs = []
    browser.page.route_web_socket(
        "**/socket.io/**", lambda socket: None if hangs else socket.connect_to_server()
    )
    browser.renew()
    for press in (False, True):
        hangs.append(True)
        wait_until(lambda: woken(browser), what="the loss of the connection")
        browser.page.wait_for_timeout(2100)
        assert woken(browser)
        browser.page.wait_for_timeout(2100)
        hangs.clear()
        if press:
            browser.page.evaluate("() => document.querySelector('.banner button').click()")
        browser.wait_for("() => !document.querySelector('.banner')", "the connection", 20)
        browser.wait_for("() => window.lineup.list().state === 'live'", "the live list", 20)


def woken(browser) -> bool:
    """Wakes the page as after a freeze; returns whether it says that its connection is lost."""
    browser.page.evaluate("() => document.dispatchEvent(new Event('resume'))")
    return browser.page.evaluate("() => Boolean(document.querySelector('.banner button'))")
