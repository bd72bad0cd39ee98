"""The certified oidc-provider, honest and with spoiled answers: the tests of tests/live/oidc."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.judges.judge import MODES, Finding, Judge, Verdict
from bench.judges.surroundings import npm_versions
from bench.processes import ROOT, BenchError

TESTS = "tests/live/oidc"
SECONDS = 900


def run(folder: Path) -> Iterator[Verdict]:
    log = folder / "tests.jsonl"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", f"--report-log={log}", TESTS],
        cwd=ROOT,
        # A missing program fails.
        env=os.environ | {"CI": "1"},
        stdout=sys.stderr,
        timeout=SECONDS,
    )
    if done.returncode not in (0, 1):
        raise BenchError(f"pytest ended with {done.returncode}")
    lines = map(json.loads, log.read_text(encoding="utf-8").splitlines())
    reports = [line for line in lines if line["$report_type"] == "TestReport"]
    for mode in MODES:
        of_mode = [one for one in reports if mode in one["nodeid"]]
        calls = [one for one in of_mode if one["when"] == "call"]
        yield Verdict(mode, len(calls), [*map(_finding, filter(_has_failed, of_mode))])


def _has_failed(report: dict[str, Any]) -> bool:
    return report["outcome"] != "passed"


def _finding(report: dict[str, Any]) -> Finding:
    crash = (report["longrepr"] or {}).get("reprcrash") or {}
    file, _, test = report["nodeid"].partition("::")
    return Finding(test, file, str(crash.get("message", report["outcome"])).partition("\n")[0])


JUDGE = Judge(
    "sign-in",
    "Signing in and out by the certified provider of OpenID Connect, which requires PKCE. In"
    " hostile variants the ID token, the way back or the code is spoiled: nobody may be let in.",
    lambda: npm_versions("oidc-provider"),
    run,
)
