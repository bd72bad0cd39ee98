"""The pages of accounts and of API keys, and the page of an invited person."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page

from tests.browser.axe import violations
from tests.drivers.browser import BrowserDriver
from tests.servers.lineup import PASSWORD
from tests.support import wait_until

pytestmark = pytest.mark.slow

TEXT_OF = "(selector) => document.querySelector(selector)?.textContent.trim() ?? ''"


@pytest.fixture
def chief(chromium, lineup) -> Iterator[Page]:
    """The window of a supervisor."""
    email = lineup.server.create_admin("Chief", role="supervisor")
    # Otherwise the check would see colours in the middle of a transition.
    made = BrowserDriver(chromium, lineup.server, email, reduced_motion="reduce")
    yield made.page
    made.close()
    assert made.errors == []


def shown(page: Page, selector: str, text: str) -> None:
    """Waits until an element has this text."""
    wait_until(lambda: text in page.evaluate(TEXT_OF, selector), what=text)


def act(row: Locator, text: str) -> None:
    """Chooses an entry of the row's menu."""
    row.locator(".set-more").click()
    row.locator(".menu-item", has_text=text).click()


def invited_by(chief: Page, url: str, email: str) -> str:
    """The link of a new invitation."""
    chief.goto(f"{url}/settings/accounts")
    chief.wait_for_selector(".accounts tbody tr")
    chief.click(".area-action")
    chief.fill("#new [name=email]", email)
    chief.locator("#new [value=main]").uncheck()
    chief.click("#new button[type=submit]")
    shown(chief, "#note", "An admin needs at least one desk.")
    chief.keyboard.press("Space")  # the focus is on the first desk
    chief.click("#new button[type=submit]")
    chief.wait_for_selector("#note .settings-secret")
    return chief.evaluate(TEXT_OF, "#note .settings-secret")


def test_from_the_link_to_the_dashboard_and_off_again(chromium: Browser, chief, lineup):
    url = lineup.server.url
    link = invited_by(chief, url, "lan@example.com")
    token = link.partition("#")[2]
    shown(chief, ".invitations", "lan@example.com")
    assert violations(chief) == []

    page = chromium.new_context(locale="en", reduced_motion="reduce").new_page()
    sent: list[str] = []
    page.on("request", lambda request: sent.append(f"{request.url} {request.headers}"))
    page.goto(link)
    page.wait_for_selector("#password")
    assert page.url == f"{url}/invitation" and page.input_value("#email") == "lan@example.com"
    assert violations(page) == []
    page.fill("#name", "Lan")
    page.fill("#password", "password2026")
    page.click("button[type=submit]")
    shown(page, "#error", "easy to guess")
    page.fill("#password", PASSWORD)
    page.click("button[type=submit]")
    page.wait_for_selector(".row:not(.skeleton)")
    assert len(sent) > 5 and not [each for each in sent if token in each]

    chief.reload()
    row = chief.locator(".accounts tr", has_text="lan@example.com")
    row.wait_for()
    act(row, "Disable")
    chief.click(".ask-yes")
    shown(chief, "#note", "Lan is disabled.")
    # The open page is told, and becomes empty.
    wait_until(lambda: page.locator(".row:not(.skeleton)").count() == 0, what="the signed-out page")
    again = page.context.new_page()
    again.goto(link)
    shown(again, ".card-error", "used already")


#: A dialog tells of its closing in a later task: by then the next question is open already.
NO_AND_ESCAPE = """() => {
  document.querySelector(".ask-no").click();
  const key = { key: "Escape", bubbles: true, cancelable: true };
  document.querySelector(".account-editor").dispatchEvent(new KeyboardEvent("keydown", key));
}"""


def test_a_role_and_desks_are_changed_and_nothing_written_is_lost(chief, lineup):
    """Esc and the browser's buttons ask first; the desk is as it was when the area is left."""
    lineup.server.create_desk("billing")
    lineup.server.create_admin("Roy")
    id = lineup.say("behind-the-settings", "Is anybody there?")
    chief.goto(f"{lineup.server.url}/#/arrival/arrival/{id}")
    chief.wait_for_selector(".message")
    chief.click(".nav-settings")
    chief.click(".area-nav [href='/settings/accounts']")
    row = chief.locator(".accounts tr", has_text="roy@example.com")
    act(row, "Change")
    editor = chief.locator(".account-editor")
    editor.locator("[value=main]").uncheck()
    for leave in (lambda: chief.keyboard.press("Escape"), chief.go_back):
        leave()
        chief.click(".ask-no")
        assert editor.count() == 1 and chief.url.endswith("/settings/accounts")
    chief.keyboard.press("Escape")
    chief.evaluate(NO_AND_ESCAPE)
    assert chief.locator("[role=alertdialog][aria-describedby=ask-text]").count() == 1
    chief.click(".ask-yes")
    editor.wait_for(state="detached")
    assert "main" in row.inner_text()
    chief.keyboard.press("Escape")
    chief.wait_for_selector(".message", state="visible")
    assert chief.url.endswith(f"/#/arrival/arrival/{id}")
    assert chief.locator(".area-page").count() == 0
    chief.go_back()
    row.locator(".set-open").click()
    editor.locator("[value=main]").uncheck()
    editor.locator("[name=name]").fill("Roy B")
    editor.locator("[name=name]").press("Enter")
    shown(chief, "#note", "Saved.")
    wait_until(lambda: "Roy B" in row.inner_text() and "main" not in row.inner_text())
    assert editor.count() == 0


def test_a_key_is_made_used_and_revoked(chief, lineup):
    url = lineup.server.url
    chief.goto(f"{url}/settings/keys")
    chief.wait_for_selector(".keys tbody tr")
    chief.click(".area-action")
    chief.fill("[name=source]", "shop")
    chief.click("#new button[type=submit]")
    chief.wait_for_selector("#note .settings-secret")
    key = chief.evaluate(TEXT_OF, "#note .settings-secret")
    assert violations(chief) == []
    bot = lineup.server.bot(key)
    address = f"{url}/api/v1/threads/t-0"
    assert bot.get(address).status_code == 200
    row = chief.locator(".keys tr", has_text="_".join(key.split("_")[:2]))
    act(row, "Revoke")
    assert key.split("_")[1] in chief.inner_text("#ask-text")
    chief.click(".ask-no")
    assert bot.get(address).status_code == 200
    act(row, "Revoke")
    chief.click(".ask-yes")
    shown(chief, "#note", "is revoked.")
    wait_until(lambda: bot.get(address).status_code == 401, what="the refusal of the key")
    assert row.locator("button").count() == 0
