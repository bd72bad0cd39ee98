"""One bar, and the text for its load."""

from dataclasses import dataclass
from typing import Any

#: The names of databases.
DATABASES = {"sqlite": "SQLite", "postgres": "PostgreSQL"}


@dataclass(frozen=True)
class Bar:
    """A measured value and its limit: kept if it is at least `least`, or at most `most`.

    `quiet`: whether the machine was (`bench.machine`).
    """

    what: str
    value: float
    least: float | None = None
    most: float | None = None
    quiet: bool = True

    @property
    def kept(self) -> bool:
        at_least = self.least is None or self.value >= self.least
        return at_least and (self.most is None or self.value <= self.most)

    @property
    def wanted(self) -> str:
        return f"≥ {self.least:g}" if self.least is not None else f"≤ {self.most:g}"


def where_of(scenario: dict[str, Any]) -> str:
    """Returns the text for the load of a live scenario."""
    threads, rate = f"{scenario['threads']:,} threads", f"{scenario['rate']:g} events/s"
    return f"{threads}, {scenario['dashboards']} dashboards, {rate}, {scenario['workload']}"


def workers_of(scenario: dict[str, Any]) -> str:
    return f"{scenario['workers']} worker" + "s" * (scenario["workers"] > 1)
