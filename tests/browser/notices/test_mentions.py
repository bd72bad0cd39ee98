"""A colleague is mentioned in a note: completed by keys, shown with a badge, read, and kept."""

import pytest

from tests.browser.threads.test_case import toast
from tests.drivers.browser import BrowserDriver
from tests.drivers.lineup import LineupDriver

pytestmark = pytest.mark.slow

BADGE = "document.querySelector('.nav-item[data-kind=mentions] .nav-count').textContent.trim()"
#: Somebody looks at the window, or away from it.
LOOKS = """(looks) => {
  document.hasFocus = () => looks;
  window.dispatchEvent(new Event(looks ? 'focus' : 'blur'));
}"""
#: Whether the badge, and the mark on a row, are in the accent.
ACCENTED = """() => {
  const accent = document.createElement('i');
  accent.style.color = 'var(--accent-text)';
  document.body.append(accent);
  const { color } = getComputedStyle(accent);
  accent.remove();
  return ['.nav-item[data-kind=mentions] .nav-count', '.row-own[data-kind=mention]']
    .map((selector) => getComputedStyle(document.querySelector(selector)).color === color);
}"""
OFFERED = """() => [...document.querySelectorAll('#mention-list .mention-name')]
  .map((name) => name.textContent)"""


@pytest.fixture
def ken(chromium, lineup):
    """A window of Ken's."""
    window = BrowserDriver(chromium, lineup.server, lineup.ken_email)
    yield window
    assert window.errors == []
    window.close()


def test_a_note_mentions_a_colleague_who_reads_it_and_keeps_it(
    browser: BrowserDriver, lineup: LineupDriver, ken: BrowserDriver
):
    id = lineup.say("mention-1", name="Mention 1")
    ken.wait_for(f"() => {BADGE} === '0'", "the badge of Ken")
    browser.open(id)
    browser.page.locator(".list").focus()
    browser.page.keyboard.press("n")
    browser.page.keyboard.type("Please, @ke")
    browser.wait_for(f"() => ({OFFERED})().join() === 'Ken'", "Ken being offered")
    active = browser.page.locator(".composer-field").get_attribute("aria-activedescendant")
    assert browser.page.locator(f"#{active}").get_attribute("aria-selected") == "true"
    browser.page.keyboard.press("Enter")
    assert browser.page.locator(".composer-field").input_value() == "Please, @Ken "
    browser.wait_for(f"() => ({OFFERED})().length === 0", "the end of it")
    browser.page.keyboard.type("look")
    browser.page.keyboard.press("Control+Enter")
    browser.wait_for("() => document.querySelector('.mention')?.textContent === '@Ken'", "the name")
    ken.wait_for(f"() => {BADGE} === '1'", "the badge")
    mark = f"document.querySelector('#row-{id} .row-own').textContent"
    ken.wait_for(f"() => {mark} === 'Mentions you'", "the mark on the row")
    assert ken.page.evaluate(ACCENTED) == [True, True]
    ken.page.locator(".nav-item[data-kind=mentions]").click()
    ken.wait_for(f"() => document.getElementById('row-{id}')", "the row in Mentions")
    ken.page.locator(f"#row-{id}").click()
    ken.wait_for("() => document.querySelector('.mention[data-own]')", "one's own name")
    ken.wait_for(f"() => {BADGE} === '0'", "the mention being read")
    ken.wait_for("() => !document.querySelector('[data-kind=mention]')", "the end of the mark")
    ken.page.locator(".message-unread").click()
    ken.wait_for(f"() => {BADGE} === '1'", "the mention being unread again")
    ken.wait_for("() => document.querySelector('.message-mention')", "what it says")
    other = lineup.say("mention-2", name="Mention 2")
    ken.open(other)
    ken.open(id)
    ken.wait_for(f"() => {BADGE} === '0'", "the mention being read when it was opened again")


