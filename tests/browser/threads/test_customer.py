"""The panel about the customer of the open thread."""

import pytest

from tests.browser.threads.test_case import toast
from tests.drivers.browser import BrowserDriver

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
