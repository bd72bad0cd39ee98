"""A desk without any event shows the first steps, until the first event comes."""

import os
import subprocess

import pytest
from playwright.sync_api import Page

from tests.browser.axe import violations
from tests.drivers.browser import BrowserDriver

pytestmark = pytest.mark.slow

_TEXT = "() => document.querySelector('.first-steps:not([hidden])')?.innerText ?? ''"


def test_first_steps_until_the_first_event_arrives(chromium, start_server):
    server = start_server()
    email = server.create_admin("Mai")
    key = server.create_key()
    # No view was chosen and the address names none: the longest wait is shown first.
    browser = BrowserDriver(
        chromium, server, email, "not_respond/longest_wait", reduced_motion="reduce"
    )
    page = browser.page
    page.goto("about:blank")
    page.goto(server.url)
    browser.wait_until_shown("not_respond/longest_wait")
    page.wait_for_selector(".first-card")
    text = page.evaluate(_TEXT)
    assert "create-key --source shop" in text and "Waiting for your first event" in text
    assert page.locator(".first-card a[href='/api/docs']").count() == 1
    assert violations(page) == []
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("[data-copies=post]")
    page.wait_for_selector("[data-copies=post]:text('Copied')")
    command = page.evaluate("() => navigator.clipboard.readText()")
    assert command.startswith(f"curl -X POST {server.url}/api/v1/events")
    without_name = command.replace('"c-1", "name": "Mai"', '"c-004091"')
    assert without_name != command
    answer = typed(without_name, key)
    assert '"created"' in answer
    page.wait_for_selector(".first-state[data-arrived=true]")
    assert "Your first event has arrived" in page.evaluate(_TEXT)
    page.click(".first-state .button")
    browser.wait_until_shown("arrival/arrival")
    assert page.evaluate(_TEXT) == ""
    page.wait_for_selector(".row-name:text-is('Visitor 4091')")
    leads_to_the_api_and_to_the_visitors_id(page)
    page.goto("about:blank")
    page.goto(server.url)
    page.wait_for_selector(".row-name:text-is('Visitor 4091')")
    assert page.locator(".first-card").count() == 0
    assert browser.errors == []


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


def typed(command: str, key: str) -> str:
    """Returns what a shell prints."""
    return subprocess.run(
        ["sh", "-c", command],
        env={"PATH": os.environ["PATH"], "KEY": key},
        capture_output=True,
        text=True,
        timeout=30,
    ).stdout
