"""Redocly and Spectral with their strictest rules, over OpenAPI documents."""

import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.repository import ROOT

#: Program → its arguments.
LINTERS = {
    "redocly": ("--extends=recommended-strict", "--format=json"),
    "spectral": ("--format=json", "--ruleset=tests/dashboard/web/spectral.yaml"),
}
_ENVIRONMENT = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}


class Complaint(NamedTuple):
    """One finding; `file` is the name of the document, `place` a path in it."""

    file: str
    rule: str
    place: str
    text: str


def complaints(linter: str, documents: Sequence[Path]) -> list[Complaint]:
    """Returns all that a linter says about the documents. Fails if it said nothing readable."""
    linted = subprocess.run(
        [ROOT / "node_modules/.bin" / linter, "lint", *LINTERS[linter], *documents],
        cwd=ROOT,
        env=os.environ | _ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    said = [*_documents(linted.stdout)]
    if not said:
        raise AssertionError(f"{linter}: {linted.stdout}{linted.stderr}")
    if linter == "redocly":
        return [_of_redocly(problem) for report in said for problem in report["problems"]]
    return [_of_spectral(result) for results in said for result in results]


def _documents(text: str) -> Iterator[Any]:
    """Yields each JSON document; Redocly writes one a file, and Spectral a sentence behind it."""
    decoder, text = json.JSONDecoder(), text.strip()
    while text[:1] in ("{", "["):
        document, end = decoder.raw_decode(text)
        text = text[end:].strip()
        yield document


def _of_redocly(problem: dict[str, Any]) -> Complaint:
    at = problem["location"][0]
    file = Path(at["source"]["ref"]).name
    return Complaint(file, problem["ruleId"], at.get("pointer", ""), problem["message"])


def _of_spectral(result: dict[str, Any]) -> Complaint:
    place = "/".join(map(str, result["path"]))
    return Complaint(Path(result["source"]).name, result["code"], place, result["message"])
