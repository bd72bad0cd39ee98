"""The page of webhooks, in the language of the supervisor who looks at it."""

import json
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.drivers.browser import BrowserDriver
from tests.support import wait_until

pytestmark = pytest.mark.slow

TEXTS = Path(__file__).parents[3] / "static" / "i18n"
ADDRESS = "https://bot.example/lineup"
NAMED = {
    "#new legend": "events",
    "#new [type=submit]": "create",
}
OFFERED = "() => [...document.querySelector('[name=source]').list.options].map((o) => o.value)"
TEXT_OF = "(selector) => document.querySelector(selector)?.textContent.trim() ?? ''"


@pytest.fixture
def chief_email(lineup) -> str:
    return lineup.server.create_admin("Chief", role="supervisor")


@pytest.fixture
def chief(chromium, lineup, chief_email) -> Iterator[BrowserDriver]:
    made = BrowserDriver(chromium, lineup.server, chief_email)
    yield made
    made.close()
    assert made.errors == []


def said(page: Page, selector: str) -> str:
    return page.evaluate(TEXT_OF, selector)


def texts_in(locale: str) -> dict[str, str]:
    return {
        name: text
        for folder in ("", "settings/", "settings/webhooks/")
        for name, text in json.loads((TEXTS / f"{folder}{locale}.json").read_text()).items()
    }


def copies_the_secret(page: Page, texts: dict[str, str]) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("#note .copy")
    wait_until(lambda: said(page, "#note .copy-done") == texts["first.copied"], what="the copy")
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert copied == said(page, ".settings-secret") and copied.startswith("whsec_")


@pytest.mark.parametrize("locale", ["en", "vi", "ja"])
def test_a_supervisor_makes_and_ends_a_webhook_in_their_language(
    chief, chief_email, lineup, locale
):
    texts = texts_in(locale)
    lineup.admin(chief_email).prefer(locale=locale)
    page = chief.page
    page.goto(f"{lineup.server.url}/settings/webhooks")
    chief.wait_for(f"() => ({TEXT_OF})('.area-about') !== ''", "the page's texts")
    assert said(page, ".area-about") == texts["webhooks.about"]
    page.click(".area-action")
    assert page.evaluate("() => document.documentElement.lang") == locale
    for selector, name in NAMED.items():
        assert said(page, selector) == texts[f"webhooks.{name}"]

    assert "shop" in page.evaluate(OFFERED) and "_lineup" not in page.evaluate(OFFERED)
    page.fill("[name=source]", "shop")
    page.fill("[name=url]", "ftp://bot.example")
    page.click("#new [type=submit]")
    refused = texts["refused.at"].format(
        field=texts["refused.url"], text=texts["error.unknown_value.url"]
    )
    chief.wait_for(f"() => ({TEXT_OF})('#note') === {refused!r}", "the refusal")

    # An address of its own: the server is shared.
    address = f"{ADDRESS}/{uuid.uuid4()}"
    page.fill("[name=url]", address)
    page.click("#new [type=submit]")
    page.wait_for_selector("#note .settings-secret")
    assert said(page, "#note").startswith(texts["webhooks.created"])
    copies_the_secret(page, texts)
    webhook = page.locator(".webhook", has_text=address)
    assert webhook.locator(".webhook-state").inner_text().strip() == texts["webhooks.active"]

    webhook.locator(".set-more").click()
    webhook.locator(".menu-item", has_text=texts["webhooks.revoke"]).click()
    assert said(page, "#ask-text") == texts["webhooks.revoke.sure"].replace("{url}", address)
    page.click(".ask-yes")
    webhook.wait_for(state="detached")
