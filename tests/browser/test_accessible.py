"""axe finds nothing in any state of the page, in either theme."""

from pathlib import Path

import pytest

from tests.browser.desk import Desk
from tests.browser.states import NARROW, STATES

pytestmark = [pytest.mark.browser, pytest.mark.live, pytest.mark.real_redis]

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
#: All rules in the light theme; in the dark one, which changes colours alone, the contrast.
RUN_AXE = """async () => {
  const page = document.documentElement;
  const told = ({ violations }) => violations.map(({ id, nodes }) =>
    [page.dataset.theme, id, ...nodes.slice(0, 3).map(({ html, any, all, none }) =>
      [html.slice(0, 200), ...[...any, ...all, ...none].map(({ message }) => message)])]);
  const found = told(await axe.run(document, { resultTypes: ['violations'] }));
  page.dataset.theme = 'dark';
  const dark = await axe.run(document, { runOnly: ['color-contrast'] });
  return [...found, ...told(dark)];
}"""
WIDE = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 780}


@pytest.mark.parametrize(
    ("states", "viewport"), [(STATES, WIDE), (NARROW, PHONE)], ids=["wide", "narrow"]
)
def test_axe_finds_nothing_in_any_state(chromium, stage, states, viewport):
    assert AXE.is_file(), "axe-core is missing: make setup brings it"
    stage.acts(stage.mai).prefer(theme="light")
    axe = AXE.read_text(encoding="utf-8")
    desk = Desk(chromium, stage.server, stage.mai, viewport=viewport, reduced_motion="reduce")
    found = {}
    for name, state in states.items():
        desk.renew()
        state(desk, stage)
        desk.page.evaluate(axe)
        found[name] = desk.page.evaluate(RUN_AXE)
    desk.close()
    assert {name: said for name, said in found.items() if said} == {}
    assert desk.errors == []
