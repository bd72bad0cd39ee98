"""Processes of a bench: started, asked what they cost, and ended."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

ROOT = Path(__file__).parents[1]
STOP_SECONDS = 15
_PR_SET_CHILD_SUBREAPER = 36
_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


class BenchError(Exception):
    """A bench could not be run, or its result is wrong; then its time does not count."""


def wait_for(
    condition: Callable[[], Any], seconds: float, what: str, pause_seconds: float = 0.02
) -> Any:
    """Returns the result of `condition` as soon as it is truthy. Raises BenchError."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise BenchError(f"{what}: not within {seconds:g} s")
        time.sleep(pause_seconds)
    return value


class PythonProcess:
    """Runs `python -m MODULE ARGUMENTS` in its own process group; its output goes to a file."""

    def __init__(self, module: str, arguments: Sequence[object], log: Path, **options: Any):
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", module, *map(str, arguments)],
                cwd=ROOT,
                stderr=output,
                start_new_session=True,
                **({"stdout": output} | options),
            )
        self.pid = self.process.pid
        self._log = log

    def check(self) -> None:
        """Raises BenchError if the process has ended."""
        if self.process.poll() is not None:
            tail = self._log.read_text(errors="replace")[-2_000:]
            raise BenchError(f"a process ended with {self.process.returncode}:\n{tail}")

    def stop(self) -> None:
        end(self.process)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()


def end(process: subprocess.Popen) -> None:
    """Ends the process and everything that it started."""
    if process.poll() is None:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(STOP_SECONDS)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def adopt_orphans() -> None:
    """Makes this process the parent of descendants that lose their own."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_children() -> list[int]:
    """Kills all remaining descendants of this process; returns their ids."""
    found: list[int] = []
    while children := tree(os.getpid())[1:]:
        found += children
        for child in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, 0):
                pass
    return found


def tree(pid: int) -> list[int]:
    """Returns the ids of the process and all its descendants."""
    found = [pid]
    for parent in found:
        with contextlib.suppress(OSError):
            for task in os.listdir(f"/proc/{parent}/task"):
                children = Path(f"/proc/{parent}/task/{task}/children").read_text()
                found += [int(child) for child in children.split()]
    return found


def cpu_seconds(pid: int) -> float:
    """Returns the processor time of the process and its descendants, in user and system mode.

    Ended descendants count if their parent still runs and has waited for them, as PostgreSQL does
    for each connection.
    """
    ticks = 0
    for each in tree(pid):
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/{each}/stat").read_text().rpartition(") ")[2].split()
            ticks += sum(map(int, fields[11:15]))
    return ticks / _TICKS_PER_SECOND


def resident_bytes(pid: int) -> int:
    """Returns the bytes of memory of the process and its descendants."""
    pages = 0
    for each in tree(pid):
        with contextlib.suppress(OSError):
            pages += int(Path(f"/proc/{each}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
