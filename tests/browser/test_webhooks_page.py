"""The page of webhooks, in the language of the supervisor who looks at it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.desk import Desk

pytestmark = [pytest.mark.browser, pytest.mark.live, pytest.mark.real_redis]

TEXTS = Path(__file__).parents[2] / "static" / "i18n"
ADDRESS = "https://bot.example/lineup"
TEXT_OF = "(selector) => document.querySelector(selector)?.textContent.trim() ?? ''"


@pytest.fixture
def chief(chromium, stage) -> Iterator[Desk]:
    email = "chief@example.com"
    if email not in stage.server.command("list-admins"):
        stage.server.create_admin("Chief", role="supervisor")
    made = Desk(chromium, stage.server, email)
    yield made
    made.close()
    assert made.errors == []


def said(page: Page, selector: str) -> str:
    return page.evaluate(TEXT_OF, selector)


@pytest.mark.parametrize("locale", ["en", "vi", "ja"])
def test_a_supervisor_makes_and_ends_a_webhook_in_their_language(chief, stage, locale):
    texts = {
        name: text
        for folder in ("", "webhooks/")
        for name, text in json.loads((TEXTS / f"{folder}{locale}.json").read_text()).items()
    }
    stage.acts("chief@example.com").prefer(locale=locale)
    page = chief.page
    page.goto(f"{stage.server.url}/webhooks")
    chief.wait_for(f"() => ({TEXT_OF})('.webhooks-about') !== ''", "the page's texts")
    assert page.evaluate("() => document.documentElement.lang") == locale
    for selector, name in (
        ("h1", "title"),
        (".webhooks-about", "about"),
        ("#new legend", "events"),
        ("#new button", "create"),
    ):
        assert said(page, selector) == texts[f"webhooks.{name}"]

    page.fill("[name=source]", "shop")
    page.fill("[name=url]", "ftp://bot.example")
    page.click("#new button")
    refused = texts["error.unknown_value"].partition("{")[0]
    chief.wait_for(f"() => ({TEXT_OF})('#note').startsWith({refused!r})", "the refusal")

    page.fill("[name=url]", ADDRESS)
    page.click("#new button")
    page.wait_for_selector("#note .webhooks-secret")
    assert said(page, "#note").startswith(texts["webhooks.created"])
    assert said(page, ".webhook .webhook-state") == texts["webhooks.active"]

    asked: list[str] = []
    page.once("dialog", lambda dialog: asked.append(dialog.message) or dialog.accept())
    page.locator(".webhook-acts button", has_text=texts["webhooks.revoke"]).click()
    chief.wait_for(f"() => ({TEXT_OF})('#list') === {texts['webhooks.none']!r}", "an empty list")
    assert asked == [texts["webhooks.revoke.sure"].replace("{url}", ADDRESS)]
