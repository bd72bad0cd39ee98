"""In any state of the page axe finds nothing, texts have few styles, and rows keep their words."""

import pytest

from tests.browser.axe import violations
from tests.browser.measures import narrow_rows, other_styles
from tests.browser.states import NARROW, STATES
from tests.drivers.browser import BrowserDriver

pytestmark = pytest.mark.slow

WIDE = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 780}


@pytest.mark.parametrize(
    ("states", "viewport"), [(STATES, WIDE), (NARROW, PHONE)], ids=["wide", "narrow"]
)
def test_axe_finds_nothing_in_any_state(chromium, lineup, states, viewport):
    lineup.admin(lineup.mai_email).prefer(theme="light")
    browser = BrowserDriver(
        chromium, lineup.server, lineup.mai_email, viewport=viewport, reduced_motion="reduce"
    )
    found = {}
    for name, state in states.items():
        browser.renew()
        state(browser, lineup)
        page = browser.page
        found[name] = [*violations(page), *other_styles(page), *narrow_rows(page)]
    browser.close()
    assert {name: said for name, said in found.items() if said} == {}
    assert browser.errors == []
