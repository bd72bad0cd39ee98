"""Counts of this process for Prometheus, and those of the other workers of its server."""

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from dashboard.web.http.metrics.families import Adding, Collected, Family, added, family_of
from dashboard.web.http.metrics.worker_files import WorkerFiles

log = logging.getLogger(__name__)

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
#: Interval at which a worker writes its numbers for the others.
SHARE_SECONDS = 1.0
#: Seconds; an event is recorded and placed in a few milliseconds.
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)

#: Value of a label to the number.
Samples = Mapping[str, float]


class Metrics:
    """Counters of one process in their own registry; `share` adds those of other workers."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        #: Gauges that are read once for all workers: they may ask Redis.
        self._once = CollectorRegistry()
        self._adding: dict[str, Adding] = {}
        self._files: WorkerFiles | None = None
        self._events = Counter(
            "lineup_events_total",
            "Events posted by chatbots.",
            ["status"],
            registry=self._registry,
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
        self._registry.register(_Count(f"lineup_{name}", help, read))

    def watch_many(
        self,
        name: str,
        help: str,
        label: str,
        read: Callable[[], Samples],
        adding: Adding = "sum",
    ) -> None:
        """Adds numbers by the value of a label ("" for one without), read when they are asked for.

        Values that `read` omits are unknown now. `adding` says how workers' values become one.
        """
        registry = self._once if adding == "once" else self._registry
        self._adding[f"lineup_{name}"] = adding
        registry.register(_Gauges(f"lineup_{name}", help, label, read))

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
        """Returns all metrics: those of this process added to those of the other workers."""
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


class _Gauges(Collector):
    """Gauges with values that are kept elsewhere."""

    def __init__(self, name: str, help: str, label: str, read: Callable[[], Samples]):
        self._name, self._help, self._label, self._read = name, help, label, read

    def collect(self) -> Iterator[GaugeMetricFamily]:
        family = GaugeMetricFamily(self._name, self._help, labels=[self._label] * bool(self._label))
        for value, number in self._read().items():
            family.add_metric([value] * bool(self._label), number)
        yield family


class _Count(Collector):
    """A counter with a value that is kept elsewhere."""

    def __init__(self, name: str, help: str, read: Callable[[], float]):
        self._name, self._help, self._read = name, help, read

    def collect(self) -> Iterator[CounterMetricFamily]:
        yield CounterMetricFamily(self._name, self._help, value=self._read())
