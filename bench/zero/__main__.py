"""Measures Zero with a desk's saved views: how long until each list and badge is exact.

cd bench/zero && npm ci                                           once
python -m bench.zero                                              all sizes
python -m bench.zero --threads 1000 --views 5 --desks 2 --rate 10 --badges full

Needs PostgreSQL's programs; npm brings the rest. A change is one UPDATE of one thread and of the
one row of `beacon`, which then has the number of the change. A desk is a client of Zero with the
newest hundred threads of one view and a badge for each view. Zero changes all results of a client
together: after each such moment the client notes the number in its `beacon`, the number of threads
in each badge, and a checksum of the ids and change numbers of its list, in their order. Afterwards
each note is compared with what Lineup's own reader of conditions says about the table after the
change with that number. The time of a change ends when the last desk has noted it or a later one.
"""

import argparse
import json
import os
import platform
from pathlib import Path
from typing import Any

from bench.processes import ROOT, BenchError, adopt_orphans, end_children
from bench.zero.run import BADGES, Size, measured
from bench.zero.servers import HERE

RESULTS = ROOT / "bench" / "results" / "zero.json"
SMALL = Size()
#: A middling desk, of which one number grows at a time.
DESK = Size(threads=10_000, views=20)
GROWING: tuple[Size, ...] = (
    *(SMALL._replace(threads=threads) for threads in (1_000, 10_000, 100_000)),
    *(DESK._replace(views=views) for views in (20, 50, 100)),
    *(DESK._replace(desks=desks) for desks in (5, 10, 25, 50)),
    *(DESK._replace(rate=rate) for rate in (30, 100)),
    DESK._replace(desks=10, rate=30),
)
#: Badges that count everything, for fewer desks: each gets nearly the whole table.
SIZES = [
    size._replace(badges=badges)
    for size in GROWING
    for badges in BADGES
    if badges == "capped" or size.desks <= 10
]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.zero", description="Zero.")
    for name, default in SMALL._asdict().items():
        parser.add_argument(f"--{name}", type=type(default), help=f"default: {default}")
    parser.add_argument("--out", type=Path, help="default: the published results, of all sizes")
    given = {name: value for name, value in vars(parser.parse_args()).items() if value is not None}
    out = given.pop("out", None if given else RESULTS)
    found: list[dict[str, Any]] = []
    for size in [Size(**given)] if given else SIZES:
        found.append(_found(size))
        print(json.dumps(found[-1]), flush=True)
        if out:
            out.write_text(json.dumps({"machine": _machine(), "runs": found}, indent=1) + "\n")


def _machine() -> dict[str, Any]:
    pinned = json.loads((HERE / "package.json").read_text())["dependencies"]
    return {"cores": os.cpu_count(), "python": platform.python_version(), **pinned}


def _found(size: Size) -> dict[str, Any]:
    try:
        return measured(size)
    except BenchError as error:
        return {**size._asdict(), "broken": str(error)}
    finally:
        end_children()


if __name__ == "__main__":
    adopt_orphans()
    main()
