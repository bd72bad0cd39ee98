"""Lighthouse on the page of sign-in and on the dashboard, as a phone and as a desktop computer."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.judges.judge import Finding, Judge, Verdict
from bench.judges.surroundings import (
    FOLDER,
    chromium_path,
    chromium_version,
    node,
    npm_versions,
    output,
)
from bench.processes import BenchError
from tests.browser.states import prepare
from tests.drivers.lineup import running_lineup
from tests.servers.chromium import ARGUMENTS
from tests.servers.lineup import cookie_of

PROGRAM = FOLDER / "node_modules" / "lighthouse" / "cli" / "index.js"
FORMS = {"phone": (), "desktop": ("--preset=desktop",)}
#: The categories with findings. Times depend on what else the machine does, so audits of
#: performance are told, and are no findings.
JUDGED = ("accessibility", "best-practices")
CATEGORIES = (*JUDGED, "performance")
SECONDS = 180
#: The words of Lighthouse when it could not record a load; the next try mostly can.
AGAIN, TRIES = "Please run Lighthouse again", 3
#: Elements that a finding names.
SHOWN_MAX = 3


def run(folder: Path) -> Iterator[Verdict]:
    with running_lineup(folder) as lineup:
        lineup.fill()
        prepare(lineup)
        pages = {"sign-in": ("/login", ""), "dashboard": ("/", cookie_of(lineup.mai))}
        for name, (path, cookie) in pages.items():
            for form, options in FORMS.items():
                report = report_of(folder, lineup.server.url + path, cookie, options)
                yield _verdict(f"{name}, {form}", report)
        lineup.disconnect()


def report_of(folder: Path, *page: Any) -> dict[str, Any]:
    """Returns the report on a page, after `TRIES` tries at most."""
    for _ in range(TRIES - 1):
        try:
            return _report(folder, *page)
        except BenchError as error:
            if AGAIN not in str(error):
                raise
    return _report(folder, *page)


def _report(folder: Path, url: str, cookie: str, options: tuple[str, ...]) -> dict[str, Any]:
    headers, result = folder / "headers.json", folder / "report.json"
    headers.write_text(json.dumps({"Cookie": cookie} if cookie else {}))
    flags = " ".join(("--headless=new", *ARGUMENTS))
    output(
        node(),
        PROGRAM,
        url,
        *("--quiet", "--output=json", f"--output-path={result}", f"--chrome-flags={flags}"),
        *(f"--only-categories={','.join(CATEGORIES)}", f"--extra-headers={headers}", *options),
        seconds=SECONDS,
        CHROME_PATH=chromium_path(),
    )
    return json.loads(result.read_text(encoding="utf-8"))


def _verdict(against: str, report: dict[str, Any]) -> Verdict:
    assert not report.get("runtimeError"), report["runtimeError"]
    audits, categories = report["audits"], report["categories"]
    checks, found = 0, []
    for category in JUDGED:
        for one in categories[category]["auditRefs"]:
            audit = audits[one["id"]]
            if audit["scoreDisplayMode"] in ("binary", "numeric", "metricSavings", "error"):
                checks += 1
                if audit["score"] != 1:
                    found.append(Finding(one["id"], against, _text(audit)))
    return Verdict(against, checks, found, [_scores(categories), _slow(report)])


def _scores(categories: dict[str, Any]) -> str:
    return ", ".join(f"{name} {round(100 * categories[name]['score'])}" for name in CATEGORIES)


def _slow(report: dict[str, Any]) -> str:
    """Returns a sentence of the metrics, and of the audits of performance that are not passed."""
    audits = [
        report["audits"][one["id"]] for one in report["categories"]["performance"]["auditRefs"]
    ]
    metrics = [f"{one['title']} {one['displayValue']}" for one in audits if _is_metric(one)]
    missed = [
        f"{one['title']} ({one.get('displayValue') or 'no number'})"
        for one in audits
        if one["score"] is not None and one["score"] < 0.9 and not _is_metric(one)
    ]
    said = f"{', '.join(metrics)}. It says: {'; '.join(missed) or 'nothing'}"
    return said.replace("\N{NO-BREAK SPACE}", " ")


def _is_metric(audit: dict[str, Any]) -> bool:
    return audit["scoreDisplayMode"] == "numeric" and "displayValue" in audit


def _text(audit: dict[str, Any]) -> str:
    items = (audit.get("details") or {}).get("items") or []
    nodes = [one["node"]["selector"] if "node" in one else json.dumps(one) for one in items]
    return f"{audit['title']} {'; '.join(nodes[:SHOWN_MAX])[:300]}"


JUDGE = Judge(
    "lighthouse",
    "Lighthouse on the page of sign-in and on the dashboard of a signed-in admin with 200 threads."
    " Each audit of accessibility and best practices must be passed.",
    lambda: npm_versions("lighthouse", "axe-core", folder=FOLDER) | chromium_version(),
    run,
)
