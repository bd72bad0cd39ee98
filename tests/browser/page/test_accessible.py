"""axe finds nothing in any state of the page, in either theme."""

import pytest

from tests.browser.axe import violations
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
        found[name] = violations(browser.page)
    browser.close()
    assert {name: said for name, said in found.items() if said} == {}
    assert browser.errors == []
