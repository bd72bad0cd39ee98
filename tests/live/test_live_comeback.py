"""All windows come back at the same moment, as after a restart of the server."""

from uuid import uuid4

import pytest

from bench.drive.drivers import Dashboards
from tests.live_server import cookie_of
from tests.support import wait_until

pytestmark = [pytest.mark.live, pytest.mark.real_redis]

#: Many times what may ask Redis at once.
WINDOWS = 500


def test_everybody_gets_the_list_that_redis_holds(desk, tmp_path):
    said = desk.say("here")
    with desk.browser() as browser:

        def is_placed() -> bool:
            opened = browser.open("arrival", "arrival")
            return "late" not in opened and said in opened["ids"]

        # A desk that has just started gives its Redis the order first.
        wait_until(is_placed)
    email = desk.server.create_admin(f"Everybody{uuid4().hex}")  # a second try makes another
    settings = {
        "kind": "lineup",
        "url": desk.server.url,
        "cookie": cookie_of(desk.server.sign_in(email)),
        "page": "arrival",
        "sort": "arrival",
        "dashboards": WINDOWS,
    }
    windows = Dashboards(settings, tmp_path / "log")
    try:
        windows.do("reconnect")
        held = windows.do("held")
    finally:
        windows.stop()
    assert held["problems"] == [], "some were answered as if Redis were away"
    assert held["same"]
