"""The browser's translation changes the page under it: what is live stays right, and in its place."""

import pytest

from tests.support import wait_until

pytestmark = pytest.mark.slow

#: What Chrome's translation does: each text becomes <font><font>…</font></font>; what is marked as not to
#: be translated is left alone, and what is new is translated, too. `kind`: how the text leaves.
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
#: What is translated and what is not, as one reads it.
SHOWN = "(selector) => document.querySelector(selector).innerText.replace(/[«»]/g, '').trim()"


@pytest.mark.parametrize(
    ("kind", "names_are_translated"), [("replaced", False), ("before", True), ("moved", True)]
)
def test_what_is_live_stays_right_while_the_page_is_translated(
    browser, lineup, kind, names_are_translated
):
    """Never one customer's name over another one's words; rows, counts, notes and messages follow."""
    page = browser.page
    run = f"translated-{kind}-{names_are_translated}"
    ids = {
        name: lineup.say(f"{run}-{name}", f"Words of {name}", name=name)
        for name in ("Ngoc", "Aoi", "Bea")
    }
    browser.renew()
    browser.open(ids["Ngoc"])
    if names_are_translated:
        # As a translation that knows no such mark.
        page.evaluate(
            "() => { Element.prototype.closest = ((own) => function closest(selector) {"
            " return own.call(this, selector.replace(', .notranslate, [translate=no]', '')); }"
            ")(Element.prototype.closest); }"
        )
    page.evaluate(TRANSLATOR, kind)
    assert page.locator("font").count() > 20, "the page is translated"
    assert "«" in page.locator("#messages").inner_text()

    def shown(selector: str) -> str:
        return page.evaluate(SHOWN, selector)

    for name in ("Aoi", "Bea", "Ngoc"):
        browser.open(ids[name])
        browser.wait_for(
            f"() => document.getElementById('messages').textContent.includes('Words of {name}')"
        )
        assert shown(".thread-name") == name
        messages = page.locator("#messages").inner_text()
        assert not [other for other in ids if other != name and f"Words of {other}" in messages]
        page.evaluate("() => window.translate()")
        assert shown(".thread-name") == name
        assert messages.count("Words of") == 1

    # A row moves, and gets other words and another count.
    again = lineup.say(f"{run}-new", "And me?", name="Dai")
    wait_until(lambda: page.locator(f"#row-{again}").count(), what="the new row")
    lineup.say(f"{run}-Bea", "Are you there?", name="Bea")
    row = f"#row-{ids['Bea']}"
    wait_until(lambda: "Are you there?" in shown(f"{row} .row-preview"), what="the preview")
    assert shown(f"{row} .row-name") == "Bea" and shown(f"{row} .row-count") == "2"
    page.evaluate("() => window.translate()")
    wait_until(
        lambda: (
            shown(".nav-item[aria-label^=Arrival] .nav-count")
            == str(len(lineup.in_sql("arrival", "arrival")))
        ),
        what="the count",
    )

    # Acts change what a button and the head say; panes of templates are opened and closed.
    page.locator(".act-done").click()
    wait_until(lambda: shown(".thread-name") != "Ngoc", what="the next thread")
    browser.open(ids["Ngoc"])
    wait_until(lambda: "Reopen" in shown(".act-done"), what="what the button does now")
    page.locator(".act-customer").click()
    page.locator("#customer:not([hidden])").wait_for()
    page.evaluate("() => window.translate()")
    browser.open(ids["Aoi"])
    wait_until(lambda: "Aoi" in shown("#customer"), what="the customer's pane")
    assert "Ngoc" not in shown("#customer")
    page.locator(".act-done").click()
    wait_until(lambda: shown(".thread-name") not in ("Aoi", "Ngoc"), what="the next thread")
    page.evaluate("() => window.translate()")
    page.locator(".nav-settings").click()
    page.locator(".settings").wait_for()
    page.evaluate("() => window.translate()")
    page.keyboard.press("Escape")


def test_a_translation_that_is_taken_back_leaves_the_texts(browser, lineup):
    page = browser.page
    id = lineup.say("translated-back", "Words to translate", name="Chi")
    browser.open(id)
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
