"""axe-core over every page: the states of the dashboard, all settings, and the pages of sign-in."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, ViewportSize

from bench.judges.judge import Finding, Judge, Verdict
from bench.judges.surroundings import chromium_version, npm_versions
from dashboard.web.admin.pages import SETTINGS_PAGES
from tests.browser.axe import violations, violations_in_forced_colors
from tests.browser.states import NARROW, STATES, State, prepare
from tests.drivers.browser import BrowserDriver
from tests.drivers.lineup import LineupDriver, running_lineup
from tests.servers.chromium import running_chromium
from tests.servers.lineup import PASSWORD

WIDE = ViewportSize(width=1280, height=800)
PHONE = ViewportSize(width=390, height=780)
#: Pages that are shown without a session, by their names here.
CARDS = {
    "sign-in": "/login",
    "invitation": "/invitation",
    "error": "/nothing",
    "documentation": "/api/docs",
}
Findings = list[Finding]


def run(folder: Path) -> Iterator[Verdict]:
    with running_lineup(folder) as lineup, running_chromium() as chromium:
        lineup.fill()
        prepare(lineup)
        lineup.admin(lineup.mai_email).prefer(theme="light")
        yield _of_states(chromium, lineup, "dashboard, wide", STATES, WIDE)
        yield _of_states(chromium, lineup, "dashboard, narrow", NARROW, PHONE)
        yield _of_settings(chromium, lineup)
        yield _of_cards(chromium, lineup)
        lineup.disconnect()


def _of_states(
    chromium: Browser,
    lineup: LineupDriver,
    against: str,
    states: dict[str, State],
    viewport: ViewportSize,
) -> Verdict:
    options: dict[str, Any] = {"viewport": viewport, "reduced_motion": "reduce"}
    browser = BrowserDriver(chromium, lineup.server, lineup.mai_email, **options)
    found: Findings = []
    for name, state in states.items():
        browser.renew()
        state(browser, lineup)
        found += _findings(name, browser.page)
    browser.close()
    return Verdict(against, 3 * len(states), found)


def _of_settings(chromium: Browser, lineup: LineupDriver) -> Verdict:
    """Looks at each page of settings, as a supervisor."""
    email = lineup.server.create_admin("Chief", role="supervisor")
    lineup.admin(email).prefer(theme="light")
    browser = BrowserDriver(chromium, lineup.server, email, reduced_motion="reduce")
    found: Findings = []
    for settings in SETTINGS_PAGES:
        browser.page.goto(f"{lineup.server.url}/settings/{settings.name}")
        browser.page.wait_for_selector(f".area-page[data-page={settings.name}] h1")
        browser.page.wait_for_load_state("networkidle")
        found += _findings(settings.name, browser.page)
    browser.close()
    return Verdict("settings", 3 * len(SETTINGS_PAGES), found)


def _of_cards(chromium: Browser, lineup: LineupDriver) -> Verdict:
    context = chromium.new_context(viewport=WIDE, reduced_motion="reduce", locale="en")
    page = context.new_page()
    found: Findings = []
    for name, path in CARDS.items():
        page.goto(lineup.server.url + path)
        found += _findings(name, page)
    page.goto(f"{lineup.server.url}/login")
    page.fill("[name=email]", "nobody@example.com")
    page.fill("[name=password]", PASSWORD)
    page.click("button[type=submit]")
    page.wait_for_selector("[role=alert]")
    found += _findings("refused sign-in", page)
    context.close()
    return Verdict("sign-in and documents", 3 * (len(CARDS) + 1), found)


def _findings(name: str, page: Page) -> Iterator[Finding]:
    """Yields what axe says in forced colours, in the light theme and in the dark one."""
    for look in LOOKS:
        for scheme, rule, *elements in look(page):
            yield Finding(f"{rule} ({scheme})", name, "; ".join(map(str, elements)))


LOOKS: tuple[Callable[[Page], list[Any]], ...] = (violations_in_forced_colors, violations)
JUDGE = Judge(
    "accessibility",
    "axe-core with all its rules on each page, in the light theme and in forced colours, and with"
    " the contrast in the dark theme.",
    lambda: npm_versions("axe-core") | chromium_version(),
    run,
)
