"""The two worlds of these tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.dashboard.desks.world import World, both


@pytest.fixture
def worlds(sqlite_at_head: Path, tmp_path: Path) -> Iterator[tuple[World, World]]:
    """The world in which Lan's desk is alone, and the one with another desk beside it."""
    alone, full = both(sqlite_at_head, tmp_path)
    yield alone, full
    alone.close()
    full.close()
