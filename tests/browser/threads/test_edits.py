"""Edits and deletions of messages in the open conversation, in its row, and in the search."""

import pytest

from tests.drivers.browser import BrowserDriver
from tests.drivers.lineup import LineupDriver
from tests.support import now_ms

pytestmark = pytest.mark.slow

HOSTILE = "<img src=x onerror=\"document.title='hit'\"> <b>bold</b> \u202etxet"
MESSAGES = "[...document.querySelectorAll('#messages .message')].map((one) => one.innerText)"


def change(lineup: LineupDriver, type: str, of: dict, **more: str) -> None:
    event = lineup.message_event(of["thread"], "", now_ms())
    kept = {"id": event["id"], "occurred_at": event["occurred_at"], "type": type}
    lineup.post(kept | {"thread": of["thread"], "message": of["id"]} | more)


def shows(browser: BrowserDriver, *texts: str) -> None:
    """Waits until the messages hold these texts, one each, without a reload."""
    browser.wait_for(
        f"() => {{ const all = {MESSAGES}; const texts = {[*texts]};"
        " return all.length === texts.length && all.every((one, at) => one.includes(texts[at])); }",
        str(texts),
    )


def test_an_open_conversation_follows_edits_and_deletions(browser, lineup):
    first = lineup.message_event("edited", "My card is 4111", now_ms() - 3_000)
    second = lineup.message_event("edited", "Hello?", now_ms() - 2_000)
    [id, _] = lineup.post(first, second)
    browser.renew("arrival/arrival")
    browser.open(id)
    shows(browser, "My card is 4111", "Hello?")
    change(lineup, "message.edited", second, body="Hello, is anybody here?")
    shows(browser, "My card is 4111", "anybody here")
    assert "edited" in browser.page.locator("#messages .message").nth(1).inner_text()
    change(lineup, "message.deleted", first)
    shows(browser, "Message deleted", "anybody here")
    assert "4111" not in browser.page.locator("body").inner_text()
    change(lineup, "message.edited", second, body=HOSTILE)
    shows(browser, "Message deleted", "<img src=x onerror=")
    assert browser.page.locator("#messages img, #messages b, .row b").count() == 0
    assert browser.page.title() != "hit"
    browser.wait_for(
        f"() => document.getElementById('row-{id}').innerText.includes('<b>bold</b>')", "the row"
    )
    change(lineup, "message.deleted", second)
    browser.wait_for(
        f"() => document.getElementById('row-{id}').innerText.includes('Message deleted')"
    )
    assert browser.page.locator("#messages .message").count() == 2
