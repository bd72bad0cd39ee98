"""The next thread after a reply moved the open one."""

import pytest

from tests.support import wait_until

pytestmark = pytest.mark.slow


def open_third(browser, sort: str) -> tuple[int, int]:
    """Opens the third row by a click; returns it, and the one below it."""
    browser.renew(f"arrival/{sort}")
    browser.wait_for("() => document.querySelectorAll('.row[id]').length > 6")
    (_, id), (_, below) = browser.rows_in_view()[2:4]
    browser.page.locator(f"#row-{id}").click()
    browser.page.wait_for_selector(f".composer-field[data-thread='{id}']")
    browser.page.wait_for_selector(".message")
    browser.page.mouse.move(1000, 300)
    return id, below


def reply(browser, text: str) -> None:
    browser.page.fill(".composer-field", text)
    browser.page.keyboard.press("Control+Enter")
    browser.wait_for("() => !document.querySelector('.message[data-state]')", "the reply's end")
    browser.wait_for("() => window.lineup.list().hold === 'live'")


@pytest.mark.parametrize("sort", ["arrival", "longest_wait", "unanswered_first", "priority"])
def test_reply_then_done_opens_who_stood_next_when_the_thread_was_opened(browser, lineup, sort):
    """H4: wherever the reply moved the thread."""
    for number in range(8):
        lineup.say(f"next-{sort}-{number}", "Hello?")
    id, below = open_third(browser, sort)
    ids = browser.state()["ids"]
    reply(browser, "On its way")
    if sort != "arrival":
        place = ids.index(id)
        wait_until(lambda: browser.state()["ids"][place] != id, what="the thread's moving")
    browser.page.locator(".thread-head .button", has_text="Done").click()
    browser.page.wait_for_selector(f".composer-field[data-thread='{below}']")
    assert browser.page.evaluate("() => location.hash").endswith(f"/{below}")


def test_the_next_unanswered_one_is_looked_for_where_the_thread_was(browser, lineup):
    """H4: by key, too."""
    for number in range(8):
        lineup.say(f"unread-{number}", "Hello?")
    _, below = open_third(browser, "longest_wait")
    reply(browser, "On its way")
    browser.page.keyboard.press("Alt+Shift+ArrowDown")
    browser.page.wait_for_selector(f".composer-field[data-thread='{below}']")
