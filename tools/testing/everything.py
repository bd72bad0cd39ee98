"""Everything: quick and processor-bound tests in parallel, then each slow file by itself."""

import hashlib
import json
import re
import subprocess
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tools.testing.gate import NOT_SLOW, PARALLEL, PYTEST, ROOT, failed_in, run_pytest
from tools.testing.report import Result, is_complete, results

#: The logs of the parts, and the table, below the root.
LOGS = Path("build", "test-all")
TABLE = Path("build", "test-all.json")
#: The profile with many random examples.
RANDOM = "--hypothesis-profile=all"
#: Slow tests that only compute: they run in parallel.
CPU_BOUND = ("-n", "auto", "--dist", "worksteal", "-m", "slow and cpu_bound")
SLOW = ("-m", "slow and not cpu_bound")
#: Quick tests with a real server, once more with the server of the Python packages.
PACKAGED = (*PARALLEL, "-m", "real_redis and not slow and not live")
ALONE = ("-n", "0")
LONGEST = 20
NO_TESTS = 5


@dataclass(frozen=True)
class Part:
    """One call of pytest; its log is kept until the sources change. `server` is the Redis server
    of its tests, as LINEUP_TEST_SERVER."""

    name: str
    arguments: tuple[str, ...]
    root: Path
    server: str = "machine"

    @property
    def log(self) -> Path:
        return self.root / LOGS / f"{self.name}.jsonl"

    @property
    def second_log(self) -> Path:
        return self.root / LOGS / f"{self.name}.second.jsonl"


def run_everything(arguments: Sequence[str], root: Path = ROOT) -> int:
    """Runs the parts without a result, prints the table of all; returns 0 if nothing failed."""
    _forget_results_of_other_sources(root)
    began = time.monotonic()
    parts = _parts(arguments, root)
    for number, part in enumerate(parts, 1):
        if not is_complete(part.log):
            print(f"\n== part {number} of {len(parts)}: {part.name}", flush=True)
            run_pytest(part.log, RANDOM, *part.arguments, root=root, server=part.server)
    for part in parts:
        failed = failed_in(part.log)
        if failed and not is_complete(part.second_log):
            print(f"\n== again, one at a time: {part.name}", flush=True)
            run_pytest(part.second_log, RANDOM, *ALONE, *failed, root=root, server=part.server)
    return _tell(parts, time.monotonic() - began, root / TABLE)


def _parts(arguments: Sequence[str], root: Path) -> list[Part]:
    listed = subprocess.run(
        [*PYTEST, *SLOW, "--collect-only", *arguments], cwd=root, capture_output=True, text=True
    )
    if listed.returncode not in (0, NO_TESTS):
        raise SystemExit(listed.stdout + listed.stderr)
    files = dict.fromkeys(re.findall(r"^(\S+\.py)::", listed.stdout, re.MULTILINE))
    options = [each for each in arguments if not (root / each.partition("::")[0]).exists()]
    paths = [each for each in arguments if each not in options]
    quick = Part(_name("quick", arguments), (*PARALLEL, *NOT_SLOW, *arguments), root)
    packaged = Part(_name("packaged", arguments), (*PACKAGED, *arguments), root, "packaged")
    cpu_bound = Part(_name("cpu-bound", arguments), (*CPU_BOUND, *arguments), root)
    slow = []
    for file in files:
        named = [path for path in paths if path.startswith(f"{file}::")] or [file]
        name = _name(file, options + named)
        slow.append(Part(name, (*ALONE, *SLOW, *options, *named), root))
    return [quick, packaged, cpu_bound, *slow]


def _name(file: str, arguments: Sequence[str]) -> str:
    """Returns a file name for the part, which also depends on its arguments."""
    words = file.removeprefix("tests/").removesuffix(".py").replace("/", ".")
    if not arguments or list(arguments) == [file]:
        return words
    return f"{words}-{hashlib.sha256(repr(list(arguments)).encode()).hexdigest()[:8]}"


def _forget_results_of_other_sources(root: Path) -> None:
    """Empties the folder of results unless they belong to the current files."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        check=True,
    )
    digest = hashlib.sha256()
    for name in sorted(set(names.stdout.decode().split("\0"))):
        path = root / name
        if name and path.is_file():
            digest.update(name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    folder = root / LOGS
    folder.mkdir(parents=True, exist_ok=True)
    mark = folder / "sources"
    if not mark.exists() or mark.read_text() != digest.hexdigest():
        for log in folder.glob("*.jsonl"):
            log.unlink()
        mark.write_text(digest.hexdigest())


def _tell(parts: Sequence[Part], seconds: float, table: Path) -> int:
    """Writes the table as JSON and text; returns 1 if a test failed twice or a part broke off."""
    first = results(part.log for part in parts)
    second = results(part.second_log for part in parts)
    unsteady = [
        test for test in first.values()
        if test.outcome == "failed" and second.get(test.id, test).outcome == "passed"
    ]  # fmt: skip
    for test in unsteady:
        test.outcome = "unsteady"
    broken = [part.name for part in parts if not is_complete(part.log)]
    by_outcome = {
        outcome: [test for test in first.values() if test.outcome == outcome]
        for outcome in ("passed", "failed", "unsteady", "skipped")
    }
    longest = sorted(first.values(), key=lambda test: -test.seconds)[:LONGEST]
    content = {
        "seconds_of_this_run": round(seconds),
        "counts": {outcome: len(tests) for outcome, tests in by_outcome.items()},
        "parts_that_broke_off": broken,
        "tests": [asdict(test) for test in first.values()],
    }
    table.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(_text(by_outcome, longest, broken))
    return 1 if by_outcome["failed"] or broken else 0


def _text(
    by_outcome: dict[str, list[Result]], longest: Sequence[Result], broken: Sequence[str]
) -> str:
    lines = [f"\nThe {LONGEST} longest:"]
    lines += [f"  {test.seconds:7.1f} s  {test.id}" for test in longest]
    for outcome in ("skipped", "unsteady", "failed"):
        lines += [f"{outcome.upper()} {test.id}: {test.reason}" for test in by_outcome[outcome]]
    lines += [f"BROKE OFF {name}" for name in broken]
    lines.append(", ".join(f"{len(tests)} {name}" for name, tests in by_outcome.items()))
    return "\n".join(lines)
