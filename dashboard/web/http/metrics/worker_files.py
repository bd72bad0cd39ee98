"""The metrics of the workers of one server, each in a file, in a folder that they share.

`prometheus_client` has a mode for several processes. It has no gauges that are read when they are
asked for and none that are taken once, keeps a file of each process that has ended, and must be
chosen by the environment before the library is imported; so the numbers are exchanged here.
"""

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from dashboard.web.http.metrics.families import Family, added, from_json, to_json

#: Names of workers that have ended which are remembered: a reader may have read the file of one
#: just before its numbers were added to those that have ended.
_NAMES_MAX = 64
_ENDED = "ended.json"


class WorkerFiles:
    """The file of the worker `name`, and those of the others. Methods raise OSError.

    A worker writes before it answers: so what was shown once is known when it has ended, and no
    counter goes down.
    """

    def __init__(self, folder: Path, name: str):
        self._folder = folder
        self._path = _path_of(folder, name)

    def write(self, families: Sequence[Family]) -> None:
        _replace(self._path, to_json(families))

    def read_others(self) -> list[list[Family]]:
        """The families of each other worker, and those of all that have ended."""
        found = {}
        for path in sorted(self._folder.glob("worker-*.json")):
            if path != self._path:
                # Removed meanwhile: then its numbers are among those of the ended ones, read below.
                with suppress(FileNotFoundError):
                    found[path.name] = from_json(path.read_bytes())
        names, ended = _read_ended(self._folder)
        return [*(found[name] for name in found if name not in names), ended]


def add_to_ended(folder: Path, name: str) -> None:
    """What the worker counted counts on after its end. Only one process may call this."""
    path = _path_of(folder, name)
    try:
        counted = [each for each in from_json(path.read_bytes()) if each.outlives_worker]
    except FileNotFoundError:
        return
    names, ended = _read_ended(folder)
    names = [*names, path.name][-_NAMES_MAX:]
    _replace(folder / _ENDED, json.dumps([names, added([ended, counted])]))
    path.unlink()


def _path_of(folder: Path, name: str) -> Path:
    return folder / f"worker-{name}.json"


def _read_ended(folder: Path) -> tuple[list[str], list[Family]]:
    try:
        names, families = json.loads((folder / _ENDED).read_bytes())
    except FileNotFoundError:
        return [], []
    return names, from_json(json.dumps(families))


def _replace(path: Path, text: str) -> None:
    """Readers find the old file or the new one, never a part."""
    written = path.with_suffix(".new")
    written.write_text(text, encoding="utf-8")
    os.replace(written, path)
