"""The time until the first rows of the page on slow networks and processors, cold and again."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.drive.drivers import PythonDriver
from bench.measure.live import Live
from bench.sides.lineup import Lineup


@dataclass(frozen=True)
class Network:
    """A network and a processor to imitate; `slower` is the factor of the processor."""

    name: str
    latency_ms: float
    mbit: float
    slower: float = 1


NETWORKS = (
    Network("150ms", 150, 1.6),
    Network("300ms", 300, 1.6),
    Network("processor", 0, 1000, slower=4),
)


@dataclass(frozen=True)
class FirstLoad:
    """`rounds` visits and reloads on each network."""

    threads: int
    rounds: int = 5
    networks: tuple[Network, ...] = NETWORKS


def run(load: FirstLoad, folder: Path, templates: Path, deadline: float) -> dict[str, Any]:
    lineup = Lineup(Live(load.threads, 1, 1.0).setting(), folder / "lineup", templates)
    driver: PythonDriver | None = None
    try:
        lineup.start()
        networks = [asdict(network) for network in load.networks]
        settings = {"loads": load.rounds, "networks": networks}
        driver = PythonDriver(
            "bench.drive.loads", lineup.dashboard_settings() | settings, lineup.log
        )
        found = driver.hear()
    finally:
        if driver is not None:
            driver.stop()
        lineup.stop()
    names = [network.name for network in load.networks]
    rounds = [dict(zip(names, each, strict=True)) for each in zip(*found, strict=True)]
    return {"bench": "firstload", "scenario": asdict(load), "rounds": rounds, "broken": {}}
