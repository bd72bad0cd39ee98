"""The metrics with which the tests compare deploy/ and docs/operations.md."""

import fakeredis
import pytest

from dashboard.db.database import Database
from dashboard.db.migrate import bring_to_head
from dashboard.web.application import create_app
from dashboard.web.gauges import watch_process
from tests.services import services_over
from tests.support import now_ms


@pytest.fixture(scope="session")
def families(tmp_path_factory):
    """Name to family of every metric of a web process, without their numbers."""
    folder = tmp_path_factory.mktemp("metrics")
    database = Database(f"sqlite:///{folder / 'lineup.sqlite'}")
    bring_to_head(database)
    services = services_over(database, fakeredis.FakeRedis(), now_ms)
    services.redis_url = "redis://127.0.0.1:1"  # the listener's, which does not run
    create_app(services, 5000, with_sockets=False)
    watch_process(services)
    yield {_exposed(each): each for each in services.metrics.families()}
    database.close()


def _exposed(family):
    """Returns the name as it is scraped: with a suffix for a counter."""
    return family.name + "_total" * (family.kind == "counter")
