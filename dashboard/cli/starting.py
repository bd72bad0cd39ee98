"""The start of a server: its address, and how long each part of the start took."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

import click

log = logging.getLogger(__name__)

#: Addresses that a browser on this machine reaches as localhost.
_LOCAL_HOSTS = ("127.0.0.1", "::1", "0.0.0.0", "::")


class StartTimes:
    """Logs how long each part of a start took: on a busy machine a start takes far longer than the
    processor time that it needs."""

    def __init__(self, began: float | None = None, monotonic: Callable[[], float] = time.monotonic):
        """`began` is the start of the process, by the same clock."""
        self._monotonic = monotonic
        self._began = self._last = monotonic() if began is None else began
        self._parts: list[str] = []

    def mark(self, part: str) -> None:
        """Notes that a part of the start has just ended."""
        before, self._last = self._last, self._monotonic()
        self._parts.append(f"{part} {self._last - before:.1f} s")

    def seconds(self) -> dict[str, float]:
        """Returns how long the start took so far, and the processor time that it needed."""
        return {"elapsed": self._last - self._began, "processor": time.process_time()}

    def log(self) -> None:
        """Logs all parts, once."""
        log.info(
            "started in %.1f s, with %.1f s of processor time: %s",
            self._last - self._began,
            time.process_time(),
            ", ".join(self._parts),
        )


@dataclass(frozen=True)
class Address:
    """The host and port on which a process listens."""

    host: str
    port: int

    @property
    def url(self) -> str:
        """The URL that a person on this machine types."""
        return self._url("localhost" if self.host in _LOCAL_HOSTS else self.host)

    @property
    def program_url(self) -> str:
        """The URL that a program on this machine calls."""
        return self._url("::1" if self.host == "::" else self.host)

    def _url(self, host: str) -> str:
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"


def announce(address: Address, log_format: str = "text") -> None:
    """Prints the address; for programs as a line of the log, so that every line stays JSON."""
    if log_format == "text":
        click.echo(f"Lineup is at {address.url}")
    else:
        log.info("Lineup is at %s", address.url)
