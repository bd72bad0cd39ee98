"""Measures presence, and writes the results file: see bench/presence/measures.py.

python -m bench.presence                      30,000 people, under a minute
python -m bench.presence --people 1000000 --leaving 300000 --crashes 7000 --seen 10000000 \
    --listed 200000                           the sizes of the targets
"""

import argparse
import os
from pathlib import Path

from bench.machine import machine
from bench.presence import http, measures, online, stored
from bench.presence.report import Report
from bench.processes import ROOT
from presence.keys import Space
from presence.people import People

RESULTS = ROOT / "bench" / "results" / "presence.json"


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m bench.presence", description="Presence under load."
    )
    made.add_argument("--people", type=int, default=30_000, help="how many are online")
    made.add_argument("--seconds", type=float, default=5, help="how long heartbeats are measured")
    made.add_argument("--crashes", type=int, default=2_000, help="how many time out")
    made.add_argument("--leaving", type=int, default=20_000, help="how many leave at once")
    made.add_argument("--seen", type=int, default=100_000, help="how many more were seen before")
    made.add_argument("--listed", type=int, default=20_000, help="how many are listed page by page")
    made.add_argument("--out", type=Path, default=RESULTS)
    return made


def main() -> None:
    sizes = parser().parse_args()
    with measures.server() as client:
        named = {name: value for name, value in vars(sizes).items() if name != "out"}
        # A load above the number of cores: other programs slowed the measurements down.
        about = {"machine": machine(client), "load": os.getloadavg()[0], "sizes": named}
        report = Report(sizes.out, about)
        people, crowd = People(client, Space("bench")), measures.names(sizes.people)
        report.take("connect", measures.measure_fill(client, people, crowd))
        report.take("look", measures.measure_look(client, people, crowd))
        report.take("beats", measures.measure_beats(client, people, crowd, sizes.seconds))
        report.take("silence", measures.measure_silent_beats(client, people, crowd))
        crashes = measures.measure_crashes(client, people, crowd, sizes.crashes, sizes.seconds)
        report.take("crashes", crashes)
        report.take("seen", measures.measure_seen(client, people, sizes.seen))
        report.take("leaving", measures.measure_leaving(client, people, crowd[: sizes.leaving]))
    posted = http.measure(sizes.seconds)
    report.take("http", posted)
    with measures.server() as client:
        report.take("online", online.measure(client, sizes.listed))
        client.flushall()
        saved = stored.measure(client, sizes.listed)
    beat_us = posted["cpu_us_a_beat"] + posted["redis_cpu_us_a_beat"]
    report.take("stored", saved | {"of_a_beat": saved["staying_us_a_beat"] / beat_us})


if __name__ == "__main__":
    main()
