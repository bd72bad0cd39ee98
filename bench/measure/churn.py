"""The memory and processor time of a page and of the server while a list keeps moving.

One Chromium stays at the head of a list to which messages come all the time.
"""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.drive.drivers import PythonDriver
from bench.measure.live import Live
from bench.measure.page_budget import mib, wait_until_right
from bench.processes import BenchError, cpu_seconds
from bench.sides.lineup import Lineup


@dataclass(frozen=True)
class Churn:
    """`rate` events a second for `minutes`; memory is measured `samples` times, evenly spread."""

    threads: int
    minutes: float = 60.0
    rate: float = 50.0
    samples: int = 12

    @property
    def lasts_seconds(self) -> float:
        return 60 * self.minutes

    def live(self) -> Live:
        return Live(self.threads, dashboards=1, rate=self.rate)


def run(churn: Churn, folder: Path, templates: Path, deadline: float) -> dict[str, Any]:
    lineup = Lineup(churn.live().setting(), folder / "lineup", templates)
    targets = churn.live().targets()
    window: PythonDriver | None = None
    try:
        lineup.start()
        window = PythonDriver(
            "bench.drive.window", lineup.dashboard_settings() | {"loads": 1}, lineup.log
        )
        window.hear()
        window.do("top")
        samples = [_sample(lineup, window)]
        seconds = churn.lasts_seconds / churn.samples
        for number in range(churn.samples):
            begun = _cpu(lineup, window)
            posted = lineup.post(targets, churn.rate, seconds, f"c{number}")
            wait_until_right(lineup, window)
            used = {name: at - begun[name] for name, at in _cpu(lineup, window).items()}
            spent = {f"cpu_us_{name}": 1e6 * each / len(posted) for name, each in used.items()}
            samples.append(_sample(lineup, window) | spent)
    finally:
        if window is not None:
            window.stop()
        lineup.stop()
    return {
        "bench": "churn",
        "scenario": asdict(churn),
        "rounds": [_summed(samples)],
        "samples": samples,
        "broken": {},
    }


def _sample(lineup: Lineup, window: PythonDriver) -> dict[str, float]:
    """Measures memory in MiB, after the bench's own notes in the page were removed."""
    window.do("clear")
    page = window.do("report")
    if page["problems"]:
        raise BenchError(f"the page's scripts failed: {page['problems']}")
    memory = lineup.memory()
    return {
        "heap_mib": mib(page["heap"]),
        "elements": page["shown"],
        "server_mib": mib(memory["server"]),
        "redis_mib": mib(memory["redis"]),
    }


def _cpu(lineup: Lineup, window: PythonDriver) -> dict[str, float]:
    """Returns processor seconds up to now; those of the page are Chromium's and its driver's."""
    return lineup.cpu() | {"page": cpu_seconds(window.pid)}


def _summed(samples: list[dict[str, float]]) -> dict[str, float]:
    """Returns the maximum of each number, and the growth after the first part, which warms up.

    The sample before the first part has no processor time.
    """
    parts = samples[1:]
    found = {name: max(sample[name] for sample in parts) for name in parts[0]}
    for name in parts[0].keys() - {"elements"}:
        found[f"{name}_growth"] = round(parts[-1][name] - parts[0][name], 2)
    return found
