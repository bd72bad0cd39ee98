"""Saved views of a large team: random conditions, the same for the same number.

A third asks about time. Most hold a few of a hundred threads, like "VIPs who wait longer than ten
minutes"; some hold nearly all.
"""

import random
from typing import NamedTuple

from bench.dataset import SOURCE
from scoring.sorts import SORTS

_PRIORITIES = ("urgent", "high", "normal", "low")
_TIMES = ("1m", "2m", "5m", "10m", "30m", "1h", "4h", "12h", "1d", "3d", "7d")
#: All saved views may use six unusual times below ten minutes; 30, 60 and 90 s are usual.
_SECONDS = (*range(1, 7), 30, 60, 90)
#: Lists between which a message and later time move its thread: as many as allowed.
_QUIET = 200
#: Numbers of conditions, each for an equal share of the views.
_LENGTHS = (1, 2, 2, 2, 3, 3, 4)


class SavedView(NamedTuple):
    name: str
    query: str
    sort: str


def saved_views(count: int, seed: int = 14) -> list[SavedView]:
    """Returns so many views; the first ones are the same for any count."""
    chance = random.Random(seed)
    sorts = tuple(SORTS)
    return [
        SavedView(f"View {number}", _query(chance), chance.choice(sorts))
        for number in range(1, count + 1)
    ]


def worst_views(count: int) -> list[SavedView]:
    """Returns the views that cost an event most, of up to a thousand that may be saved.

    A message enters half of the first views and leaves the other half. Seconds later time reverses
    that, at as many different moments as allowed. The other views have as many conditions as
    fit; a customer's first message enters half of them.
    """
    return [
        SavedView(f"Worst {number}", _worst(number), "arrival") for number in range(1, count + 1)
    ]


def _worst(number: int) -> str:
    if number <= _QUIET:
        seconds, sign = _SECONDS[number // 2 % len(_SECONDS)], ("<", ">=")[number % 2]
        return f"quiet:{sign}{seconds}s -tag:b{number}"
    if number % 2:
        return " ".join(f"(tag:a{number}-{group} or -tag:f{number}-{group})" for group in range(5))
    others = " or ".join(f"tag:d{number}-{other} last:admin" for other in range(8))
    return f"({others} or last:client -tag:e{number})"


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
