"""The panel about the customer of the open thread."""

import pytest

from tests.browser.threads.test_case import toast
from tests.drivers.browser import BrowserDriver
from tests.drivers.lineup import LineupDriver

pytestmark = pytest.mark.slow

PANEL = "#customer:not([hidden])"
OTHERS = f"{PANEL} .customer-none, {PANEL} .customer-threads"
DELETE = ".customer-delete"
MISSING = "There is no such thread, or it is at a desk that you do not see"


@pytest.fixture
def boss(chromium, lineup):
    """A supervisor's window."""
    window = BrowserDriver(
        chromium, lineup.server, lineup.server.create_admin("Boss", "supervisor")
    )
    yield window
    assert window.errors == []
    window.close()


def opens_panel(window: BrowserDriver, id: int) -> None:
    window.open(id)
    window.page.locator(".list").focus()
    window.page.keyboard.press("i")
    window.page.wait_for_selector(OTHERS)


def is_gone(id: int) -> str:
    return f"() => !document.getElementById('row-{id}')"


def test_a_supervisor_deletes_a_customer_and_is_asked_twice(boss, browser, lineup):
    customer = {"id": "delete-me", "name": "Delete Me"}
    ids = [lineup.say(f"deleted-{number}", customer=customer) for number in range(2)]
    other = lineup.say("stays-1", name="Stays")
    opens_panel(browser, ids[0])
    assert browser.page.locator(DELETE).count() == 0, "an admin who is no supervisor"
    opens_panel(boss, ids[0])
    page = boss.page
    page.locator(DELETE).click()
    page.wait_for_selector("text=Delete Delete Me?")
    assert "2 threads" in page.locator("#ask-text").inner_text()
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog[open]", state="detached")
    assert page.evaluate(is_gone(ids[0])) is False, "the focus is on Cancel"
    page.locator(DELETE).click()
    page.locator(".ask-yes").click()
    page.wait_for_selector("text=This cannot be undone.")
    page.locator(".ask-yes").click()
    boss.wait_for(toast("Deleted Delete Me with 2 threads"), "the toast")
    for window in (boss, browser):
        window.page.wait_for_selector(f"text={MISSING}")
        for id in ids:
            window.wait_for(is_gone(id), "the row leaving")
        assert window.page.locator(PANEL).count() == 0
        window.open(other)
    page.wait_for_selector(OTHERS)  # the panel was open before


LANGUAGES = """() => Object.fromEntries(
  ["#row-ID .row-name", "#row-ID .row-preview", ".thread-name bdi", ".message-body",
    ".composer-field", ".composer-send"]
  .map((at) => [at, document.querySelector(at)?.closest("[lang]").lang]))"""


def test_a_customers_texts_are_in_the_customers_language(
    browser: BrowserDriver, lineup: LineupDriver
):
    """For screen readers, glyphs and the spelling checker; notes are in the team's language."""
    customer = {"id": "c-ja", "name": "山田 太郎", "locale": "ja_JP.UTF-8"}
    id = lineup.say("in-japanese", "直りました。骨", customer=customer)
    browser.open(id)
    browser.page.wait_for_selector(".message-body")
    languages = browser.page.evaluate(LANGUAGES.replace("ID", str(id)))
    assert languages.pop(".composer-send") == "en"
    assert set(languages.values()) == {"ja-JP"}, languages
    browser.page.locator(".list").focus()
    browser.page.keyboard.press("n")
    browser.wait_for("() => document.querySelector('.composer[data-private] textarea')")
    assert browser.page.locator(".composer-field").get_attribute("lang") is None
    other = lineup.say(
        "in-english", "Hello", customer={"id": "c-en", "name": "Kim", "locale": "en-GB"}
    )
    browser.open(other)
    browser.page.wait_for_selector(f".composer-field[data-thread='{other}']")
    browser.wait_for("() => document.querySelector('.message-body')?.textContent === 'Hello'")
    languages = browser.page.evaluate(LANGUAGES.replace("ID", str(other)))
    assert set(languages.values()) == {"en"}, languages
