"""All windows come back at the same moment, as after a restart of the server."""

from uuid import uuid4

import pytest

from bench.drive.drivers import Dashboards
from tests.live_server import cookie_of

pytestmark = [pytest.mark.live, pytest.mark.real_redis]

#: Many times what may ask Redis at once.
WINDOWS = 500


def test_everybody_gets_the_list_that_redis_holds(desk, tmp_path):
    desk.say("here")
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
