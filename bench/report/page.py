"""Writes the page of results: what was measured, how, on which machine, and where we lose."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.machine import was_quiet
from bench.measure.live import SHORT
from bench.presence import report as presence
from bench.report import alone, charts, exact, others
from bench.report.bar import Bar, amount
from bench.report.bars import bars
from bench.report.costs import HEADER, costs
from bench.results import medians, numbers, ratio, read

#: Result files of `python -m bench.presence`, `bench.sizes` and `bench.memory`, beside the others.
PRESENCE = "presence.json"
SIZES = "sizes.json"
MEMORY = "memory.json"
_SKIPPED = ("name", "sides")
_HEADER = """# Results

Written by `python -m bench page` from `{file}`; [bench/README.md](../README.md) says what the
sides, the scenarios and the words mean. Every result was checked before its time counted. Ratios
come from sides measured in turn in the same run and are the figures; times stand beside them for
orientation, and hold for this machine only.

**Machine.** {machine}. Everything runs on it: servers, Redis, databases and the drivers.
"""
_UNITS = {
    "bytes": "bytes a message and dashboard",
    "ms": "ms from post to socket",
    "cpu_us_server": "µs of server processor a message",
}


def _days(results: list[dict[str, Any]]) -> Iterator[str]:
    """Yields a line for each day of measuring: how many scenarios, and how the machine was."""
    days: dict[str, list[dict[str, Any]]] = {}
    for result in results:
        if "measured" in result:
            days.setdefault(result["measured"], []).append(result)
    for day, measured in sorted(days.items()):
        text = f"- {day}: {len(measured)} scenarios"
        if rested := [result["rest"] for result in measured if "rest" in result]:
            once, after = (_range([each[key] for each in rested]) for key in _WALKS)
            text += f"; before them a walk through memory took {once} ms at once, {after} after a"
            text += " rest"
        if loud := sum(not was_quiet(result) for result in measured):
            text += f". **The machine was not quiet before {loud} of them**, so what seldom happens"
            text += " cost a multiple; *not quiet* stands beside their bars"
        yield f"{text}."
    yield ""


_WALKS = ("at_once_ms", "after_rest_ms")


def _range(values: list[float]) -> str:
    return f"{amount(min(values), 2)} to {amount(max(values), 2)}"


def write_page(content: dict[str, Any], source: str, folder: Path) -> None:
    """Writes README.md and its charts; presence's results are in their own file in `folder`."""
    results = content["results"]
    of_presence = read(folder / PRESENCE) if (folder / PRESENCE).exists() else None
    found = bars(results) + (presence.bars(of_presence) if of_presence else [])
    found += alone.bars(folder)
    machine = ", ".join(f"{key.replace('_', ' ')} {v}" for key, v in content["machine"].items())
    parts = [_HEADER.format(file=source, machine=machine), *_days(results)]
    parts += exact.section(results)
    parts += _pictures(exact.pictures(results), folder)
    if of_presence and (folder / SIZES).exists():
        sizes, memory = read(folder / SIZES), read(folder / MEMORY)
        parts += ["## Price tags\n", *HEADER]
        parts += [cost.row for cost in costs(results, of_presence, sizes, memory)]
        parts.append("")
    parts += others.section()
    parts += ["## The bars\n", *_bars_table(found)]
    parts += _pictures(_charts(results), folder)
    parts += ["## Where we lose\n", *_losses(results)]
    parts.append("## All scenarios\n")
    for result in results:
        parts += _scenario(result)
    if of_presence:
        parts += _presence(of_presence)
    (folder / "README.md").write_text("\n".join(parts))


def _bars_table(found: list[Bar]) -> Iterator[str]:
    yield "| bar | wanted | measured | |\n|---|---|---|---|"
    for bar in found:
        mark = "kept" if bar.kept else "**missed**"
        mark += "" if bar.quiet else ", not quiet"
        yield f"| {bar.what} | {bar.wanted} | {bar.measured} | {mark} |"
    yield ""


