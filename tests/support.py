"""What tests share: the number of examples, waiting for a condition, asyncio, a settable clock."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pyotp
from hypothesis import settings

Value = TypeVar("Value")

#: Between two looks at a condition.
PAUSE_MAX_SECONDS = 0.1


def examples(count: int, gate: int | None = None) -> int:
    """How many examples hypothesis takes: `count` in `make test-all`, `gate` in the gate.

    `gate` is a quarter of `count` unless it is given.
    """
    if settings.get_current_profile_name() == "all":
        return count
    return max(5, count // 4) if gate is None else gate


def wait_until(
    condition: Callable[[], Value], timeout_seconds: float = 60.0, what: str = "the condition"
) -> Value:
    """What `condition` gives as soon as it is truthy; fails after `timeout_seconds`."""
    deadline = time.monotonic() + timeout_seconds
    pause_seconds = 0.005
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < deadline, f"{what} did not come true in {timeout_seconds} s"
        time.sleep(pause_seconds)
        # What is waited for may need the processor that the condition takes.
        pause_seconds = min(PAUSE_MAX_SECONDS, pause_seconds * 1.5)


def stays(condition: Callable[[], object], seconds: float, what: str) -> None:
    """Fails as soon as `condition` is not truthy; returns when it was for so long."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        assert condition(), f"not any more: {what}"
        time.sleep(0.05)


def run_aside(work: Coroutine[Any, Any, Value]) -> Value:
    """What `work` gives, run in a thread: browser tests before may have left a loop in ours."""
    with ThreadPoolExecutor(1) as aside:
        return aside.submit(asyncio.run, work).result()


def now_ms() -> int:
    return time.time_ns() // 1_000_000


class SettableClock:
    """Milliseconds since 1970 that `advance` alone moves."""

    def __init__(self, now_ms: int = 1_790_000_000_000):
        self.now_ms = now_ms

    def __call__(self) -> int:
        return self.now_ms

    def advance(self, milliseconds: int) -> None:
        self.now_ms += milliseconds


def code_at(secret: str, at_ms: int) -> str:
    """The code that an authenticator app shows at that time."""
    return pyotp.TOTP(secret).generate_otp(at_ms // 30_000)
