"""The gate: all tests that are not slow; at most five failures are run once more, alone."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tools.testing.report import results
from tools.testing.temporary_files import in_memory

ROOT = Path(__file__).parents[2]
LOGS = "build/test"
#: With more failures than this, a busy machine is not the reason.
SECOND_CHANCES_MAX = 5
PYTEST = (sys.executable, "-m", "pytest", "-q")
NOT_SLOW = ("-m", "not slow")
#: Runs files in parallel, in the order of conftest.py.
PARALLEL = ("-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder")
PYTEST_FAILED = 1


def run_pytest(log: Path, *arguments: str, root: Path = ROOT, server: str = "machine") -> int:
    """Returns pytest's exit code; the results are in `log` afterwards.

    `server` is the Redis server of its tests: `machine` or `packaged`.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    log.unlink(missing_ok=True)
    command = [*PYTEST, f"--report-log={log}", *arguments]
    with in_memory() as environment:
        variables = {**environment, "LINEUP_TEST_SERVER": server}
        return subprocess.run(command, cwd=root, env=variables).returncode


def failed_in(log: Path) -> list[str]:
    """Returns the ids of failed tests, and of files that could not be imported."""
    return [test.id for test in results([log]).values() if test.outcome == "failed"]


def run_gate(arguments: Sequence[str], root: Path = ROOT) -> int:
    """Runs the tests until six have failed; runs up to five failed ones once more, one at a time.

    Returns pytest's exit code; 0 also if all failed tests passed the second time.
    """
    first, second = root / LOGS / "gate.jsonl", root / LOGS / "gate.second.jsonl"
    # With a server that never answers, hundreds of tests would fail after a minute each.
    enough = f"--maxfail={SECOND_CHANCES_MAX + 1}"
    code = run_pytest(first, *PARALLEL, *NOT_SLOW, enough, *arguments, root=root)
    failed = failed_in(first)
    if len(failed) > SECOND_CHANCES_MAX:
        print(f"{len(failed)} tests failed; more than {SECOND_CHANCES_MAX} end the run")
        return PYTEST_FAILED
    if code != PYTEST_FAILED or not failed:
        return code
    print(f"running again, one at a time: {len(failed)} tests that failed", flush=True)
    code = run_pytest(second, "-n", "0", *failed, root=root)
    outcomes = {test.id: test.outcome for test in results([second]).values()}
    for test in failed:
        print(f"{'UNSTEADY' if outcomes.get(test) == 'passed' else 'FAILED'} {test}")
    return code
