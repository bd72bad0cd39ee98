"""All windows come back at the same moment, as after a restart of the server."""

from uuid import uuid4

import pytest

from bench.drive.drivers import Dashboards
from tests.servers.lineup import cookie_of
from tests.support import wait_until

pytestmark = pytest.mark.slow

#: Many times the callers that may ask Redis at once.
WINDOWS = 500
#: The windows of one admin together may make 300 calls a second.
ADMINS = 5


def test_everybody_gets_the_list_that_redis_holds(lineup, tmp_path):
    said = lineup.say("here")
    with lineup.dashboard() as dashboard:

        def is_placed() -> bool:
            opened = dashboard.open("arrival", "arrival")
            return "late" not in opened and said in opened["ids"]

        # A Lineup that has just started first fills its Redis.
        wait_until(is_placed)
    # A second try makes other admins.
    emails = [lineup.server.create_admin(f"Everybody{uuid4().hex}") for _ in range(ADMINS)]
    settings = {
        "kind": "lineup",
        "url": lineup.server.url,
        "cookies": [cookie_of(lineup.server.sign_in(email)) for email in emails],
        "view": "arrival",
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
