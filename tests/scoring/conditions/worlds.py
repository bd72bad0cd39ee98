"""Random queries, threads and moments, chosen to meet at thresholds and at midnight."""

import random
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from hypothesis import strategies as st

from scoring.conditions.fields import FIELDS, UNITS, Field
from scoring.conditions.subject import Subject
from tests.scoring.conditions.oracle import ADMINS, World

NOW = 1_780_000_000_000
SOURCES = ("shop", "my shop", 'a"b\\c')
LOCALES = ("vi", "vi-VN", "vie", "en-GB", "pt-br", "x-vi", None)
LANGUAGES = ("vi", "VI-vn", "en", "pt", "pt-BR", "ja")
#: Sets of tags; one tag has the name of a word of the language.
TAGS = ((), (), ("vip",), ("vip", "vip-2"), ("vip-2", "đổi"), ("none",), ("返品", "none", "2"))
#: Sets of admins with unread mentions, as texts; one admin is in no query.
MENTIONED = ((), (), ("1",), ("1", "2"), ("2", "3"), ("13",))
#: Times that conditions name, in milliseconds; the ways in which each is written.
TIMES = {
    0: ("0s", "00m"),
    60_000: ("60s", "1m", "01M"),
    600_000: ("600s", "10m"),
    3_600_000: ("60m", "1h", "1H"),
    86_400_000: ("24h", "1d", "86400s"),
}
#: Days on which clocks skip or repeat a midnight, or a whole day, and one without any change.
DAYS = {
    "UTC": ("2026-02-28", "2024-02-29"),
    "Asia/Ho_Chi_Minh": ("2026-11-20",),
    "America/Sao_Paulo": ("2018-11-04", "2018-02-18"),
    "Asia/Beirut": ("2022-03-27", "2022-10-30"),
    "America/Havana": ("2022-03-13", "2022-11-06"),
    "Pacific/Apia": ("2011-12-30", "2011-12-31"),
    "America/St_Johns": ("2010-03-14", "2010-11-07"),
    "Africa/Cairo": ("2023-04-28", "2023-10-27"),
    "Australia/Lord_Howe": ("2026-04-05", "2026-10-04"),
}
BLANKS = (" ", "  ", "\t", "\u00a0", "\u3000", "\u200b")


def worlds() -> st.SearchStrategy[World]:
    return st.sampled_from(
        [
            World(NOW + late, me, name)
            for name in sorted(DAYS)
            for me in sorted(ADMINS.values())
            for late in (0, 0, 1, 3_600_000)
        ]
    )


@cache
def threads(seed: int, zone: ZoneInfo) -> Mapping[str, Any]:
    """The facts of one thread, which depend on the seed alone."""
    chance = random.Random(seed)

    def maybe(value: Any) -> Any:
        return value if chance.random() < 0.7 else None

    def instant(of_days: float = 0.3) -> int:
        if chance.random() >= of_days:
            return NOW - chance.choice(list(TIMES)) + chance.choice([-1, 0, 1, 1_000])
        day = datetime.fromisoformat(chance.choice(DAYS[zone.key]))
        shift = timedelta(days=chance.choice([-1, 0, 0, 1, 1, 2]))
        begin = (day + shift).replace(tzinfo=zone).timestamp() * 1_000
        return int(begin) + chance.choice([-1, 0, 1, *(by * 1_800_000 for by in (-2, -1, 1, 2))])

    closed = chance.random() < 0.4
    return {
        "closed": closed,
        "last_admin_at": maybe(instant()),
        "first_request_at": maybe(instant()),
        "assignee_id": maybe(chance.choice(sorted(ADMINS.values()))),
        "priority": chance.choice(["urgent", "high", "normal", "low"]),
        "member_status": chance.choice([-1, 0, 1, 5]),
        "source": chance.choice(SOURCES),
        "locale": chance.choice(LOCALES),
        "last_role": chance.choice(["client", "admin", "bot", "system", None]),
        "waiting_since": None if closed else maybe(instant()),
        "last_client_at": maybe(instant()),
        "first_event_at": maybe(instant(0.6)),
        "closed_at": instant(0.9) if closed else maybe(instant(0.9)),
        "due_at": None
        if closed
        else maybe(NOW + chance.choice(list(TIMES)) + chance.choice([-1, 0, 1])),
        "assigned_at": maybe(instant()),
        "snoozed_until": NOW + 3_600_000 if seed % 3 == 0 else None,
        "tags": frozenset(chance.choice(TAGS)),
        "desk": chance.choice(["main", "sales"]),
        "mentioned": frozenset(chance.choice(MENTIONED)),
        "has_file": chance.random() < 0.3,
    }


def subject(thread: Mapping[str, Any]) -> Subject:
    """The subject of a thread, for conditions."""
    known = {name: thread[name] for name in Subject._fields if name in thread}
    answered = thread["last_admin_at"] is not None
    snoozed_until = None if thread["closed"] else thread["snoozed_until"]
    return Subject(**known)._replace(
        answered=answered,
        unanswered=not answered and thread["first_request_at"] is not None,
        snoozed=snoozed_until is not None,
        closed_at=thread["closed_at"] if thread["closed"] else None,
        snoozed_until=snoozed_until,
    )


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


@cache
def texts(world: World) -> st.SearchStrategy[str]:
    """Queries of up to four terms or groups."""
    term = st.one_of([_term(field, world) for field in FIELDS.values()])
    item = st.recursive(term, lambda inner: _group(inner) | _not(inner), max_leaves=8)
    spaced = st.tuples(item, st.sampled_from(BLANKS)).map("".join)
    return st.lists(spaced, max_size=4).map("".join)


def _group(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    branch = st.lists(inner, min_size=1, max_size=3).map(" ".join)
    branches = st.lists(branch, min_size=1, max_size=3)
    return branches.map(
        lambda found: f"({' OR '.join(found) if len(found) == 3 else ' or '.join(found)})"
    )


def _not(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return inner.map(lambda item: item[1:] if item.startswith("-") else f"-{item}")


def _term(field: Field, world: World) -> st.SearchStrategy[str]:
    name = st.sampled_from([field.name, field.name.upper(), field.name.title()])
    value = st.sampled_from(values_of(field, world.place))
    values = st.lists(value, min_size=1, max_size=3).map(",".join)
    return st.tuples(name, values).map(":".join)


def values_of(field: Field, place: str) -> list[str]:
    """The values that may follow the colon of a field, in several spellings."""
    words = [*field.words, *(word.upper() for word in field.words)]
    if field.kind == "admin":
        words += [quoted(address) for address in ADMINS] + ["Mai@desk.example"]
    elif field.kind == "name":
        words += [*map(quoted, SOURCES), "shop", "nobody", "main", "sales", '"sales"']
    elif field.kind == "language":
        words += LANGUAGES
    elif field.kind == "tag":
        words += [
            "vip",
            "VIP",
            "vip-2",
            "Đổi",
            "đo\u0302\u0309i",
            "返品",
            "ip",
            "2",
            '"none"',
            '"vip"',
        ]
    elif field.kind == "duration":
        written = [one for several in TIMES.values() for one in several]
        words += [f"{operator}{one}" for operator in ("<", ">", "<=", ">=") for one in written]
    elif field.kind == "day":
        days = sorted(DAYS[place])
        words += days + [f"{operator}{day}" for operator in ("<", ">", "<=", ">=") for day in days]
        words += [f"{day}..{last}" for day in days for last in days if day <= last]
    assert words, field.kind
    return words


assert set(UNITS) == {"s", "m", "h", "d"}
