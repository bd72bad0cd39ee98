"""Runs other people's test suites against a real Lineup: `make judges`.

python -m bench.judges                        all of them, and writes bench/results/judges.*
python -m bench.judges webhooks documents     these alone, and writes nothing
"""

import argparse
import sys

from bench.judges import (
    accessibility,
    documents,
    generated_requests,
    http_messages,
    lighthouse,
    report,
    sign_in,
    webhooks,
    websockets,
)
from bench.judges.accepted import ACCEPTED
from bench.judges.surroundings import programs

JUDGES = {
    module.JUDGE.name: module.JUDGE
    for module in (
        websockets,
        generated_requests,
        http_messages,
        webhooks,
        sign_in,
        documents,
        accessibility,
        lighthouse,
    )
}


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.judges", description="Test suites that other people wrote."
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(JUDGES)}")
    names = parser.parse_args().names
    if unknown := {*names} - JUDGES.keys():
        parser.error(f"no such judge: {', '.join(sorted(unknown))}")
    entries = []
    for name, judge in JUDGES.items():
        if not names or name in names:
            entries.append(report.judged(judge, ACCEPTED))
            report.tell(entries[-1])
    if not names:
        report.write(entries, programs(), report.RESULTS)
    return int(any(map(report.problems, entries)))


if __name__ == "__main__":
    sys.exit(main())
