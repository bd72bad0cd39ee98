"""Redocly and Spectral, over both OpenAPI documents as a running Lineup serves them."""

import json
from collections.abc import Iterator
from pathlib import Path

from bench.judges.judge import Finding, Judge, Verdict
from bench.judges.surroundings import npm_versions
from tests.dashboard.web.linters import LINTERS, complaints
from tests.drivers.lineup import running_lineup

DOCUMENTS = {"bot": "/api/v1/openapi.json", "dashboard": "/admin/api/openapi.json"}


def run(folder: Path) -> Iterator[Verdict]:
    files = []
    with running_lineup(folder) as lineup:
        for name, path in DOCUMENTS.items():
            answer = lineup.mai.get(lineup.server.url + path)
            answer.raise_for_status()
            files.append(folder / f"{name}.json")
            files[-1].write_text(json.dumps(answer.json()), encoding="utf-8")
    for linter in LINTERS:
        said = complaints(linter, files)
        found = [Finding(one.rule, f"{one.file} {one.place}", one.text) for one in said]
        yield Verdict(linter, len(files), found)


JUDGE = Judge(
    "documents",
    "The OpenAPI documents of the bot API and of the dashboard's API, as they are served, under the"
    " strictest rules of both linters.",
    lambda: npm_versions("@redocly/cli", "@stoplight/spectral-cli"),
    run,
)
