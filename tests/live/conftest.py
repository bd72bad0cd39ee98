"""A server process under each async mode: with eventlet on the machine's Redis, with gevent on the
Valkey of the Python packages."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import pytest

from tests.conftest import MODES
from tests.drivers.lineup import LineupDriver, running_lineup
from tests.servers.redis import packaged_program

#: A driver of a running Lineup, by the async mode.
Shared = Callable[[str], LineupDriver]


@pytest.fixture(scope="session")
def shared_lineup(tmp_path_factory) -> Iterator[Shared]:
    """One server of each mode for all files whose tests leave it running."""
    running: dict[str, LineupDriver] = {}
    with ExitStack() as stack:

        def driver(mode: str) -> LineupDriver:
            if mode not in running:
                folder = tmp_path_factory.mktemp(mode)
                running[mode] = stack.enter_context(_running(mode, folder))
                return running[mode]
            return LineupDriver(running[mode].server, running[mode].redis)

        yield driver


@pytest.fixture(scope="module", params=MODES)
def lineup(request, tmp_path_factory, shared_lineup) -> Iterator[LineupDriver]:
    """A running Lineup with an admin signed in; slow tests may stop it, or its Redis.

    Files without slow tests share it, unless they set `OWN_SERVER`: those look at all threads.
    """
    tests = [item for item in request.session.items if item.path == request.path]
    has_own = getattr(request.module, "OWN_SERVER", False)
    if not has_own and not any(test.get_closest_marker("slow") for test in tests):
        yield shared_lineup(request.param)
        return
    with _running(request.param, tmp_path_factory.mktemp(request.param)) as made:
        yield made


def _running(mode: str, folder: Path) -> AbstractContextManager[LineupDriver]:
    program = packaged_program() if mode == "gevent" else None
    return running_lineup(folder, program, async_mode=mode)
