"""Suggestions and summaries of the chatbot on the page: taken over by a key, never sent alone, gone
when the conversation moves on."""

import re
import uuid

import pytest
from playwright.sync_api import Page

from tests.browser.axe import violations
from tests.support import wait_until

pytestmark = pytest.mark.slow

FIELD = ".composer-field"
SUGGESTION, SUMMARY = ".suggestion-body", ".summary"
HOSTILE = '<img src=x onerror="document.title=1"> </textarea><b>&amp;</b>\n\u202egnp.exe {{admin}}'
SCRIPTS = "() => performance.getEntriesByType('resource').map(({ name }) => name)"


class Thread:
    """A thread of its own with a question, open in Mai's window."""

    def __init__(self, browser, lineup):
        self.name = f"advised-{uuid.uuid4()}"
        self.browser, self.page, self.lineup = browser, browser.page, lineup
        self.mai = lineup.admin(lineup.mai_email)
        self.id = self.ask("Where is my order?")
        browser.renew()
        browser.open(self.id)

    def ask(self, body: str) -> int:
        self.question = uuid.uuid4().hex
        return self.lineup.say(self.name, body, id=self.question)

    def suggest(self, body: str = "It comes tomorrow.") -> str:
        id = self.lineup.suggest(self.name, body, self.question)
        self.page.wait_for_selector(SUGGESTION)
        return id

    def outcomes(self) -> list[tuple[str, str, str | None]]:
        """The outcomes that the chatbot is told about this thread."""
        url, cursor, found = f"{self.lineup.server.url}/api/v1/events", "", []
        while True:
            given = {"after": cursor} if cursor else {}
            answer = self.lineup.bot.get(url, params=given).json()
            found += [one for one in answer["events"] if one["thread"] == self.name]
            if not answer["events"]:
                break
            cursor = answer["next"]
        told = [one for one in found if one["type"].startswith("suggestion.")]
        return [(one["type"], one["data"]["suggestion"], one["data"].get("body")) for one in told]

    def is_told(self, *outcome: str | None) -> None:
        wait_until(lambda: self.outcomes()[-1:] == [outcome], what=f"the outcome {outcome}")

    def typed(self) -> str:
        return self.page.input_value(FIELD)


@pytest.fixture
def thread(browser, lineup) -> Thread:
    return Thread(browser, lineup)


def gone(page: Page, selector: str = SUGGESTION) -> None:
    page.wait_for_selector(selector, state="detached")


def test_a_suggestion_is_taken_over_by_its_key_and_sent_as_it_was(thread):
    """Its script is loaded only now, and its text is text, whatever is in it."""
    page = thread.page
    assert not [name for name in page.evaluate(SCRIPTS) if re.search(r"advice", name)]
    id = thread.suggest(HOSTILE)
    assert page.inner_text(SUGGESTION) == HOSTILE
    assert page.locator(".suggestion img, .suggestion b").count() == 0
    assert page.inner_text(".suggestion-take kbd") == "F2"
    assert thread.typed() == "" and thread.outcomes() == []
    page.keyboard.press("F2")
    thread.browser.wait_for(f"() => document.querySelector('{FIELD}').value", "its text")
    assert thread.typed() == HOSTILE
    assert page.evaluate(f"document.activeElement === document.querySelector('{FIELD}')")
    gone(page)
    assert thread.outcomes() == [] and len(thread.mai.messages(thread.id)) == 1
    page.keyboard.press("Control+Enter")
    thread.is_told("suggestion.used", id, HOSTILE)
    assert page.title() != "1"


def test_a_suggestion_is_put_behind_what_is_typed_edited_and_sent(thread):
    page = thread.page
    id = thread.suggest()
    page.fill(FIELD, "Hello!")
    page.locator(FIELD).press("F2")
    assert thread.typed() == "Hello!\nIt comes tomorrow."
    gone(page)
    page.locator(FIELD).press("F2")
    assert thread.typed() == "Hello!\nIt comes tomorrow.", "once"
    page.keyboard.press("Control+z")
    assert thread.typed() == "Hello!", "as any text that is typed"
    page.keyboard.press("Control+Shift+z")
    page.keyboard.type(" At noon.")
    wait_until(lambda: page.inner_text(".composer-state"), what="the draft being stored")
    thread.browser.renew()
    thread.browser.open(thread.id)
    page.wait_for_selector(FIELD)
    assert page.locator(SUGGESTION).count() == 0, "the draft holds it"
    page.focus(FIELD)
    page.keyboard.press("Control+Enter")
    thread.is_told("suggestion.edited", id, "Hello!\nIt comes tomorrow. At noon.")


@pytest.mark.parametrize("author", ["client", "bot", "admin"])
def test_a_suggestion_disappears_when_the_conversation_moves_on(thread, lineup, author):
    """While the composer is open, whose text stays."""
    page = thread.page
    id = thread.suggest()
    page.fill(FIELD, "I shall look")
    if author == "admin":
        lineup.admin(lineup.ken_email).reply(thread.id, "Ken has it")
    else:
        lineup.say(thread.name, "One more thing", role=author)
    gone(page)
    assert thread.typed() == "I shall look"
    page.locator(FIELD).press("F2")
    assert thread.typed() == "I shall look"
    if author == "admin":
        thread.is_told("suggestion.ignored", id, "Ken has it")
    else:
        assert thread.outcomes() == []


def test_a_suggestion_is_dismissed_in_all_windows(thread, lineup, chromium):
    page = thread.page
    other = type(thread.browser)(chromium, lineup.server, lineup.ken_email)
    other.open(thread.id)
    id = thread.suggest()
    other.page.wait_for_selector(SUGGESTION)
    page.click(".composer-mode >> nth=1")
    page.click(".suggestion-dismiss")
    gone(page)
    gone(other.page)
    thread.is_told("suggestion.ignored", id, None)
    other.close()
    thread.browser.open(lineup.shown)
    thread.browser.open(thread.id)
    assert page.locator(SUGGESTION).count() == 0
    thread.suggest("Another one")


def test_the_summary_says_what_it_covers_and_all_can_read_and_reach_both(thread, lineup):
    page = thread.page
    page.emulate_media(reduced_motion="reduce")
    page.set_viewport_size({"width": 390, "height": 800})
    lineup.summarise(thread.name, "Asks for an <i>order</i>.", thread.question)
    thread.suggest("Long. " * 400)
    page.wait_for_selector(SUMMARY)
    at = page.locator(".messages time").first.inner_text()
    assert page.inner_text(".summary summary") == f"Summary, up to {at}"
    assert page.inner_text(".summary-body") == "Asks for an <i>order</i>."
    box, height = page.locator(FIELD).bounding_box(), page.evaluate("innerHeight")
    assert box["y"] + box["height"] < height, "there is room to write"
    wide = "document.documentElement.scrollWidth <= innerWidth"
    assert page.evaluate(wide)
    lineup.say(thread.name, "And a second order")
    gone(page)
    assert page.locator(SUMMARY).count() == 1, "a summary stays"
    thread.ask("A third one")
    thread.suggest()
    said = page.locator("#announcer").inner_text()
    assert said == "The chatbot suggests a reply. F2 puts it into the composer."
    assert violations(page) == []
