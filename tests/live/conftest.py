"""A server process under each async mode."""

from collections.abc import Iterator

import pytest

from tests.conftest import MODES
from tests.drivers.lineup import LineupDriver, running_lineup


@pytest.fixture(scope="module", params=MODES)
def lineup(request, tmp_path_factory) -> Iterator[LineupDriver]:
    """A running Lineup with an admin signed in; a test may stop it, or its Redis."""
    with running_lineup(tmp_path_factory.mktemp(request.param), async_mode=request.param) as made:
        yield made
