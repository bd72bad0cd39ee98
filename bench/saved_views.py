"""Saved views as a large team has them: random conditions, the same ones for the same number.

A third asks about time. Most hold a few of a hundred threads, as "VIPs who wait longer than ten
minutes" does; some hold nearly all.
"""

import random
from typing import NamedTuple

from bench.dataset import SOURCE
from scoring.sorts import SORTS

_PRIORITIES = ("urgent", "high", "normal", "low")
_TIMES = ("1m", "2m", "5m", "10m", "30m", "1h", "4h", "12h", "1d", "3d", "7d")
#: How often a view has which number of conditions.
_LENGTHS = (1, 2, 2, 2, 3, 3, 4)


class SavedView(NamedTuple):
    name: str
    query: str
    sort: str


def saved_views(count: int, seed: int = 14) -> list[SavedView]:
    """So many views; the first ones are the same, however many there are."""
    chance = random.Random(seed)
    sorts = tuple(SORTS)
    return [
        SavedView(f"View {number}", _query(chance), chance.choice(sorts))
        for number in range(1, count + 1)
    ]


def _query(chance: random.Random) -> str:
    fields = chance.sample(tuple(_FIELDS), chance.choice(_LENGTHS))
    return " ".join(_FIELDS[field](chance) for field in fields)


def _state(chance: random.Random) -> str:
    return "is:" + chance.choice(["open", "waiting", "waiting", "answered", "unanswered"])


def _member(chance: random.Random) -> str:
    return "member:" + ",".join(map(str, sorted(chance.sample(range(6), chance.randint(1, 3)))))


def _priority(chance: random.Random) -> str:
    sign = chance.choice(["", "", "-"])
    return f"{sign}priority:{','.join(chance.sample(_PRIORITIES, chance.randint(1, 2)))}"


def _assigned(chance: random.Random) -> str:
    return "assigned:" + chance.choice(["none", "none", "anyone"])


def _last(chance: random.Random) -> str:
    return "last:" + chance.choice(["client", "admin", "bot", "admin,bot"])


def _source(chance: random.Random) -> str:
    return chance.choice([f"source:{SOURCE}", "-source:telegram", f"source:telegram,{SOURCE}"])


def _lang(chance: random.Random) -> str:
    return chance.choice(["lang:vi", "lang:en", "-lang:vi", "lang:none", "lang:ja,vi"])


def _waits(chance: random.Random) -> str:
    return f"waits:{chance.choice('<>>')}{chance.choice(_TIMES)}"


def _quiet(chance: random.Random) -> str:
    return f"quiet:{chance.choice('<>>')}{chance.choice(_TIMES)}"


def _age(chance: random.Random) -> str:
    return f"age:{chance.choice('<>')}{chance.choice(_TIMES)}"


def _either(chance: random.Random) -> str:
    return f"({_member(chance)} or {_waits(chance)} {_priority(chance)})"


_FIELDS = {
    "state": _state,
    "member": _member,
    "priority": _priority,
    "assigned": _assigned,
    "last": _last,
    "source": _source,
    "lang": _lang,
    "waits": _waits,
    "quiet": _quiet,
    "age": _age,
    "either": _either,
}
