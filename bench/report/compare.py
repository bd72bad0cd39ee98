"""Compares two result files, scenario by scenario; ratios to other sides count, not times.

python -m bench compare BEFORE.json AFTER.json
"""

from pathlib import Path

from bench.report.bars import bars
from bench.results import medians, read

#: Numbers in both files are shown if they differ by more than this share.
SHOWN = 0.1
#: Parts of the paths of the numbers that are compared.
_METRICS = ("ms.p50", "ms.p95", "bytes", "cpu_us_server", "a_second", "place", "zadd", "_seconds")


def compare(before: Path, after: Path) -> list[str]:
    """Returns the lines to print."""
    old, new = read(before), read(after)
    lines = []
    if old["machine"] != new["machine"]:
        lines.append("The machines differ: compare ratios alone.")
    old_bars = {bar.what: bar for bar in bars(old["results"])}
    for bar in bars(new["results"]):
        known = old_bars.get(bar.what)
        if known is not None:
            mark = "kept" if bar.kept else "MISSED"
            lines.append(f"{mark:6} {bar.what}: {known.measured} → {bar.measured} ({bar.wanted})")
    known_results = {result["name"]: result for result in old["results"]}
    for result in new["results"]:
        if result["name"] in known_results:
            lines += _differences(result["name"], known_results[result["name"]], result)
    return lines


def _differences(name: str, old: dict, new: dict) -> list[str]:
    before, after = medians(old), medians(new)
    found = [
        f"  {path}: {before[path]:,.4g} → {value:,.4g} ({value / before[path] - 1:+.0%})"
        for path, value in after.items()
        if path.endswith(_METRICS) and before.get(path) and abs(value / before[path] - 1) > SHOWN
    ]
    return [name, *found] if found else []
