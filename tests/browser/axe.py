"""axe-core, the accessibility check: what it finds in the page as it is shown now."""

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

PROGRAM = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
#: All rules in the light theme, and the experimental one that a name holds the visible text; in the
#: dark one, which differs only in colours, the contrast.
RUN = """async () => {
  const page = document.documentElement;
  const lines = ({ violations }) => violations.map(({ id, nodes }) =>
    [page.dataset.theme, id, ...nodes.slice(0, 3).map(({ html, any, all, none }) =>
      [html.slice(0, 200), ...[...any, ...all, ...none].map(({ message }) => message)])]);
  const rules = { 'label-content-name-mismatch': { enabled: true } };
  const found = lines(await axe.run(document, { resultTypes: ['violations'], rules }));
  page.dataset.theme = 'dark';
  const dark = await axe.run(document, { runOnly: ['color-contrast'] });
  return [...found, ...lines(dark)];
}"""


def violations(page: Page) -> list[Any]:
    """[theme, rule, elements] of each violation; the page has the dark theme afterwards."""
    assert PROGRAM.is_file(), "axe-core is missing: make setup brings it"
    page.evaluate(PROGRAM.read_text(encoding="utf-8"))
    return page.evaluate(RUN)
