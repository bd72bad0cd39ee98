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
from pathlib import Path
from typing import Any

from bench.processes import ROOT, BenchError, adopt_orphans, end_children
from bench.zero.run import Size, measured

RESULTS = ROOT / "bench" / "results" / "zero.json"
SIZES = [Size()]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.zero", description="Zero.")
    made = Size()
    for name, default in made._asdict().items():
        parser.add_argument(f"--{name}", type=type(default), help=f"default: {default}")
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = vars(parser.parse_args())
    out: Path = given.pop("out")
    given = {name: value for name, value in given.items() if value is not None}
    found: list[dict[str, Any]] = []
    for size in [Size(**given)] if given else SIZES:
        found.append(_found(size))
        print(json.dumps(found[-1]), flush=True)
        out.write_text(json.dumps({"runs": found}, indent=1) + "\n")


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
