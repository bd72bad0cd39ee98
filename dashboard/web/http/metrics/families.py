"""Metrics as plain data, so that those of several workers can be added. Pure functions."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from prometheus_client import Metric

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
        Sample(each.name, dict(each.labels), each.value)
        for each in metric.samples
        if not each.name.endswith("_created")
    ]
    return Family(metric.name, metric.documentation, metric.type, adding, samples)


def added(workers: Iterable[Sequence[Family]]) -> list[Family]:
    """Adds up the families of several workers; the first worker is the one that answers."""
    families: dict[str, Family] = {}
    values: dict[str, dict[tuple[str, tuple[tuple[str, str], ...]], float]] = {}
    for worker in workers:
        for family in worker:
            add = _ADD[families.setdefault(family.name, family).adding]
            known = values.setdefault(family.name, {})
            for name, labels, value in family.samples:
                key = name, tuple(labels.items())
                known[key] = add(known[key], value) if key in known else value
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
