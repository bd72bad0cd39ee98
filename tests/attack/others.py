"""Everybody else: a client that behaves, and how long it waits for its answers."""

import http.client
import math
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace

from tests.attack.target import Target

#: Pause between two requests, in seconds.
PAUSE_SECONDS = 0.01
#: Answers faster than this say more about the machine than about the server.
FLOOR_MS = 5.0
_TIMEOUT_SECONDS = 30


@dataclass(frozen=True)
class Waits:
    """How long others waited for each request, in ms, and how many requests got no 200."""

    ms: tuple[float, ...]
    failures: int

    @property
    def p95(self) -> float:
        """The wait that 95 of 100 requests do not exceed, in ms."""
        return sorted(self.ms)[math.ceil(len(self.ms) * 0.95) - 1] if self.ms else math.inf


class Others:
    """Asks by a kept connection (SQL, Redis), by a new one, and over a socket, one by one."""

    def __init__(self, target: Target):
        # The attacker's own calls wait, as they should.
        target = replace(target, cookie=target.other_cookie or target.cookie)
        self._target = target
        self._kept = self._connection()
        self._socket = target.socket() if target.cookie else None
        self._count = 0

    def measure(self, seconds: float) -> Waits:
        """Asks for this many seconds."""
        until = time.monotonic() + seconds
        return self._ask(iter(lambda: time.monotonic() < until, False))

    def ask(self, rounds: int) -> Waits:
        """Asks this many times in each way."""
        return self._ask(range(rounds))

    def _ask(self, rounds: Iterable[object]) -> Waits:
        waits, failures = [], 0
        asks = [self._ask_kept, self._ask_new]
        if self._socket is not None:
            asks.append(self._ask_socket)
        for _ in rounds:
            for ask in asks:
                started = time.perf_counter()
                failures += not self._is_answered(ask)
                waits.append((time.perf_counter() - started) * 1000)
                time.sleep(PAUSE_SECONDS)
        return Waits(tuple(waits), failures)

    def close(self) -> None:
        self._kept.close()
        if self._socket is not None:
            with suppress(Exception):
                self._socket.close()

    def _is_answered(self, ask: Callable[[], bool]) -> bool:
        try:
            return ask()
        except Exception:
            self._kept = self._connection()
            return False

    def _connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(*self._target.address, timeout=_TIMEOUT_SECONDS)

    def _ask_kept(self) -> bool:
        return _get(self._kept, "/readyz")

    def _ask_new(self) -> bool:
        connection = self._connection()
        try:
            return _get(connection, "/healthz")
        finally:
            connection.close()

    def _ask_socket(self) -> bool:
        """Makes a call and reads its answer; skips other messages."""
        assert self._socket is not None
        self._count += 1
        self._socket.send(f'42/admin,{self._count}["list:close",{_LIST}]')
        while True:
            message = self._socket.recv()
            if message == "2":
                self._socket.send("3")
            elif message.startswith(f"43/admin,{self._count}["):
                return message.startswith(f'43/admin,{self._count}[{{"ok":true')
            elif not message:
                return False


_LIST = '{"view":"arrival","sort":"arrival"}'


def _get(connection: http.client.HTTPConnection, path: str) -> bool:
    connection.request("GET", path)
    answer = connection.getresponse()
    answer.read()
    return answer.status == 200
