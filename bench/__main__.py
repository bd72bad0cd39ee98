"""Runs the benches: `python -m bench run|quick|page|compare|machine`."""

import argparse
import math
import signal
import sys
import time
from datetime import date
from pathlib import Path
from typing import Any

from bench.machine import is_quiet, machine, rest
from bench.processes import ROOT
from bench.report.compare import compare
from bench.report.page import write_page
from bench.results import Bounds, name_of, read, run_all, unbroken, write
from bench.scenarios import SCALES
from tests.servers.redis import running_redis

RESULTS = ROOT / "bench" / "results"
LATEST = RESULTS / "latest.json"
#: The defaults by scale: seconds for a scenario, and minutes for the whole run.
BOUNDS = {"standard": (300, 50)}


def parser() -> argparse.ArgumentParser:
    root = argparse.ArgumentParser(prog="python -m bench")
    commands = root.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="run a scale, and write the results and their page")
    run.add_argument("--scale", choices=SCALES, default="full")
    run.add_argument("--out", type=Path, default=LATEST)
    run.add_argument("--seconds", type=float, help="a scenario's time for its rounds")
    run.add_argument("--minutes", type=float, help="begin no scenario after so many")
    run.add_argument(
        "--data", type=Path, help="keep filled databases here, for runs of the same code"
    )
    run.add_argument("--only", default="", help="scenarios whose name holds this")
    run.add_argument("--resume", action="store_true", help="keep what the file holds already")
    commands.add_parser("quick", help="are the results right? two minutes, no times")
    page = commands.add_parser("page", help="write the page of a result file")
    page.add_argument("file", type=Path, nargs="?", default=LATEST)
    commands.add_parser("machine", help="is this machine quiet enough? two seconds")
    two = commands.add_parser("compare", help="compare two result files")
    two.add_argument("before", type=Path)
    two.add_argument("after", type=Path)
    return root


def run(args: argparse.Namespace) -> int:
    content: dict[str, Any] = {"machine": this_machine(), "results": []}
    known = unbroken(read(args.out)["results"]) if args.resume and args.out.exists() else []
    scenarios = [each for each in SCALES[args.scale]() if args.only in name_of(each)]
    names = {name_of(each) for each in scenarios}

    def keep(found: list[dict[str, Any]]) -> None:
        write(args.out, content | {"results": found})
        last = found[-1]
        print(f"{last['name']}: {last['took_seconds']} s {last['broken'] or ''}", file=sys.stderr)

    seconds, minutes = BOUNDS.get(args.scale, (900, math.inf))
    bounds = Bounds(args.seconds or seconds, 60 * (args.minutes or minutes))
    found = run_all(scenarios, bounds, known, keep, args.data, condition)
    if left := len(scenarios) - sum(result["name"] in names for result in found):
        print(f"{left} scenarios were not begun in time; --resume runs them", file=sys.stderr)
    write_page(content | {"results": found}, args.out.name, args.out.parent)
    return 0


def quick() -> int:
    """Returns 1 if a side did not run to its end, or ended with a wrong list."""
    begun = time.monotonic()
    bounds = Bounds(scenario_seconds=20, grace_seconds=100)
    found = run_all(SCALES["quick"](), bounds, [], lambda found: None)
    wrong = [(result, *each) for result in found for each in result["broken"].items()]
    for result, side, why in wrong:
        where = "" if side == "all" else f", {side}"
        print(
            f"bench-quick: {result['bench']}{where} failed\n  in {result['name']}", file=sys.stderr
        )
        print("  " + why.replace("\n", "\n  "), file=sys.stderr)
    took = time.monotonic() - begun
    print(f"bench-quick: {len(found)} scenarios, {len(wrong)} failures, {took:.0f} s")
    return 1 if wrong else 0


def machine_rest() -> dict[str, float]:
    """Measures how this machine is after a rest, and tells it; returns the times (ms)."""
    rested = rest()
    quiet = "quiet" if is_quiet(rested) else "NOT QUIET: what seldom happens costs a multiple here"
    once, after = rested["at_once_ms"], rested["after_rest_ms"]
    print(f"a walk through memory: {once:.2f} ms, after a rest {after:.2f} ms ({quiet})")
    return rested


def condition() -> dict[str, Any]:
    """Returns the day, and how the machine is after a rest."""
    return {"measured": date.today().isoformat(), "rest": machine_rest()}


def this_machine() -> dict[str, Any]:
    with running_redis() as server:
        return machine(server.client())


def main() -> int:
    # When asked to end, also ends the processes that were started.
    signal.signal(signal.SIGTERM, lambda *given: sys.exit(128 + signal.SIGTERM))
    args = parser().parse_args()
    if args.command == "run":
        return run(args)
    if args.command == "quick":
        return quick()
    if args.command == "machine":
        return 0 if is_quiet(machine_rest()) else 1
    if args.command == "page":
        write_page(read(args.file), args.file.name, args.file.parent)
    else:
        print("\n".join(compare(args.before, args.after)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