def _pictures(found: Iterator[tuple[str, str]], folder: Path) -> Iterator[str]:
    """Writes pictures, and yields the lines that show them."""
    for name, text in found:
        (folder / f"{name}.svg").write_text(text)
        yield f"![{name}]({name}.svg)\n"


def _charts(results: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    for metric, path in (("bytes", "bytes"), ("p95", "ms.p95"), ("processor", "cpu_us_server")):
        rows = []
        for result in results:
            if result["bench"] == "live" and len(result["scenario"]["sides"]) > 1:
                rows += [
                    (f"{_short(result)}: {side}", side, value)
                    for side, value in _by_side(result, path)
                    if value > 0
                ]
        if rows:
            unit = _UNITS[path.partition(".")[0]]
            yield metric, charts.bars(f"Live lists: {metric}", unit, rows)


def _by_side(result: dict[str, Any], path: str) -> Iterator[tuple[str, float]]:
    found = medians(result)
    for side in result["scenario"]["sides"]:
        if f"{side}.{path}" in found:
            yield side, found[f"{side}.{path}"]


def _short(result: dict[str, Any]) -> str:
    scenario = result["scenario"]
    if result["bench"] == "views":
        return f"{scenario['views']:,} saved views"
    counts = f"{scenario['threads']:,}/{scenario['dashboards']}/{scenario['rate']:g}"
    return f"{counts} {scenario['workload']} {scenario.get('line', '')}".strip()


def _losses(results: list[dict[str, Any]]) -> Iterator[str]:
    yield "Where another side was better than Lineup in the same run:\n"
    found: list[str] = []
    for result in results:
        if result["bench"] not in ("live", "views"):
            continue
        for side in result["scenario"]["sides"]:
            # Any side loses to a floor; the charts show by how much.
            if side not in ("lineup", "floor") and not side.startswith(SHORT):
                found += _lost_to(result, side)
    yield from found or ["- nowhere in these scenarios"]
    yield ""


def _lost_to(result: dict[str, Any], side: str) -> Iterator[str]:
    for path, what in (("ms.p95", "p95"), ("bytes", "bytes"), ("cpu_us_server", "processor")):
        found = ratio(result, f"lineup.{path}", f"{side}.{path}")
        if found is not None and found > 1.05:
            yield f"- {_short(result)}: {what} is {found:.2g} times that of {side}"


def _scenario(result: dict[str, Any]) -> Iterator[str]:
    words = [
        f"{key.replace('_', ' ')} {value}"
        for key, value in result["scenario"].items()
        if key not in _SKIPPED
    ]
    yield f"### {result['bench']}: {', '.join(words)}\n"
    for side, why in result["broken"].items():
        yield f"- broken: {side}: {' '.join(why.split())[:300]}"
    found = medians(result)
    if found:
        yield "\n| number | median of the rounds |\n|---|---|"
        yield from (f"| {path} | {amount(value, 4)} |" for path, value in found.items())
    for path, value in numbers(result.get("memory", {})):
        yield f"| memory: {path} | {amount(value, 4)} |"
    yield ""


def _presence(content: dict[str, Any]) -> Iterator[str]:
    sizes = ", ".join(f"{name} {size:,}" for name, size in content["sizes"].items())
    machine = ", ".join(f"{key.replace('_', ' ')} {v}" for key, v in content["machine"].items())
    yield "## Presence\n"
    yield f"From `{PRESENCE}`, by `python -m bench.presence`: {sizes}."
    yield f"Load of the machine before: {content['load']:.2g}."
    yield f"Machine: {machine}.\n"
    for name, result in content["results"].items():
        yield f"### presence: {name}\n\n| number | measured |\n|---|---|"
        yield from (f"| {key} | {amount(value, 4)} |" for key, value in result.items())
        yield ""
