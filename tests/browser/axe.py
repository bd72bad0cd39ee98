"""axe-core, the accessibility check: what it finds in the page as it is shown now."""

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

PROGRAM = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
#: All rules, and the experimental one that a name holds the visible text.
ALL = {"rules": {"label-content-name-mismatch": {"enabled": True}}}
#: Themes differ only in colours.
CONTRAST = {"runOnly": ["color-contrast"]}
#: [scheme, rule, elements] of each violation.
RUN = """async ([scheme, options]) => {
  const { violations } = await axe.run(document, { resultTypes: ['violations'], ...options });
  return violations.map(({ id, nodes }) =>
    [scheme, id, ...nodes.slice(0, 3).map(({ html, any, all, none }) =>
      [html.slice(0, 200), ...[...any, ...all, ...none].map(({ message }) => message)])]);
}"""
SHOW_DARK = "() => { document.documentElement.dataset.theme = 'dark'; }"


def violations(page: Page) -> list[Any]:
    """[theme, rule, elements] of each violation; the page has the dark theme afterwards."""
    _load(page)
    light = page.evaluate(RUN, ["light", ALL])
    page.evaluate(SHOW_DARK)
    return [*light, *page.evaluate(RUN, ["dark", CONTRAST])]


def violations_in_forced_colors(page: Page) -> list[Any]:
    """["forced", rule, elements] of each violation with the colours of the system."""
    page.emulate_media(forced_colors="active")
    try:
        _load(page)
        return page.evaluate(RUN, ["forced", ALL])
    finally:
        page.emulate_media(forced_colors="none")


def _load(page: Page) -> None:
    assert PROGRAM.is_file(), "axe-core is missing: make setup brings it"
    page.evaluate(PROGRAM.read_text(encoding="utf-8"))
