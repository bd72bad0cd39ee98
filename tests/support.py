"""Helpers of tests: numbers of examples, waiting for a condition, asyncio, a settable clock."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pyotp
from hypothesis import settings

Value = TypeVar("Value")

#: Longest pause between two checks of a condition.
PAUSE_MAX_SECONDS = 0.1


def examples(count: int, gate: int | None = None) -> int:
    """Returns how many examples hypothesis takes: `count` in `make test-all`, `gate` in the gate.

    By default `gate` is a quarter of `count`.
    """
    if settings.get_current_profile_name() == "all":
        return count
    return max(5, count // 4) if gate is None else gate


def wait_until(
    condition: Callable[[], Value], timeout_seconds: float = 60.0, what: str = "the condition"
) -> Value:
    """Returns the result of `condition` as soon as it is truthy; fails after `timeout_seconds`."""
    deadline = time.monotonic() + timeout_seconds
    pause_seconds = 0.005
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < deadline, f"{what} did not come true in {timeout_seconds} s"
        time.sleep(pause_seconds)
        # The checks must leave processor time to the work that is waited for.
        pause_seconds = min(PAUSE_MAX_SECONDS, pause_seconds * 1.5)


def stays(condition: Callable[[], object], seconds: float, what: str) -> None:
    """Fails as soon as `condition` is not truthy; else returns after `seconds`."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        assert condition(), f"not any more: {what}"
        time.sleep(0.05)


def run_aside(work: Coroutine[Any, Any, Value]) -> Value:
    """Runs `work` in a thread; returns its result. Browser tests may leave a loop in this one."""
    with ThreadPoolExecutor(1) as aside:
        return aside.submit(asyncio.run, work).result()


def now_ms() -> int:
    return time.time_ns() // 1_000_000


class SettableClock:
    """A clock in milliseconds since 1970, which only `advance` moves."""

    def __init__(self, now_ms: int = 1_790_000_000_000):
        self.now_ms = now_ms

    def __call__(self) -> int:
        return self.now_ms

    def advance(self, milliseconds: int) -> None:
        self.now_ms += milliseconds


def code_at(secret: str, at_ms: int) -> str:
    """Returns the code that an authenticator app shows at that time."""
    return pyotp.TOTP(secret).generate_otp(at_ms // 30_000)
