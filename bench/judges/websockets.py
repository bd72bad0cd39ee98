"""kosoku, which drives the cases of Autobahn's test suite against a WebSocket server."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from bench.judges.judge import MODES, Finding, Judge, Verdict
from bench.judges.surroundings import output, own_program, own_versions
from bench.processes import PythonProcess, wait_for
from tests.servers.ports import free_port, is_taken

#: All cases but those of 9, which send megabytes to measure times, and of 12 and 13, about
#: compression: Lineup takes messages of 64 KiB, and offers no compression.
CASES = ("1.*", "2.*", "3.*", "4.*", "5.*", "6.*", "7.*", "10.*")
#: The cases of 9 whose messages have 64 KiB at most.
SMALL_CASES = ("9.1.1", "9.2.1", "9.7.*", "9.8.*")
START_SECONDS = 60
SUITE_SECONDS = 900


def run(folder: Path) -> Iterator[Verdict]:
    for mode in MODES:
        port = free_port()
        arguments = ("--port", port, "--async-mode", mode)
        server = PythonProcess("bench.judges.echo", arguments, folder / f"{mode}.log")
        try:
            wait_for(partial(is_taken, port), START_SECONDS, f"the echo under {mode}")
            results = _results(port, folder / mode)
            server.check()
        finally:
            server.stop()
        yield Verdict(mode, len(results), [*_findings(results)])


def _results(port: int, folder: Path) -> dict[str, dict[str, Any]]:
    """Runs the cases; returns the report of each by its number."""
    cases = [word for case in (*CASES, *SMALL_CASES) for word in ("--include", case)]
    command = (own_program("kosoku"), f"ws://127.0.0.1:{port}", *cases, "--outdir", folder)
    # It ends with 1 if a case has failed.
    output(*command, seconds=SUITE_SECONDS, codes=(0, 1))
    [by_case] = json.loads((folder / "index.json").read_text(encoding="utf-8")).values()
    return {
        case: json.loads((folder / entry["reportfile"]).read_text(encoding="utf-8"))
        for case, entry in by_case.items()
    }


def _findings(results: dict[str, dict[str, Any]]) -> Iterator[Finding]:
    for case, result in results.items():
        verdicts = (result["behavior"], result["behaviorClose"])
        if verdicts != ("OK", "OK"):
            text = f"{result['result']} {result['resultClose']}"
            yield Finding(" / ".join(verdicts), case, text)


JUDGE = Judge(
    "websockets",
    "kosoku with the cases of Autobahn's test suite: the WebSocket and the HTTP server that Lineup"
    " serves with, and behind them a handler that sends each message back, because Socket.IO is no"
    " echo. Lineup's limit of 64 KiB a message holds.",
    lambda: own_versions("kosoku"),
    run,
)
