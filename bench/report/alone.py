"""The bars of benches that write a result file of their own: the past, reports and queues."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

from bench.report.bar import DATABASES, Bar
from bench.results import numbers, read


class Limit(NamedTuple):
    """The most that a number may be. `paths`: a pattern of `numbers`. `database`: None for all."""

    paths: str
    what: str
    most: float
    database: str | None = None


_WHILE = "p95 of an event while supervisors look at reports, by its p95 without"
_LIMITS = {
    "history": (
        Limit("bytes_a_change", "bytes that keep a change of a thread", 120, "sqlite"),
        Limit("seconds.*.max", "seconds of the slowest list of the past", 0.5),
        Limit("event.ratio", "processor time of an event, by that without a past", 1.05),
        Limit("removal.slices.max_ms", "ms of the longest slice of removing the past", 50),
    ),
    "reports": (
        Limit("seconds.*", "seconds of the slowest report", 1),
        Limit("event.p95_ratio", _WHILE, 1.1),
    ),
    "queues": (Limit("with.closing.filled_p99_ms", "ms until a free place is filled, p99", 1_000),),
}


def bars(folder: Path) -> Iterator[Bar]:
    """Yields the bars of the result files in `folder`: `history.json`, `history-postgres.json`."""
    for name in _LIMITS:
        for ending in ("", "-postgres"):
            path = folder / f"{name}{ending}.json"
            if path.exists():
                yield from _of(name, read(path))


def _of(name: str, content: dict[str, Any]) -> Iterator[Bar]:
    database, found = content["sizes"]["database"], dict(numbers(content))
    where = ", ".join([*_sizes(content["sizes"]), DATABASES[database]])
    for limit in _LIMITS[name]:
        values = [value for path, value in found.items() if fnmatchcase(path, limit.paths)]
        if values and limit.database in (None, database):
            yield Bar(f"{limit.what} ({where})", max(values), most=limit.most)


def _sizes(sizes: dict[str, Any]) -> Iterator[str]:
    for name in ("threads", "changes", "waiting", "supervisors", "admins"):
        if name in sizes:
            yield f"{sizes[name]:,} {name}"
