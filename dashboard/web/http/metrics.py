"""Counts for Prometheus: of this process, and of the other workers of its server."""

import json
import logging
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Literal, NamedTuple

from prometheus_client import CollectorRegistry, Counter, Histogram, Metric, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

#: How the values of several workers become one. `once`: all workers read the same number elsewhere
#: (such as the length of a list in Redis); the number of the answering worker counts.
Adding = Literal["sum", "max", "min", "once"]
_ADD: Mapping[str, Callable[[float, float], float]] = {
    "sum": lambda one, other: one + other,
    "max": max,
    "min": min,
    "once": lambda one, other: one,
}


class Sample(NamedTuple):
    """One number; `name` has the suffix that its kind adds, such as `_total`."""

    name: str
    labels: dict[str, str]
    value: float


class Family(NamedTuple):
    """A metric with all its samples; `kind` is counter, gauge or histogram."""

    name: str
    help: str
    kind: str
    adding: Adding
    samples: Sequence[Sample]

    @property
    def outlives_worker(self) -> bool:
        """Whether its numbers are kept after the worker has ended: a counter never goes down."""
        return self.kind != "gauge"

    def to_metric(self) -> Metric:
        metric = Metric(self.name, self.help, self.kind)
        for sample in self.samples:
            metric.add_sample(*sample)
        return metric


def family_of(metric: Metric, adding: Adding) -> Family:
    """Returns a collector's metric; drops the time when counting began, which has no sum."""
    samples = [
        Sample(sample.name, dict(sample.labels), sample.value)
        for sample in metric.samples
        if not sample.name.endswith("_created")
    ]
    return Family(metric.name, metric.documentation, metric.type, adding, samples)


def added(workers: Iterable[Sequence[Family]]) -> list[Family]:
    """Adds up the families of several workers; the first worker is the one that answers."""
    families: dict[str, Family] = {}
    values: dict[str, dict[tuple[str, tuple[tuple[str, str], ...]], float]] = {}
    for worker in workers:
        for family in worker:
            add = _ADD[families.setdefault(family.name, family).adding]
            totals = values.setdefault(family.name, {})
            for name, labels, value in family.samples:
                key = name, tuple(labels.items())
                totals[key] = add(totals[key], value) if key in totals else value
    return [family._replace(samples=_samples(values[name])) for name, family in families.items()]


def _samples(values: Mapping[tuple[str, tuple[tuple[str, str], ...]], float]) -> list[Sample]:
    return [Sample(name, dict(labels), value) for (name, labels), value in values.items()]


def to_json(families: Iterable[Family]) -> str:
    return json.dumps([*families])


def from_json(text: str | bytes) -> list[Family]:
    return [
        Family(name, help, kind, adding, [Sample(*sample) for sample in samples])
        for name, help, kind, adding, samples in json.loads(text)
    ]


class Collected:
    """Wraps families as a collector for `prometheus_client.generate_latest`."""

    def __init__(self, families: Iterable[Family]):
        self._families = families

    def collect(self) -> Iterator[Metric]:
        return (family.to_metric() for family in self._families)


log = logging.getLogger(__name__)

#: How often the file of ended workers is written again, in seconds: files that stay unchanged for
#: days are removed from folders of temporary files.
REWRITE_SECONDS = 3_600.0
#: Pause after a failed write.
RETRY_SECONDS = 10.0
#: Most ended workers that are remembered by name: a reader may have read the file of one just
#: before its numbers were added to those of all ended workers.
_NAMES_MAX = 64
_ENDED = "ended.json"


class WorkerFiles:
    """The file of the worker `name`, and the files of the other workers. Methods raise OSError.

    A worker writes before it answers: numbers shown once are still known after it ended, so no
    counter goes down.
    """

    def __init__(self, folder: Path, name: str):
        self._folder = folder
        self._path = _path_of(folder, name)

    def write(self, families: Sequence[Family]) -> None:
        _replace(self._path, to_json(families))

    def read_others(self) -> list[list[Family]]:
        """Returns the families of each other worker, and those of all ended workers together."""
        families = {}
        for path in sorted(self._folder.glob("worker-*.json")):
            if path != self._path:
                # If it is gone, its numbers are counted with the ended workers, read below.
                with suppress(FileNotFoundError):
                    families[path.name] = from_json(path.read_bytes())
        names, ended = _read_ended(self._folder)
        return [*(families[name] for name in families if name not in names), ended]


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
                counted = [item for item in from_json(path.read_bytes()) if item.outlives_worker]
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


CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
#: Interval at which a worker writes its numbers for the others.
SHARE_SECONDS = 1.0
#: Seconds; an event is recorded and placed in a few milliseconds.
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)

#: Maps values of a label to numbers.
Samples = Mapping[str, float]


class Metrics:
    """Counters of one process in their own registry; `share` adds the counters of other workers."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        #: Gauges that are read once for all workers: they may ask Redis.
        self._once = CollectorRegistry()
        self._adding: dict[str, Adding] = {}
        self._files: WorkerFiles | None = None
        #: Seconds that the start of this worker took: in all, and of the processor.
        self.start_seconds: Samples = {}
        self._events = Counter(
            "lineup_events_total", "Events posted by chatbots.", ["status"], registry=self._registry
        )
        self._answers = Counter(
            "lineup_bot_api_answers_total",
            "Answers of the bot API.",
            ["method", "status"],
            registry=self._registry,
        )
        self._accepting = Histogram(
            "lineup_accept_seconds",
            "How long it took to record and place the events of one call.",
            buckets=_BUCKETS,
            registry=self._registry,
        )

    def count_event(self, status: str, count: int = 1) -> None:
        """Counts events. `status` is created, duplicate or rejected."""
        self._events.labels(status).inc(count)

    def count_answer(self, method: str, status: int) -> None:
        self._answers.labels(method, status).inc()

    def time_accepting(self) -> AbstractContextManager[object]:
        """Returns a context manager that times recording and placing."""
        return self._accepting.time()

    def watch(
        self, name: str, help: str, read: Callable[[], float], adding: Adding = "sum"
    ) -> None:
        """Adds a number that is read whenever it is asked for; `name` without our prefix."""
        self.watch_many(name, help, "", lambda: {"": read()}, adding)

    def watch_count(self, name: str, help: str, read: Callable[[], float]) -> None:
        """Adds a number that only grows, as `watch` does; `_total` is appended to its name."""
        self.watch_counts(name, help, "", lambda: {"": read()})

    def watch_counts(self, name: str, help: str, label: str, read: Callable[[], Samples]) -> None:
        """Adds numbers that only grow, as `watch_many` does."""
        self._registry.register(_Numbers(f"lineup_{name}", help, label, read, CounterMetricFamily))

    def watch_many(
        self, name: str, help: str, label: str, read: Callable[[], Samples], adding: Adding = "sum"
    ) -> None:
        """Adds numbers by the value of a label ("" for one without), read when they are asked for.

        Values that `read` omits are unknown now. `adding` says how workers' values become one.
        """
        registry = self._once if adding == "once" else self._registry
        self._adding[f"lineup_{name}"] = adding
        registry.register(_Numbers(f"lineup_{name}", help, label, read))

    def share(self, files: WorkerFiles) -> None:
        """Adds up the counts of all workers of the server in `text` from now on."""
        self._files = files

    @property
    def are_shared(self) -> bool:
        """Whether other workers read the numbers of this one."""
        return self._files is not None

    def write(self) -> None:
        """Writes the numbers of this worker for the others, if there are any. Raises OSError."""
        if self._files is not None:
            self._files.write(self._families(self._registry))

    def families(self) -> list[Family]:
        """Returns all metrics, added up over this process and the other workers."""
        own = self._families(self._registry)
        once = self._families(self._once)
        if self._files is None:
            return own + once
        try:
            self._files.write(own)
        except OSError as error:
            log.warning("the metrics of this worker cannot be written: %s", error)
        return added([own + once, *self._files.read_others()])

    def text(self) -> bytes:
        """Returns all metrics in Prometheus' text format."""
        return generate_latest(Collected(self.families()))

    def _families(self, registry: CollectorRegistry) -> list[Family]:
        return [
            family_of(metric, self._adding.get(metric.name, "sum")) for metric in registry.collect()
        ]


class _Numbers(Collector):
    """Gauges or counters with values that are kept elsewhere."""

    def __init__(
        self,
        name: str,
        help: str,
        label: str,
        read: Callable[[], Samples],
        kind: type[GaugeMetricFamily | CounterMetricFamily] = GaugeMetricFamily,
    ):
        self._name, self._help, self._label, self._read = name, help, label, read
        self._kind = kind

    def collect(self) -> Iterator[GaugeMetricFamily | CounterMetricFamily]:
        family = self._kind(self._name, self._help, labels=[self._label] * bool(self._label))
        for value, number in self._read().items():
            family.add_metric([value] * bool(self._label), number)
        yield family
