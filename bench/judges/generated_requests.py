"""Schemathesis with all its checks, over both APIs of a running Lineup."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.judges.judge import MODES, Finding, Judge, Verdict
from bench.judges.surroundings import output, python_versions
from bench.processes import ROOT
from tests.drivers.lineup import LineupDriver, running_lineup
from tests.servers.lineup import cookie_of

PROGRAM = Path(sys.executable).with_name("st")
CONFIG_OF_THE_BOT = ROOT / "tests/dashboard/web/bot/schemathesis.toml"
CONFIG_OF_THE_DASHBOARD = Path(__file__).with_name("dashboard.toml")
#: Calls that could end the session of the run itself: all calls after them would be refused.
ENDING = ("deleteSession", "postSignOut", "postSignOutEverywhere")
#: Accounts before that of the run: generated ids are small, and the run must keep its role.
OTHERS = 9
#: Schemathesis's exit codes for a run that came to its end.
FINISHED = (0, 1)
SECONDS = 1_800


def run(folder: Path) -> Iterator[Verdict]:
    for mode in MODES:
        place = folder / mode
        place.mkdir()
        with running_lineup(place, async_mode=mode) as lineup:
            lineup.fill()
            yield _of_the_bot(mode, lineup, place)
            yield _of_the_dashboard(mode, lineup, place)


def _of_the_bot(mode: str, lineup: LineupDriver, folder: Path) -> Verdict:
    key = str(lineup.bot.headers["Authorization"])
    options = ("--url", f"{lineup.server.url}/api/v1", "--header", f"Authorization: {key}")
    document = lineup.bot.get(f"{lineup.server.url}/api/v1/openapi.json").json()
    return _judged(f"bot API, {mode}", folder, document, CONFIG_OF_THE_BOT, options)


def _of_the_dashboard(mode: str, lineup: LineupDriver, folder: Path) -> Verdict:
    for number in range(OTHERS):
        lineup.server.create_admin(f"Other{number}")
    chief = lineup.server.sign_in(lineup.server.create_admin("Chief", role="supervisor"))
    document = chief.get(f"{lineup.server.url}/admin/api/openapi.json").json()
    options = [
        "--url",
        f"{lineup.server.url}/admin/api",
        "--header",
        f"Origin: {lineup.server.url}",
    ]
    for name in ENDING:
        options += ["--exclude-operation-id", name]
    session = cookie_of(chief).partition("=")[2]
    verdict = _judged(
        f"dashboard's API, {mode}",
        folder,
        document,
        CONFIG_OF_THE_DASHBOARD,
        options,
        LINEUP_SESSION=session,
    )
    me = chief.get(f"{lineup.server.url}/admin/api/me")
    assert me.ok, f"the session of the run has ended: {me.text}"
    return verdict


def _judged(
    against: str,
    folder: Path,
    document: dict[str, Any],
    config: Path,
    options: tuple[str, ...] | list[str],
    **environment: str,
) -> Verdict:
    schema, result = folder / "openapi.json", folder / "report.json"
    schema.write_text(json.dumps(document), encoding="utf-8")
    said = output(
        *(PROGRAM, f"--config-file={config}", "run", schema, "--checks=all", *options),
        *("--no-color", "--continue-on-failure", f"--report-json-path={result}"),
        seconds=SECONDS,
        codes=FINISHED,
        folder=folder,
        **environment,
    )
    # Each failure with the request that repeats it.
    print(said[-30_000:], file=sys.stderr)
    report = json.loads(result.read_text(encoding="utf-8"))
    found = [
        Finding(failure["code"] or failure["type"], operation, failure["title"])
        for failure in report["failures"]
        for operation in failure["operations"]
    ]
    found += [Finding("error", against, error["title"]) for error in report["errors"]]
    tested = report["operations"]["tested"]
    return Verdict(against, report["test_cases"]["generated"], found, [f"{tested} operations"])


JUDGE = Judge(
    "generated-requests",
    "Schemathesis: requests, right and wrong ones, generated from the OpenAPI documents; each"
    " answer is checked against the document by all checks that there are.",
    lambda: python_versions("schemathesis"),
    run,
)
