"""Shares the metrics of one server's workers: each worker has a file in a shared folder.

The mode of `prometheus_client` for several processes would do less:
docs/decisions/18-metrics-of-all-workers-in-our-own-files.md.
"""

import json
import logging
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from dashboard.web.http.metrics.families import Family, added, from_json, to_json

log = logging.getLogger(__name__)

#: How often the file of ended workers is written again, in seconds: files that stay unchanged for
#: days are removed from folders of temporary files.
REWRITE_SECONDS = 3_600.0
#: Pause after a failed write.
RETRY_SECONDS = 10.0
#: Number of ended workers with names that are remembered: a reader may have read the file of one
#: just before its numbers were added to those of ended workers.
_NAMES_MAX = 64
_ENDED = "ended.json"


class WorkerFiles:
    """The file of the worker `name`, and those of the others. Methods raise OSError.

    A worker writes before it answers: numbers shown once are still known after it ended, so no
    counter goes down.
    """

    def __init__(self, folder: Path, name: str):
        self._folder = folder
        self._path = _path_of(folder, name)

    def write(self, families: Sequence[Family]) -> None:
        _replace(self._path, to_json(families))

    def read_others(self) -> list[list[Family]]:
        """Returns the families of each other worker, and those of all ended ones."""
        found = {}
        for path in sorted(self._folder.glob("worker-*.json")):
            if path != self._path:
                # If it is gone, its numbers are among those of the ended workers, read below.
                with suppress(FileNotFoundError):
                    found[path.name] = from_json(path.read_bytes())
        names, ended = _read_ended(self._folder)
        return [*(found[name] for name in found if name not in names), ended]


class EndedWorkers:
    """The counts of ended workers: kept here, and in a file for the others.

    Only one process may have it. A folder that is full, unwritable or gone stops nothing: this is
    logged once, and the counts are written when possible.
    """

    def __init__(self, folder: Path, monotonic: Callable[[], float] = time.monotonic):
        self._folder = folder
        self._monotonic = monotonic
        #: Workers with numbers that are not in `_families` yet.
        self._unread: list[str] = []
        self._names: list[str] = []
        self._families: list[Family] = []
        self._due = 0.0
        self._is_failing = False

    def add(self, name: str) -> None:
        """Adds an ended worker, so that its counts are kept."""
        self._unread.append(name)
        self._due = 0.0
        self.keep()

    def keep(self) -> None:
        """Writes the file now and then, and after it was removed. Call it often."""
        now = self._monotonic()
        try:
            if now >= self._due or self._is_removed():
                self._read()
                self._write()
                self._due, self._is_failing = now + REWRITE_SECONDS, False
        except OSError as error:
            if not self._is_failing:
                log.error("what ended workers have counted cannot be written: %s", error)
            self._due, self._is_failing = now + RETRY_SECONDS, True

    def _is_removed(self) -> bool:
        return not self._is_failing and not (self._folder / _ENDED).exists()

    def _read(self) -> None:
        while self._unread:
            path = _path_of(self._folder, self._unread[0])
            try:
                counted = [each for each in from_json(path.read_bytes()) if each.outlives_worker]
            except (FileNotFoundError, ValueError):
                # The worker ended before it wrote any, or the file was removed or damaged.
                counted = []
            self._families = added([self._families, counted])
            self._names.append(path.name)
            del self._unread[0]

    def _write(self) -> None:
        self._folder.mkdir(mode=0o700, exist_ok=True)
        _replace(self._folder / _ENDED, json.dumps([self._names, self._families]))
        # Until here readers take the numbers from the worker's own file, so none is missing.
        for name in self._names:
            (self._folder / name).unlink(missing_ok=True)
        self._names = self._names[-_NAMES_MAX:]


def _path_of(folder: Path, name: str) -> Path:
    return folder / f"worker-{name}.json"


def _read_ended(folder: Path) -> tuple[list[str], list[Family]]:
    try:
        names, families = json.loads((folder / _ENDED).read_bytes())
    except FileNotFoundError:
        return [], []
    return names, from_json(json.dumps(families))


def _replace(path: Path, text: str) -> None:
    """Replaces a file: readers find the old file or the new one, never a part."""
    written = path.with_suffix(".new")
    written.write_text(text, encoding="utf-8")
    os.replace(written, path)