def test_a_note_that_names_nobody_says_so_before_it_is_sent(
    browser: BrowserDriver, lineup: LineupDriver
):
    """The second press sends it; a name typed in other characters counts."""
    lineup.server.create_admin("Pat O’Brien–Lê")
    id = lineup.say("mention-4", name="Mention 4")
    browser.open(id)
    browser.page.locator(".list").focus()
    browser.page.keyboard.press("n")
    field = browser.page.locator(".composer-field")
    field.fill("＠Pat O'Brien-Lê, and @Pat O'Bryan")
    browser.page.keyboard.press("Control+Enter")
    browser.wait_for("() => document.querySelector('.composer-held')?.textContent.includes('@Pat')")
    assert field.input_value().endswith("O'Bryan")
    assert browser.page.locator(".message.note").count() == 0
    browser.page.keyboard.press("Control+Enter")
    called = "＠Pat O'Brien-Lê"
    browser.wait_for(f'() => document.querySelector(".mention")?.textContent === "{called}"')
    assert field.input_value() == "" and browser.page.locator(".composer-held").count() == 0


def test_a_reply_to_the_customer_offers_nobody(browser: BrowserDriver, lineup: LineupDriver):
    id = lineup.say("mention-3", name="Mention 3")
    browser.open(id)
    browser.page.locator(".list").focus()
    browser.page.keyboard.press("n")
    browser.page.keyboard.type("@k")
    browser.wait_for(f"() => ({OFFERED})().length", "somebody being offered")
    browser.page.keyboard.press("Escape")
    browser.wait_for(f"() => ({OFFERED})().length === 0", "the end of it")
    browser.page.fill(".composer-field", "")
    browser.page.locator(".list").focus()
    browser.page.keyboard.press("r")
    browser.page.keyboard.type("@k, and more")
    browser.wait_for("() => document.querySelector('.composer-field').value.endsWith('more')")
    assert browser.page.evaluate(OFFERED) == []


def test_what_is_ones_own_is_told_in_the_page_and_opens_the_thread(
    lineup: LineupDriver, ken: BrowserDriver
):
    """A notice that came while the connection was lost is shown, too, once."""
    id = lineup.say("told-1", "Where is it?", name="Told 1")
    mai = lineup.admin(lineup.mai_email)
    mai.reply(id, "@Ken, please", private=True)
    ken.wait_for(toast("Mai mentioned you, Told 1: @Ken, please"), "the notice")
    told = ken.page.locator(".toast", has_text="Mai mentioned you")
    assert told.locator(".button").all_inner_texts() == ["Open", "Notify me when I am away"]
    told.locator(".button", has_text="Open").click()
    ken.page.wait_for_selector(f".composer-field[data-thread='{id}']")
    assert lineup.admin(lineup.ken_email).act(id, "claim").status_code == 200
    lineup.say("told-1", "I am looking at it", name="Told 1")
    other = lineup.say("told-2", "Hello", name="Told 2")
    assert lineup.admin(lineup.ken_email).act(other, "claim").status_code == 200
    lineup.say("told-2", "Still there?", name="Told 2")
    ken.wait_for(toast("Told 2: Still there?"), "the second notice")
    assert ken.page.locator(".toast", has_text="I am looking at it").count() == 0
    ken.page.context.set_offline(True)
    ken.page.evaluate("() => window.dispatchEvent(new Event('offline'))")
    lineup.say("told-2", "Anybody?", name="Told 2")
    ken.page.context.set_offline(False)
    ken.wait_for(toast("Told 2: Anybody?"), "what was missed")
    assert ken.page.locator(".toast", has_text="Anybody?").count() == 1
    # What came while nobody looked is told on return.
    ken.page.evaluate(LOOKS, False)
    given = lineup.say("told-3", "Who helps me?", name="Told 3")
    to_ken = {"admin_id": lineup.admin(lineup.ken_email).id}
    url = f"{lineup.server.url}/admin/api/threads/{given}/assign"
    assert lineup.mai.post(url, json=to_ken).status_code == 200
    row_mark = f"document.querySelector('#row-{given} .row-own')?.textContent"
    ken.wait_for(f"() => {row_mark} === 'Given to you'", "the mark on the row")
    assert ken.page.locator(".toast", has_text="Mai gave you Told 3").count() == 0
    ken.page.evaluate(LOOKS, True)
    ken.wait_for(toast("Mai gave you Told 3: Who helps me?"), "the notice")
    ken.page.reload()
    ken.wait_for(f"() => {row_mark} === 'Given to you'", "the mark after a reload")
    ken.page.locator(f"#row-{given}").click()
    ken.wait_for(f"() => {row_mark} === ''", "the end of the mark, as it is open")
