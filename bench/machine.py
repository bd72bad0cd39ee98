"""The machine of a bench: processor, memory, system and versions; nothing that names a host."""

import os
import platform
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

import redis

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
