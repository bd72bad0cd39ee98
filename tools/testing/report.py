"""Reads the logs of pytest-reportlog: one JSON object a line."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass
class Result:
    """The result of one test; `seconds` include set-up, call and teardown."""

    id: str
    outcome: str = "passed"  # or failed, skipped
    seconds: float = 0.0
    reason: str = ""  # the first line of the failure, or why it was skipped


def is_complete(log: Path) -> bool:
    """Whether the run that wrote this log came to its end, red or green."""
    ends = [line["exitstatus"] for line in _lines(log) if line["$report_type"] == "SessionFinish"]
    return bool(ends) and ends[-1] in (0, 1, 5)


def results(logs: Iterable[Path]) -> dict[str, Result]:
    """Maps ids to results of tests; a file that could not be imported counts as a failed test."""
    found: dict[str, Result] = {}
    for log in logs:
        for line in _lines(log):
            kind = line["$report_type"]
            if kind == "TestReport":
                _add(found.setdefault(line["nodeid"], Result(line["nodeid"])), line)
            elif kind == "CollectReport" and line["outcome"] == "failed":
                reason = _reason(line["longrepr"])
                found[line["nodeid"]] = Result(line["nodeid"], "failed", 0.0, reason)
    return found


def _add(test: Result, line: dict[str, Any]) -> None:
    test.seconds += line["duration"]
    if line["outcome"] == "passed" or test.outcome == "failed":
        return
    test.outcome = line["outcome"]
    test.reason = _reason(line["longrepr"])


def _reason(longrepr: Any) -> str:
    """Returns the reason of a skip, or the first line of a failure's message."""
    if isinstance(longrepr, list):  # [file, line, "Skipped: why"]
        return str(longrepr[-1]).removeprefix("Skipped: ")
    if isinstance(longrepr, dict) and longrepr.get("reprcrash"):
        return str(longrepr["reprcrash"]["message"]).partition("\n")[0][:300]
    return str(longrepr or "").strip().rpartition("\n")[2][:300]


def _lines(log: Path) -> Iterator[dict[str, Any]]:
    if not log.exists():
        return
    for line in log.read_text(encoding="utf-8").splitlines():
        try:
            yield json.loads(line)
        except ValueError:  # the last line of an interrupted run
            return
