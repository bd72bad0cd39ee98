"""The services of a process, over a database and a Redis of the test's."""

import secrets
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from dashboard import ROOT
from dashboard.db.database import Database
from dashboard.services import Services
from dashboard.settings import Settings
from tests.servers.lineup import SECRET_KEY


def services_over(
    database: Database,
    redis_client: Any,
    clock: Callable[[], int],
    environment: Mapping[str, str] | None = None,
    *,
    monotonic: Callable[[], float] = time.monotonic,
) -> Services:
    """Services that read the settings from `environment` (LINEUP_*), and nothing else from it."""
    # A folder that is made when a file is stored.
    files = Path(tempfile.gettempdir()) / f"lineup-files-{secrets.token_hex(8)}"
    given = {"LINEUP_SECRET_KEY": SECRET_KEY, "LINEUP_FILES": str(files)}
    settings = Settings.from_environment(given | dict(environment or {}), ROOT / "instance")
    services = Services(settings, "", clock=clock, monotonic=monotonic)
    services.database = database
    services.redis_client = redis_client
    # Tests have no green threads that a slow function could stop.
    services.offload = lambda work, *arguments: work(*arguments)
    return services
