"""A desk without any event shows the first steps, until the first event comes."""

import os
import re
import subprocess

import pytest
from playwright.sync_api import Page

from tests.browser.axe import violations
from tests.drivers.browser import BrowserDriver

pytestmark = pytest.mark.slow

#: Whether the card is wider than a list, and whether the conversation's pane is shown.
_WIDTHS = """() => [
  document.querySelector('.first-card').offsetWidth > 600,
  document.querySelector('.pane-thread').offsetWidth > 0,
]"""
_TEXT = "() => document.querySelector('.first-steps:not([hidden])')?.innerText ?? ''"


def test_first_steps_until_the_first_event_arrives(chromium, start_server):
    server = start_server()
    email = server.create_admin("Mai", role="supervisor")
    # No view was chosen and the address names none: the longest wait is shown first.
    browser = BrowserDriver(
        chromium, server, email, "not_respond/longest_wait", reduced_motion="reduce"
    )
    page = browser.page
    page.goto("about:blank")
    page.goto(server.url)
    browser.wait_until_shown("not_respond/longest_wait")
    page.wait_for_selector(".first-card")
    assert "Waiting for your first event" in page.evaluate(_TEXT)
    assert page.locator(".first-card a[href='/api/docs']").count() == 1
    # Across the pane: no line of the list's width.
    assert page.evaluate(_WIDTHS) == [True, False]
    assert done_steps(page) == []
    assert violations(page) == []
    tells_an_admin_who_connects_the_chatbot(chromium, server)
    # What was done elsewhere ticks itself off: there is a colleague now.
    page.wait_for_selector("[data-step=invite][data-done=true]")
    makes_the_key(page)
    assert '"created"' in typed(copied_command(page, server.url))
    page.wait_for_selector(".first-state[data-arrived=true]")
    assert "Your first event has arrived" in page.evaluate(_TEXT)
    assert page.evaluate(_WIDTHS) == [False, True]
    page.wait_for_selector(".row-name")
    # The steps that are left, below the thread.
    assert page.locator(".first-more a").all_inner_texts() == ["Add a webhook", "Set opening hours"]
    page.click(".first-state .button")
    browser.wait_until_shown("arrival/arrival")
    assert page.evaluate(_TEXT) == ""
    page.wait_for_selector(".row-name:text-is('Visitor 4091')")
    leads_to_the_api_and_to_the_visitors_id(page)
    are_there_again_from_the_help(page)
    page.goto("about:blank")
    page.goto(server.url)
    page.wait_for_selector(".row-name:text-is('Visitor 4091')")
    assert page.locator(".first-card").count() == 0
    assert browser.errors == []


def copied_command(page: Page, url: str) -> str:
    """The command to post a first message, of a customer without a name."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("[data-copies=post]")
    page.wait_for_selector("[data-copies=post]:text('Copied')")
    command = page.evaluate("() => navigator.clipboard.readText()")
    assert command.startswith(f"curl -X POST {url}/api/v1/events")
    without_name = command.replace('"c-1", "name": "Mai"', '"c-004091"')
    assert without_name != command
    return without_name


def makes_the_key(page: Page) -> None:
    """A name that no chatbot may have is refused; the key is shown once, and is in the command."""
    page.fill(".first-make input", "My shop")
    page.click(".first-make button")
    page.wait_for_selector(".first-step .form-problem:not(:empty)")
    page.fill(".first-make input", "shop")
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-copies=key]:focus")
    key = page.inner_text("[data-step=key] pre")
    assert re.fullmatch("lu_[A-Za-z0-9_-]{40,}", key)
    assert f"Bearer {key}" in page.inner_text("[data-step=post] pre")
    assert done_steps(page) == ["key", "invite"]


def are_there_again_from_the_help(page: Page) -> None:
    page.keyboard.press("?")
    page.click("dialog[open] button:text-is('First steps')")
    page.wait_for_selector(".first-head h2:focus")
    assert done_steps(page) == ["key", "post", "invite"]
    page.keyboard.press("Escape")
    page.wait_for_selector(".first-card", state="detached")


def done_steps(page: Page) -> list[str]:
    return page.eval_on_selector_all(
        ".first-step[data-done=true]", "steps => steps.map((step) => step.dataset.step)"
    )


def leads_to_the_api_and_to_the_visitors_id(page: Page) -> None:
    # A thread opens only when somebody opens it.
    assert page.locator(".composer-field").count() == 0
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open] a[href='/api/docs']")
    page.keyboard.press("Escape")
    page.locator(".row").first.click()
    page.wait_for_selector(".composer-field")
    page.keyboard.press("Escape")
    page.keyboard.press("i")
    page.wait_for_selector(".customer-facts:has-text('shop/c-004091')")
    page.click(".customer-facts .copy")
    page.wait_for_selector(".customer-facts .copy-done:text('Copied')")
    assert page.evaluate("() => navigator.clipboard.readText()") == "shop/c-004091"


def tells_an_admin_who_connects_the_chatbot(chromium, server) -> None:
    browser = BrowserDriver(
        chromium, server, server.create_admin("Tom"), "not_respond/longest_wait"
    )
    browser.page.wait_for_selector(".first-card")
    assert "A supervisor connects the chatbot." in browser.page.evaluate(_TEXT)
    assert browser.page.locator(".first-step, .first-make").count() == 0
    assert browser.errors == []
    browser.page.context.close()


def typed(command: str) -> str:
    """Returns what a shell prints."""
    return subprocess.run(
        ["sh", "-c", command],
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=30,
    ).stdout
