"""The browser's translation changes the page: what is live stays right, and in its place."""

from itertools import count
from typing import NamedTuple

import pytest

from tests.drivers.browser import BrowserDriver
from tests.support import wait_until

pytestmark = pytest.mark.slow

#: Numbers for the names of threads: all tests of this file share a server.
_numbers = count(1)

#: Translates as Chrome does: each text becomes <font><font>…</font></font>, except where it is
#: marked as not to be translated. `kind`: how the text is removed.
TRANSLATOR = """(kind) => {
  const left = 'script, style, textarea, input, svg, .notranslate, [translate=no]';
  const wrap = (text) => {
    const [outer, inner] = [1, 2].map(() => document.createElement('font'));
    for (const each of [outer, inner]) each.style.verticalAlign = 'inherit';
    outer.append(inner);
    if (kind === 'replaced') {
      inner.textContent = `«${text.data}»`;
      text.replaceWith(outer);
    } else if (kind === 'before') {
      inner.textContent = `«${text.data}»`;
      text.parentNode.insertBefore(outer, text);
      text.remove();
    } else {
      text.parentNode.insertBefore(outer, text);
      inner.append(text);
      text.data = `«${text.data}»`;
    }
  };
  window.translate = () => {
    document.documentElement.className = 'translated-ltr';
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode);
    for (const text of texts) {
      const within = text.parentElement;
      if (text.data.trim() && !within.closest(left) && !within.closest('font')) wrap(text);
    }
  };
  window.translate();
}"""
#: The text of an element as one reads it, without the marks of the translation.
SHOWN = "(selector) => document.querySelector(selector).innerText.replace(/[«»]/g, '').trim()"


class Translated(NamedTuple):
    name: str
    ids: dict[str, int]


def shown(browser: BrowserDriver, selector: str) -> str:
    return browser.page.evaluate(SHOWN, selector)


def translate(browser: BrowserDriver) -> None:
    """Translates all texts that are new since the last time."""
    browser.page.evaluate("() => window.translate()")


@pytest.fixture(
    params=[("replaced", False), ("before", True), ("moved", True)], ids=lambda param: param[0]
)
def translated(request, browser, lineup):
    """A translated page, and three new threads by name; the first one is open.

    The second value of each parameter: whether names are translated, too, as by a translation that
    ignores the mark.
    """
    kind, everything = request.param
    threads = f"translated-{next(_numbers)}"
    ids = {
        name: lineup.say(f"{threads}-{name}", f"Words of {name}", name=name)
        for name in ("Ngoc", "Aoi", "Bea")
    }
    browser.renew()
    browser.open(ids["Ngoc"])
    script = TRANSLATOR.replace(", .notranslate, [translate=no]", "") if everything else TRANSLATOR
    browser.page.evaluate(script, kind)
    assert browser.page.locator("font").count() > 20, "the page is translated"
    assert "«" in browser.page.locator("#messages").inner_text()
    return Translated(threads, ids)


def test_no_customers_name_stands_over_another_ones_words(browser, translated):
    for name in ("Aoi", "Bea", "Ngoc"):
        browser.open(translated.ids[name])
        browser.wait_for(
            f"() => document.getElementById('messages').textContent.includes('Words of {name}')"
        )
        for _ in range(2):
            assert shown(browser, ".thread-name") == name
            assert browser.page.locator("#messages").inner_text().count("Words of") == 1
            translate(browser)


def test_rows_and_counts_follow_in_a_translated_page(browser, lineup, translated):
    new = lineup.say("translated-new", "And me?", name="Dai")
    wait_until(lambda: browser.page.locator(f"#row-{new}").count(), what="the new row")
    lineup.say(f"{translated.name}-Bea", "Are you there?", name="Bea")
    row = f"#row-{translated.ids['Bea']}"
    for _ in range(2):
        wait_until(lambda: "Are you there?" in shown(browser, f"{row} .row-preview"))
        assert shown(browser, f"{row} .row-name") == "Bea"
        assert shown(browser, f"{row} .row-count") == "2"
        translate(browser)
    arrival = ".nav-item[data-kind=arrival] .nav-count"
    waiting = str(len(lineup.in_sql("arrival", "arrival")))
    wait_until(lambda: shown(browser, arrival) == waiting, what="the count")


def test_acts_and_panes_follow_in_a_translated_page(browser, translated):
    page = browser.page
    page.locator(".act-done").click()
    wait_until(lambda: shown(browser, ".thread-name") != "Ngoc", what="the next thread")
    browser.open(translated.ids["Ngoc"])
    wait_until(lambda: "Reopen" in shown(browser, ".act-done"), what="what the button does now")
    browser.choose_act("Customer")
    page.locator("#customer:not([hidden])").wait_for()
    translate(browser)
    browser.open(translated.ids["Aoi"])
    wait_until(lambda: "Aoi" in shown(browser, "#customer"), what="the customer's pane")
    assert "Ngoc" not in shown(browser, "#customer")
    page.locator(".nav-settings").click()
    page.locator(".profile-session").first.wait_for()
    translate(browser)
    page.keyboard.press("Escape")


def test_a_translation_that_is_taken_back_leaves_the_texts(browser, lineup):
    page = browser.page
    id = lineup.say("translated-back", "Words to translate", name="Chi")
    browser.open(id)
    known = "() => document.querySelector('.thread-presence').textContent !== '…'"
    browser.wait_for(known, "the customer's presence")
    words = "() => document.querySelector('.app').innerText"
    before = page.evaluate(words)
    page.evaluate(TRANSLATOR, "replaced")
    assert page.evaluate(words) != before
    page.evaluate(
        "() => { for (const font of document.querySelectorAll('font'))"
        " if (font.parentElement.nodeName !== 'FONT')"
        " font.replaceWith(font.textContent.slice(1, -1)); }"
    )
    assert page.evaluate(words) == before
    lineup.say("translated-back", "More words", name="Chi")
    page.locator(".message", has_text="More words").wait_for()
    assert page.locator(".message", has_text="Words to translate").count() == 1
