"""The attacks by name."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.attack.target import Target

#: Does harm until the time (of `time.monotonic`) that it is given.
Run = Callable[[Target, float], None]


@dataclass(frozen=True)
class Attack:
    """`needs`: the credential that it takes, "cookie" or "key"; "" for none.

    After `warm_up` seconds it is in full swing.
    """

    name: str
    summary: str
    needs: str
    run: Run
    warm_up: float


ATTACKS: dict[str, Attack] = {}


def attack(name: str, summary: str, needs: str = "", warm_up: float = 0.7) -> Callable[[Run], Run]:
    """Adds the decorated function to `ATTACKS`."""

    def add(run: Run) -> Run:
        ATTACKS[name] = Attack(name, summary, needs, run, warm_up)
        return run

    return add
