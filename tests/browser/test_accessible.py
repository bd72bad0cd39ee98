"""axe finds nothing in any state of the page, in either theme."""

from pathlib import Path

import pytest

from tests.browser.desk import Desk
from tests.browser.states import NARROW, STATES

pytestmark = [pytest.mark.browser, pytest.mark.live, pytest.mark.real_redis]

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
RUN_AXE = """() => axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
  violations.map(({ id, nodes }) => [id, ...nodes.slice(0, 3).map(({ html, any, all, none }) =>
    [html.slice(0, 200), ...[...any, ...all, ...none].map(({ message }) => message)])]))"""
PHONE = {"width": 390, "height": 780}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_in_any_state(chromium, stage, theme):
    assert AXE.is_file(), "axe-core is missing: make setup brings it"
    stage.acts(stage.mai).prefer(theme=theme)
    found = violations(chromium, stage, STATES) | {
        f"{name}, narrow": said
        for name, said in violations(chromium, stage, NARROW, viewport=PHONE).items()
    }
    assert found == {}


def violations(chromium, stage, states, **options):
    """What axe says of each state that it finds something in."""
    axe = AXE.read_text(encoding="utf-8")
    desk = Desk(chromium, stage.server, stage.mai, reduced_motion="reduce", **options)
    found = {}
    try:
        for name, state in states.items():
            desk.renew()
            state(desk, stage)
            desk.page.evaluate(axe)
            found[name] = desk.page.evaluate(RUN_AXE)
    finally:
        desk.close()
    assert desk.errors == []
    return {name: said for name, said in found.items() if said}
