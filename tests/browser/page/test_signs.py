"""The page stops showing what is over: typing, a session, the silence of the server."""

import os
import signal

import pytest

from tests.drivers.browser import BrowserDriver
from tests.drivers.lineup import LineupDriver
from tests.support import wait_until

pytestmark = pytest.mark.slow

WRITING = "document.body.textContent.includes('is writing')"
#: The page and what it keeps in the browser, as text.
EVERYTHING = """() => [document.documentElement.outerHTML, document.title,
  ...Object.values(localStorage), ...Object.values(sessionStorage)].join(' ')"""


def test_typing_ends_in_the_browser_and_a_frozen_server_is_told_of(chromium, start_server):
    """H12, H14, case B18: the server is killed while a customer types; a new one is frozen.

    What was written meanwhile is sent once, by itself, when there is a server again.
    """
    server = start_server()
    lineup = LineupDriver(server)
    id = lineup.say("t", "Hello")
    mai = BrowserDriver(chromium, server, lineup.mai_email)
    mai.open(id)
    lineup.customer_types("t", "c-t")
    mai.wait_for(f"() => {WRITING}", "typing")
    server.kill()
    mai.page.fill(".composer-field", "Written without a server")
    mai.page.keyboard.press("Control+Enter")
    mai.wait_for(f"() => !{WRITING}", "the end of typing", 10)
    mai.wait_for("() => document.title.includes('1 not sent')", "the title")
    server.start()
    mai.wait_for("() => !document.querySelector('.banner')", "the connection", 40)
    assert not mai.page.evaluate(f"() => {WRITING}")
    mai.wait_for("() => !document.title.includes('not sent')", "the sending", 30)
    said = [message["body"] for message in lineup.admin(lineup.mai_email).messages(id)]
    assert said.count("Written without a server") == 1
    assert server.process is not None
    mai.wait_for("() => document.querySelector('.live').dataset.state !== 'waiting'", "live", 30)
    os.kill(server.process.pid, signal.SIGSTOP)
    try:
        waits = "() => document.querySelector('.live').dataset.state === 'waiting'"
        mai.wait_for(waits, "the list saying that it is not live", 12)
        banner = "document.querySelector('.banner')?.textContent"
        mai.wait_for(f"() => /No answer|connection is lost/.test({banner})", "the banner", 15)
    finally:
        os.kill(server.process.pid, signal.SIGCONT)
    mai.wait_for("() => !document.querySelector('.banner')", "the connection", 40)
    assert mai.errors == []
    mai.close()
    lineup.disconnect()


def test_a_page_whose_session_was_ended_shows_nothing_of_it(browser, lineup):
    """H26: within 5 s, and what the browser keeps can be read by its author alone."""
    id = lineup.say("t-6", "My secret is 4711")
    browser.open(id)
    browser.page.fill(".composer-field", "A draft about 4711")
    browser.wait_for("() => Object.keys(localStorage).some((key) => key.includes(':draft:'))")
    lineup.end_sessions_of_mai()
    gone = "() => document.body.textContent.includes('Your session is over')"
    browser.wait_for(gone, "the end of the session", 5)
    assert "4711" not in browser.page.evaluate(EVERYTHING)
    browser.page.keyboard.press("F6")
    browser.page.keyboard.press("j")
    ken = lineup.server.sign_in(lineup.ken_email)
    cookies = [{"name": k, "value": v, "url": lineup.server.url} for k, v in ken.cookies.items()]
    browser.page.context.add_cookies(cookies)
    browser.page.goto("about:blank")
    browser.page.goto(f"{lineup.server.url}/#/arrival/arrival/{id}")
    browser.page.wait_for_selector(f".composer-field[data-thread='{id}']")
    assert browser.page.input_value(".composer-field") == ""
    mai = lineup.server.sign_in(lineup.mai_email)
    cookies = [{"name": k, "value": v, "url": lineup.server.url} for k, v in mai.cookies.items()]
    browser.page.context.add_cookies(cookies)
    browser.page.reload()
    browser.page.wait_for_selector(f".composer-field[data-thread='{id}']")
    wait_until(lambda: browser.page.input_value(".composer-field") == "A draft about 4711")
    assert "4711" in browser.page.evaluate(EVERYTHING)
