"""Measures how long everybody else waits, without and during an attack, in one run."""

import multiprocessing
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.attack import many, over_http, over_sockets, waiting  # noqa: F401  (they add their attacks)
from tests.attack.attacks import ATTACKS, Attack
from tests.attack.others import FLOOR_MS, Others, Waits
from tests.attack.target import Target


@dataclass(frozen=True)
class Measurement:
    """The waits of others before and during an attack."""

    quiet: Waits
    attacked: Waits

    @property
    def ratio(self) -> float:
        """Their p95 during the attack, divided by the quiet one, or by `FLOOR_MS` if greater."""
        return self.attacked.p95 / max(self.quiet.p95, FLOOR_MS)


def measure(target: Target, attack: Attack, seconds: float) -> Measurement:
    """Measures the waits of others for some time without the attack, then as long during it."""
    others = Others(target)
    try:
        others.measure(min(seconds, 1))  # connections, caches
        quiet = others.measure(seconds)
        with _under_way(target, attack, seconds * 4):
            return Measurement(quiet, others.measure(seconds))
    finally:
        others.close()


def is_survived(target: Target, attack: Attack, rounds: int, seconds: float) -> bool:
    """Whether others get all answers of so many rounds before the attack ends by itself.

    On a busy machine this takes longer, with the same result.
    """
    others = Others(target)
    try:
        with _under_way(target, attack, seconds) as attacker:
            return not others.ask(rounds).failures and attacker.is_alive()
    finally:
        others.close()


@contextmanager
def _under_way(
    target: Target, attack: Attack, seconds: float
) -> Iterator[multiprocessing.process.BaseProcess]:
    """The attack in a process of its own, begun `warm_up` ago and with `seconds` to go."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    attacker = context.Process(
        target=_run, args=[attack.name, target, attack.warm_up + seconds], daemon=True
    )
    attacker.start()
    try:
        time.sleep(attack.warm_up)
        yield attacker
    finally:
        attacker.kill()
        attacker.join()


def _run(name: str, target: Target, seconds: float) -> None:
    ATTACKS[name].run(target, time.monotonic() + seconds)
