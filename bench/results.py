"""Results: run one by one, stored as they come, summed up as medians and ratios."""

import json
import math
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from bench.measure import (
    accept,
    churn,
    exact,
    faults,
    first_load,
    idle,
    lists,
    live,
    moments,
    page_budget,
    painted,
    placing,
    policies,
    view_lists,
    views,
)
from bench.processes import adopt_orphans, end_children

RUNS: dict[str, Callable[..., dict[str, Any]]] = {
    "Live": live.run,
    "Accept": accept.run,
    "Placing": placing.run,
    "Lists": lists.run,
    "Painted": painted.run,
    "FirstLoad": first_load.run,
    "PageBudget": page_budget.run,
    "Churn": churn.run,
    "Views": views.run,
    "ViewLists": view_lists.run,
    "Moments": moments.run,
    "Policies": policies.run,
    "Faults": faults.run,
    "Idle": idle.run,
    "Exact": exact.run,
}


class OutOfTime(Exception):
    """The scenario took longer than allowed."""


@dataclass(frozen=True)
class Bounds:
    """Limits: `scenario_seconds` for a scenario's rounds, and `grace_seconds` for it to finish.

    A scenario with a length of its own (an hour of churn) gets that in addition.
    No scenario is begun after `whole_seconds`.
    """

    scenario_seconds: float
    whole_seconds: float = math.inf
    grace_seconds: float = 240.0


def run_all(
    scenarios: Iterable[Any],
    bounds: Bounds,
    known: list[dict[str, Any]],
    keep: Callable[[list[dict[str, Any]]], object],
    templates: Path | None = None,
    before: Callable[[], dict[str, Any]] = dict,
) -> list[dict[str, Any]]:
    """Runs scenarios without a known result; calls `keep` with all results after each.

    `templates`: the folder in which filled databases are kept beyond this run. `before` tells of
    the machine before each scenario; its fields become the result's.
    """
    adopt_orphans()
    folder = Path(tempfile.mkdtemp(prefix="lineup-bench-"))
    found = list(known)
    done = {result["name"] for result in known}
    end = time.monotonic() + bounds.whole_seconds
    try:
        for number, scenario in enumerate(scenarios):
            name = name_of(scenario)
            if name in done or time.monotonic() > end:
                continue
            seconds = min(bounds.scenario_seconds, end - time.monotonic())
            places = folder / str(number), templates or folder / "templates"
            condition = before()
            result = _bounded_run(scenario, *places, seconds, bounds.grace_seconds)
            found.append({"name": name, **condition, **result})
            keep(found)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return found


def unbroken(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns the results of scenarios that finished; the others are worth another try."""
    return [result for result in results if not result["broken"].get("all")]


def name_of(scenario: Any) -> str:
    return f"{type(scenario).__name__}: {scenario}"


def _bounded_run(
    scenario: Any, folder: Path, templates: Path, seconds: float, grace_seconds: float
) -> dict[str, Any]:
    seconds += getattr(scenario, "lasts_seconds", 0.0)
    allowed = seconds + grace_seconds

    def out_of_time(*given: object) -> None:
        raise OutOfTime(f"not within {allowed:.0f} s")

    signal.signal(signal.SIGALRM, out_of_time)
    signal.setitimer(signal.ITIMER_REAL, allowed)
    begun = time.monotonic()
    kind = type(scenario).__name__
    try:
        result = RUNS[kind](scenario, folder, templates, begun + seconds)
    except Exception as error:
        # A fault in one scenario must not lose the results of the others.
        failed = {"all": f"{type(error).__name__}: {error}"[:1_000]}
        result = {"bench": kind.lower(), "scenario": vars(scenario), "rounds": [], "broken": failed}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        end_children()
        shutil.rmtree(folder, ignore_errors=True)
    return result | {"took_seconds": round(time.monotonic() - begun, 1)}


def medians(result: dict[str, Any]) -> dict[str, float]:
    """Returns the median of each number over the rounds, by its path, such as `lineup.ms.p95`."""
    found: dict[str, list[float]] = {}
    for measured in result["rounds"]:
        for path, value in numbers(measured):
            found.setdefault(path, []).append(value)
    return {path: median(values) for path, values in found.items()}


def ratio(result: dict[str, Any], above: str, below: str) -> float | None:
    """Returns the median over the rounds of one number divided by another of the same round."""
    found = []
    for measured in result["rounds"]:
        by_path = dict(numbers(measured))
        if by_path.get(above) is not None and by_path.get(below):
            found.append(by_path[above] / by_path[below])
    return median(found) if found else None


def numbers(value: Any, path: str = "") -> Iterable[tuple[str, float]]:
    """Yields each finite number with its path, as in `medians`."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from numbers(each, f"{path}.{name}" if path else name)
    elif isinstance(value, int | float) and math.isfinite(value):
        yield path, float(value)


def read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text())


def write(path: Path, content: dict[str, Any]) -> None:
    """Replaces the file; it is complete at any time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(".tmp")
    beside.write_text(json.dumps(content, indent=1) + "\n")
    beside.replace(path)
