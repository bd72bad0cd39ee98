"""One bar, and the texts for its number and its load."""

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
        if self.least is not None:
            return f"≥ {amount(self.least, 4)}"
        return "" if self.most is None else f"≤ {amount(self.most, 4)}"

    @property
    def measured(self) -> str:
        return amount(self.value)


def amount(value: float, digits: int = 3) -> str:
    """Returns a measured number with so many digits, without an exponent for large ones."""
    rounded = float(f"{value:.{digits}g}")
    return f"{rounded:,.0f}" if abs(rounded) >= 10 ** (digits - 1) else f"{rounded:g}"


def where_of(scenario: dict[str, Any]) -> str:
    """Returns the text for the load of a live scenario."""
    threads, rate = f"{scenario['threads']:,} threads", f"{scenario['rate']:g} events/s"
    return f"{threads}, {scenario['dashboards']} dashboards, {rate}, {scenario['workload']}"


def workers_of(scenario: dict[str, Any]) -> str:
    return f"{scenario['workers']} worker" + "s" * (scenario["workers"] > 1)
