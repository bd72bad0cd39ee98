"""One server process of each kind for the tests of the way out."""

from collections.abc import Iterator

import pytest

from tests.live.desk import Desk
from tests.live_server import LiveServer
from tests.redis_server import start_redis

MODES = ("eventlet", "gevent")


@pytest.fixture(scope="module", params=MODES)
def desk(request, tmp_path_factory) -> Iterator[Desk]:
    """A served desk with an admin signed in; its Redis may be tormented."""
    folder = tmp_path_factory.mktemp(request.param)
    redis_server = start_redis(folder)
    url = f"sqlite:///{folder / 'lineup.sqlite'}"
    try:
        with LiveServer(url, redis_server.url, async_mode=request.param) as server:
            yield Desk(server, redis_server)
    finally:
        redis_server.close()
