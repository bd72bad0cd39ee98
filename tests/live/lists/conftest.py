"""The fixtures of the cases of live lists."""

import pytest

from tests.support import now_ms

MINUTE_MS = 60_000


@pytest.fixture
def ago():
    """Milliseconds since 1970, so many minutes ago."""
    now = now_ms()
    return lambda minutes: now - minutes * MINUTE_MS


@pytest.fixture
def dashboard(lineup):
    with lineup.dashboard() as opened:
        yield opened


@pytest.fixture(scope="module")
def bob(lineup):
    return lineup.server.sign_in(lineup.server.create_admin("Bob"))
