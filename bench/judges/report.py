"""Runs judges, and writes what they said: `bench/results/judges.json` and `judges.md`."""

import json
import shutil
import tempfile
import traceback
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from bench.judges.judge import Accepted, Judge, Verdict, reason_for, stale
from bench.processes import ROOT

RESULTS = ROOT / "bench" / "results"
_INTRODUCTION = """# Judges

Written by `make judges`. Each judge is a test suite that other people wrote; it ran against a real
Lineup. [bench/README.md](../README.md#judges) says what each of them gets to see. A finding stays
only with a reason, and a reason only as long as the suite still finds it.
"""


def judged(judge: Judge, accepted: Sequence[Accepted]) -> dict[str, Any]:
    """Runs a judge; returns its entry for the result file. `error` says why it could not run."""
    entry: dict[str, Any] = {"name": judge.name, "about": judge.about, "error": None}
    folder = Path(tempfile.mkdtemp(prefix="lineup-judge-"))
    verdicts: list[Verdict] = []
    try:
        entry["versions"] = dict(judge.versions())
        verdicts += judge.run(folder)
        if not any(verdict.checks for verdict in verdicts):
            raise ValueError("the suite checked nothing")
    except (Exception, pytest.skip.Exception, pytest.fail.Exception) as error:
        # Drivers of tests skip without a program; a judge that did not look has not agreed.
        entry["error"] = f"{type(error).__name__}: {error}".strip()
        traceback.print_exc()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    entry["verdicts"] = [_verdict(judge.name, verdict, accepted) for verdict in verdicts]
    rows = [] if entry["error"] else stale(judge.name, verdicts, accepted)
    entry["stale"] = [row._asdict() for row in rows]
    return entry


def _verdict(judge: str, verdict: Verdict, accepted: Iterable[Accepted]) -> dict[str, Any]:
    rows = [
        {**finding._asdict(), "reason": reason_for(judge, finding, accepted)}
        for finding in verdict.findings
    ]
    return {
        "against": verdict.against,
        "checks": verdict.checks,
        "findings": rows,
        "notes": verdict.notes,
    }


def problems(entry: dict[str, Any]) -> list[str]:
    """Returns why an entry is no agreement: an error, findings without a reason, stale reasons."""
    said = [f"could not run: {entry['error']}"] if entry["error"] else []
    said += [
        f"{verdict['against']}: {row['rule']} at {row['where']}: {row['text']}"
        for verdict in entry["verdicts"]
        for row in verdict["findings"]
        if row["reason"] is None
    ]
    return said + [
        f"the reason for {row['rule']} at {row['where']} matches no finding any more"
        for row in entry["stale"]
    ]


def write(entries: Sequence[dict[str, Any]], machine: dict[str, str], folder: Path) -> None:
    """Writes both files."""
    content = {"machine": machine, "judges": entries}
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    (folder / "judges.json").write_text(text, encoding="utf-8")
    (folder / "judges.md").write_text(page(entries, machine), encoding="utf-8")


def page(entries: Sequence[dict[str, Any]], machine: dict[str, str]) -> str:
    """Returns the page in Markdown."""
    lines = [_INTRODUCTION, ", ".join(f"{name} {value}" for name, value in machine.items()), ""]
    lines += ["| judge | against | checks | findings | without a reason |", "|---|---|---|---|---|"]
    for entry in entries:
        for verdict in entry["verdicts"]:
            rows = verdict["findings"]
            open_rows = sum(row["reason"] is None for row in rows)
            cells = (verdict["against"], f"{verdict['checks']:,}", len(rows), open_rows)
            lines.append(f"| {entry['name']} | " + " | ".join(map(str, cells)) + " |")
    for entry in entries:
        lines += ["", *_section(entry)]
    return "\n".join(lines) + "\n"


def _section(entry: dict[str, Any]) -> list[str]:
    versions = ", ".join(f"{name} {version}" for name, version in entry["versions"].items())
    lines = [f"## {entry['name']}", "", entry["about"], "", f"Versions: {versions}."]
    notes = [
        f"- {verdict['against']}: {note}"
        for verdict in entry["verdicts"]
        for note in verdict["notes"]
    ]
    if notes:
        lines += ["", *notes]
    return lines + _findings(entry)


def _findings(entry: dict[str, Any]) -> list[str]:
    """Returns the table of findings; equal ones of several runs are one row."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for verdict in entry["verdicts"]:
        for row in verdict["findings"]:
            same = rows.setdefault((row["rule"], row["reason"]), {"against": {}, "where": {}})
            same["against"][verdict["against"]] = same["where"][row["where"]] = True
            same["text"] = row["text"]
    if not rows:
        return ["", "No findings."]
    lines = ["", "| finding | where | against | reason |", "|---|---|---|---|"]
    for (rule, reason), same in rows.items():
        cells = (f"{rule}: {same['text']}", ", ".join(same["where"]), ", ".join(same["against"]))
        lines.append("| " + " | ".join(map(_cell, (*cells, reason or "**none**"))) + " |")
    return lines


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def tell(entry: dict[str, Any]) -> None:
    """Prints what a judge said."""
    for verdict in entry["verdicts"]:
        counts = f"{verdict['checks']} checks, {len(verdict['findings'])} findings"
        print(f"{entry['name']}, {verdict['against']}: {counts}")
    for problem in problems(entry):
        print(f"{entry['name']}: {problem}")
