"""The gate: all tests that are not slow; at most five failures are run once more, alone."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tools.testing.report import results
from tools.testing.temporary_files import in_memory

ROOT = Path(__file__).parents[2]
LOGS = "build/test"
#: More failures than these are no matter of the machine.
SECOND_CHANCES_MAX = 5
PYTEST = (sys.executable, "-m", "pytest", "-q")
NOT_SLOW = ("-m", "not slow")
#: Files beside each other; conftest.py has the order.
PARALLEL = ("-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder")
PYTEST_FAILED = 1


def run_pytest(log: Path, *arguments: str, root: Path = ROOT, server: str = "machine") -> int:
    """pytest's exit code; its results are in `log` afterwards.

    `server` is the Redis server of its tests: `machine` or `packaged`.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    log.unlink(missing_ok=True)
    command = [*PYTEST, f"--report-log={log}", *arguments]
    with in_memory() as environment:
        variables = {**environment, "LINEUP_TEST_SERVER": server}
        return subprocess.run(command, cwd=root, env=variables).returncode


def failed_in(log: Path) -> list[str]:
    """The ids of the tests that failed, and of the files that could not be imported."""
    return [test.id for test in results([log]).values() if test.outcome == "failed"]


def run_gate(arguments: Sequence[str], root: Path = ROOT) -> int:
    """Runs the tests until six have failed; up to five failures are run once more, alone.

    The exit code is pytest's; 0 also where all that failed passed the second time.
    """
    first, second = root / LOGS / "gate.jsonl", root / LOGS / "gate.second.jsonl"
    # A server that answers nothing fails hundreds of tests after a minute each: the first say it.
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
