"""A search result: its message in the conversation, and the way to the other matches."""

import pytest

from tests.drivers.browser import BrowserDriver
from tests.drivers.lineup import LineupDriver
from tests.support import now_ms

pytestmark = pytest.mark.slow

PLACE = "document.querySelector('.matches-place')?.textContent"
TOLD = "document.getElementById('announcer').textContent"
#: The match that is shown: its marked words, and whether they are in view.
CURRENT = """() => {
  const mark = document.querySelector('.message[aria-current=true] mark');
  if (!mark) return null;
  const pane = document.getElementById('messages').getBoundingClientRect();
  const box = mark.getBoundingClientRect();
  const seen = box.top >= pane.top && box.bottom <= pane.bottom;
  return seen && [mark.closest('.message').textContent, mark.textContent];
}"""
AT = {8, 30, 60}
LONG = "It rains. " * 300


def shows(browser: BrowserDriver, place: str, text: str) -> None:
    """Waits until the bar shows this place, and a match in this text is in view."""
    browser.wait_for(f"() => {PLACE} === '{place}'", place)
    found = browser.wait_for(
        f"() => {{ const found = ({CURRENT})(); return found?.[0].includes('{text}') && found; }}",
        f"{text} in view",
    )
    assert found[1].lower() == "blue zebra"


def conversation(lineup: LineupDriver) -> int:
    """120 messages, three of them with the phrase; the thread's id."""
    start = now_ms() - 200_000
    bodies = [
        f"{LONG if at == 30 else ''}A Blue zebra, number {at}."
        if at in AT
        else f"zebra and blue, number {at}"
        for at in range(120)
    ]
    return lineup.post(
        *(lineup.message_event("found", each, start + at * 1000) for at, each in enumerate(bodies))
    )[0]


def scroll_to_the_end(browser: BrowserDriver) -> None:
    """Scrolls over the end of the loaded part to the newest message, without gaps."""
    down = """() => {
      const pane = document.getElementById('messages');
      pane.scrollTop = pane.scrollHeight;
      return pane.textContent.includes('zebra, new') && pane.textContent.includes('number 119');
    }"""
    browser.wait_for(down, "the end of the conversation")
    bodies = browser.page.locator(".message-body").all_inner_texts()
    numbers = [int(text.rstrip(".").split()[-1]) for text in bodies[:-1]]
    assert numbers == list(range(numbers[0], 120))


def test_a_result_opens_at_its_message_with_the_others_a_key_away(browser, lineup):
    id = conversation(lineup)
    page = browser.page
    page.keyboard.press("/")
    page.keyboard.type('"blue zebra"')
    browser.wait_for("() => document.querySelectorAll('.found').length === 1", "the result")
    assert page.locator(".found mark").all_inner_texts() == ["Blue zebra"]
    page.keyboard.press("Enter")
    shows(browser, "3 of 3", "number 60.")
    browser.wait_for(f"() => {TOLD}.startsWith('Match 3 of 3: ')", "the announcement")
    page.keyboard.press("F3")
    shows(browser, "1 of 3", "number 8.")
    page.keyboard.press("F3")
    shows(browser, "2 of 3", "number 30.")
    lineup.say("found", "Another blue zebra, new")
    browser.wait_for(f"() => {PLACE} === '2 of 4'", "the new match being counted")
    page.locator(".thread-matches button").nth(0).click()
    shows(browser, "1 of 4", "number 8.")
    page.locator(".messages").focus()
    page.keyboard.press("Shift+M")
    shows(browser, "4 of 4", "zebra, new")

    page.keyboard.press("Escape")
    browser.wait_for("() => document.getElementById('thread-matches').hidden", "the bar's end")
    assert page.locator(".message mark, .message[aria-current]").count() == 0
    assert page.locator(".search").is_visible(), "the search is still there"

    page.locator("#search-field").focus()
    page.keyboard.press("Enter")
    shows(browser, "3 of 4", "number 60.")
    for _ in range(2):
        page.keyboard.press("F3")
    shows(browser, "1 of 4", "number 8.")
    scroll_to_the_end(browser)
    page.locator("#search-field").focus()
    page.keyboard.press("Escape")
    page.wait_for_selector(".search", state="hidden")
    assert page.locator(".message mark").count() == 0, "the marks go with the search"
    assert page.evaluate("() => location.hash").endswith(f"/{id}")


def test_badges_of_filters_are_live_and_rows_name_another_language(browser, lineup):
    page = browser.page
    counts = """() => Object.fromEntries([...document.querySelectorAll('.nav-item')]
      .map((item) => [item.querySelector('.nav-text')?.textContent,
        Number(item.querySelector('.nav-count')?.textContent.replaceAll(',', ''))]))"""
    browser.wait_for(f"() => ({counts})()['Unassigned'] > 0", "the badges")
    before = page.evaluate(counts)
    customer = {"id": "c-lang", "name": "Trang", "locale": "vi-VN"}
    id = lineup.say("lang", "Xin chào", customer=customer)
    own = lineup.say(
        "own-lang", "Hello", customer={"id": "c-own", "name": "Kim", "locale": "en-GB"}
    )
    grown = before["Unassigned"] + 2
    browser.wait_for(f"() => ({counts})()['Unassigned'] === {grown}", "two more of nobody's")
    lineup.admin(lineup.mai_email).act(id, "claim")
    browser.wait_for(f"() => ({counts})()['Mine'] === {before['Mine'] + 1}", "one more of mine")
    browser.wait_for(f"() => ({counts})()['Unassigned'] === {grown - 1}", "one less of nobody's")
    label = page.locator(f"#row-{id} .row-lang")
    assert (label.inner_text(), label.get_attribute("title")) == ("VI", "Vietnamese")
    assert "writes in Vietnamese" in (page.locator(f"#row-{id}").get_attribute("aria-label") or "")
    assert page.locator(f"#row-{own} .row-lang").inner_text() == "", "it is the page's own"
