"""Results of presence, printed with their targets, stored in a file, and shown as bars."""

from pathlib import Path
from typing import Any

from bench.report.bar import Bar
from bench.results import write

#: Targets by result and number: at most, or at least.
BARS: dict[tuple[str, str], tuple[str, float]] = {
    ("connect", "bytes_a_person"): ("<", 700),
    ("look", "ms_p99"): ("<", 5),
    ("beats", "redis_core"): ("<", 0.5),
    ("crashes", "late_ms_p999"): ("<", 1_000),
    ("leaving", "seconds"): ("<", 5),
    ("seen", "redis_bytes"): ("<", 2e9),
    ("http", "beats_a_second"): (">", 20_000),
    ("online", "few_first_ms_p95"): ("<", 10),
    ("online", "many_first_ms_p95"): ("<", 10),
    ("online", "many_later_ms_p95"): ("<", 10),
    ("online", "supervisor_first_ms_p95"): ("<", 10),
    ("online", "agent_first_ms_p95"): ("<", 10),
    ("stored", "of_a_beat"): ("<", 0.05),
}
Result = dict[str, float]


def bars(content: dict[str, Any]) -> list[Bar]:
    """Returns the bars of a result file, each with the number of people."""
    found = []
    for (name, key), (kind, wanted) in BARS.items():
        result = content["results"].get(name, {})
        if key in result:
            people = f", {result['people']:,.0f} people" if "people" in result else ""
            what = f"presence: {name}, {key.replace('_', ' ')}{people}"
            least, most = (None, wanted) if kind == "<" else (wanted, None)
            found.append(Bar(what, result[key], least, most))
    return found


def described(name: str, result: Result) -> str:
    """Returns one line with the numbers and their targets."""
    parts = []
    for key, value in result.items():
        kind, wanted = BARS.get((name, key), ("", 0.0))
        kept = value < wanted if kind == "<" else value > wanted
        mark = f" ({kind} {wanted:,.4g}: {'kept' if kept else 'MISSED'})" if kind else ""
        parts.append(f"{key} {value:,.4g}{mark}")
    return f"{name:9} {', '.join(parts)}"


class Report:
    """Prints each result, and stores all of them in a file."""

    def __init__(self, path: Path, about: dict[str, Any]):
        self._path = path
        self._content: dict[str, Any] = {**about, "results": {}}

    def take(self, name: str, result: Result) -> None:
        """Takes a result that has been checked."""
        self._content["results"][name] = {
            key: float(f"{value:.5g}") for key, value in result.items()
        }
        write(self._path, self._content)
        print(described(name, result), flush=True)
