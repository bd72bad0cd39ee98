"""The machine of a bench: processor, memory, system and versions; nothing that names a host."""

import os
import platform
import re
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

import redis

#: Objects in memory (a hundred MB), and how many a walk looks at: each on a page of its own.
OBJECTS, WALKED = 300_000, 3_000
#: Seconds of rest before a walk, walks, and the most ms that rest adds on a quiet machine.
REST_SECONDS, WALKS, QUIET_MS = 0.2, 10, 1.5

_PACKAGES = ("flask", "flask-socketio", "eventlet", "gevent", "redis", "sqlalchemy", "psycopg")


def machine(client: redis.Redis) -> dict[str, Any]:
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "system": f"{platform.system()} {platform.release().partition('-')[0]}",
        "python": platform.python_version(),
        "redis_server": client.info("server")["redis_version"],
        **{package: version(package) for package in _PACKAGES},
    }


def _processor() -> str:
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.M)
    except OSError:
        found = None
    return found[1] if found else platform.machine()


def rest(sleep: Callable[[float], object] = time.sleep) -> dict[str, float]:
    """Returns how long a walk through memory takes (ms) at once, and after a rest.

    On some hosts memory that was not touched for a moment is slow, page by page. There everything
    that seldom happens costs a multiple: an idle server, ten events a second.
    """
    objects = [{number: str(number)} for number in range(OBJECTS)]

    def walk(rest_seconds: float = 0.0) -> float:
        if rest_seconds:
            sleep(rest_seconds)
        begun = time.perf_counter()
        for each in objects[:: OBJECTS // WALKED]:
            len(each)
        return 1e3 * (time.perf_counter() - begun)

    at_once = min(walk() for _ in range(WALKS))
    after_rest = median(walk(REST_SECONDS) for _ in range(WALKS))
    return {"at_once_ms": at_once, "after_rest_ms": after_rest}


def is_quiet(rested: dict[str, float]) -> bool:
    """Whether what seldom happens costs here what it costs elsewhere."""
    return rested["after_rest_ms"] - rested["at_once_ms"] <= QUIET_MS


def was_quiet(result: dict[str, Any]) -> bool:
    """Whether the machine was quiet before this result; True if nobody measured that."""
    return "rest" not in result or is_quiet(result["rest"])
