"""axe finds nothing in any state of the page, in either theme."""

from pathlib import Path

import pytest

from tests.browser.states import NARROW, STATES
from tests.drivers.browser import BrowserDriver

AXE = Path(__file__).parents[3] / "node_modules" / "axe-core" / "axe.min.js"
#: All rules in the light theme; in the dark one, which changes colours alone, the contrast.
RUN_AXE = """async () => {
  const page = document.documentElement;
  const lines = ({ violations }) => violations.map(({ id, nodes }) =>
    [page.dataset.theme, id, ...nodes.slice(0, 3).map(({ html, any, all, none }) =>
      [html.slice(0, 200), ...[...any, ...all, ...none].map(({ message }) => message)])]);
  const found = lines(await axe.run(document, { resultTypes: ['violations'] }));
  page.dataset.theme = 'dark';
  const dark = await axe.run(document, { runOnly: ['color-contrast'] });
  return [...found, ...lines(dark)];
}"""
WIDE = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 780}


@pytest.mark.parametrize(
    ("states", "viewport"), [(STATES, WIDE), (NARROW, PHONE)], ids=["wide", "narrow"]
)
def test_axe_finds_nothing_in_any_state(chromium, lineup, states, viewport):
    assert AXE.is_file(), "axe-core is missing: make setup brings it"
    lineup.admin(lineup.mai_email).prefer(theme="light")
    axe = AXE.read_text(encoding="utf-8")
    browser = BrowserDriver(
        chromium, lineup.server, lineup.mai_email, viewport=viewport, reduced_motion="reduce"
    )
    found = {}
    for name, state in states.items():
        browser.renew()
        state(browser, lineup)
        browser.page.evaluate(axe)
        found[name] = browser.page.evaluate(RUN_AXE)
    browser.close()
    assert {name: said for name, said in found.items() if said} == {}
    assert browser.errors == []
