"""A conversation on paper: all of it, whatever is loaded, and nothing else of the page."""

import re

import pytest

from tests.support import now_ms, wait_until

pytestmark = pytest.mark.slow

COUNT = 230
#: Notes at each printing what is on paper: the texts of the messages, and what else can be seen.
NOTE = """() => {
  window.printed = [];
  const look = () => window.printed.push({
    messages: [...document.querySelectorAll(".printout .message-body")].map((one) => one.innerText),
    title: document.title,
    whole: document.querySelector('.printout-missing') === null,
  });
  window.print = look;
  addEventListener('beforeprint', look);
}"""


@pytest.fixture
def long(lineup, request) -> int:
    """A thread with more messages than the page loads at once."""
    first = now_ms() - COUNT
    [id, *_] = lineup.post(
        *[
            lineup.message_event(
                request.node.name, f"Line {number}", at_ms=first + number, name="Thanh"
            )
            for number in range(COUNT)
        ]
    )
    return id


def test_the_browsers_own_command_prints_the_whole_conversation(browser, long):
    page = browser.page
    browser.open(long)
    page.evaluate(NOTE)
    pdf = page.pdf()
    [printed] = page.evaluate("() => window.printed")
    assert printed["messages"] == [f"Line {number}" for number in range(COUNT)]
    assert printed["whole"] and printed["title"] == "Thanh"
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) > 3, "all pages, not one"
    assert page.locator(".printout").count() == 0, "it is gone afterwards"
    assert "Lineup" in page.title()


def test_the_key_loads_what_is_missing_before_the_browser_asks(browser, long):
    """Once, however often it is pressed meanwhile."""
    page = browser.page
    browser.open(long)
    page.evaluate(NOTE)
    held: list = []
    page.route("**/messages?*", lambda route: held.append(route))
    page.keyboard.press("Control+p")
    page.keyboard.press("Control+p")
    wait_until(lambda: browser.state() and held, what="the first part")
    page.route("**/messages?*", lambda route: route.continue_())
    for route in held:
        route.fallback()
    browser.wait_for("() => window.printed.length", "printing")
    browser.wait_for("() => !document.querySelector('.printout')", "nothing of it being left")
    [printed] = page.evaluate("() => window.printed")
    assert len(printed["messages"]) == COUNT and printed["whole"]
    page.unroute_all()


def test_only_the_conversation_is_on_paper_and_in_light_colours(browser, long):
    page = browser.page
    page.emulate_media(media="print", color_scheme="dark")
    browser.open(long)
    page.evaluate("() => { document.documentElement.dataset.theme = 'dark'; }")
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    shown = page.evaluate(
        "() => [...document.body.children].filter((each) => each.checkVisibility())"
        ".map((each) => each.className)"
    )
    assert shown == ["printout"]
    assert page.evaluate("() => document.documentElement.scrollHeight > innerHeight")
    colour = "() => getComputedStyle(document.querySelector('.printout .message-body')).color"
    assert page.evaluate(colour) == "rgb(22, 24, 29)"
    assert (
        page.locator(".printout button").count() == 0
        or not page.locator(".printout button").first.is_visible()
    )
    page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")


def test_a_conversation_that_cannot_be_loaded_says_so_on_paper(browser, long):
    page = browser.page
    browser.open(long)
    page.evaluate(NOTE)
    page.route("**/messages?*", lambda route: route.abort())
    page.pdf()
    page.unroute("**/messages?*")
    [printed] = page.evaluate("() => window.printed")
    assert not printed["whole"] and 0 < len(printed["messages"]) < COUNT
