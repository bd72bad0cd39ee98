"""docs/requirements/views.md, written independently: a text and a thread to true or false.

It splits the text again each time and knows nothing of the tables and trees of the product.
"""

import re
import unicodedata
from collections.abc import Collection, Mapping
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

BLANK = r"[\s\u200b\u2060\ufeff]"
BARE = r"[^\s\u200b\u2060\ufeff,()\"\x00-\x1f\x7f-\x9f\ud800-\udfff]"
#: A letter with its marks, as far as these tests write some; a digit; or a hyphen.
OF_TAGS = r"(?:[^\W_]|-|[\u0300-\u036f]){1,64}"
QUOTED = r'"(?:[^"\\\x00-\x1f\x7f-\x9f\ud800-\udfff]|\\["\\])+"'
DAY = r"2[01][0-9]{2}-[0-9]{2}-[0-9]{2}"
WORDS = {
    "is": "open closed waiting answered unanswered snoozed late",
    "assigned": "me none anyone",
    "mentions": "me none",
    "priority": "urgent high normal low",
    "member": "0 1 2 3 4 5 none",
    "tag": "none",
    "lang": "none",
    "last": "client admin bot",
    "has": "file",
}
FORMS = {
    "assigned": rf"{BARE}+|{QUOTED}",
    "mentions": rf"{BARE}+|{QUOTED}",
    "source": rf"{BARE}+|{QUOTED}",
    "desk": rf"{BARE}+|{QUOTED}",
    "tag": rf'{OF_TAGS}|"{OF_TAGS}"',
    "lang": r"(?i:[a-z]{2,8}(-[a-z0-9]{1,8})*)",
    "created": rf"{DAY}|{DAY}\.\.{DAY}|[<>]=?{DAY}",
}
FORMS["closed"] = FORMS["created"]
TIMES = {"waits": "waiting_since", "quiet": "last_client_at", "age": "first_event_at"}
FORMS |= dict.fromkeys([*TIMES, "due"], r"[<>]=?[0-9]{1,8}[smhdSMHD]")
SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}

ADMINS = {"mai@desk.example": 1, "ken o'hara@desk.example": 2, "lan@desk.example": 3}


class World(NamedTuple):
    """The viewer, the time, and the time zone."""

    now: int
    me: int
    place: str

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.place)


def items(text: str) -> list[str]:
    """The parts between blanks outside of parentheses and quotes."""
    found, run, depth, quoted, escaped = [], "", 0, False, False
    for c in text:
        if not quoted and depth == 0 and re.fullmatch(BLANK, c):
            found.append(run)
            run = ""
            continue
        run += c
        if c == '"' and not escaped:
            quoted = not quoted
        escaped = quoted and c == "\\" and not escaped
        if not quoted:
            depth += (c == "(") - (c == ")")
    return [each for each in [*found, run] if each]


def branches(text: str) -> list[list[str]]:
    found: list[list[str]] = [[]]
    for item in items(text):
        if item.lower() == "or":
            found.append([])
        else:
            found[-1].append(item)
    return found


def is_valid(text: str, inside: bool = False) -> bool:
    found = branches(text)
    if inside and not all(found):
        return False
    if not inside and len(found) > 1:
        return False
    return all(is_valid_item(item.removeprefix("-")) for each in found for item in each)


def is_valid_item(item: str) -> bool:
    if item.startswith("("):
        return (
            item.endswith(")")
            and items(item) == [item]
            and closes_last(item)
            and (is_valid(item[1:-1], True))
        )
    name, colon, rest = item.partition(":")
    if not colon or not name.isascii() or name.lower() not in {*WORDS, *FORMS}:
        return False
    values = split_values(rest)
    return all(is_valid_value(name.lower(), value) for value in values)


def closes_last(item: str) -> bool:
    """Whether the last character closes the first parenthesis."""
    depth, quoted, escaped = 0, False, False
    for at, c in enumerate(item):
        if c == '"' and not escaped:
            quoted = not quoted
        escaped = quoted and c == "\\" and not escaped
        if not quoted:
            depth += (c == "(") - (c == ")")
        if depth == 0 and at < len(item) - 1:
            return False
    return depth == 0 and not quoted


def split_values(text: str) -> list[str]:
    found, quoted, escaped = [""], False, False
    for c in text:
        if c == "," and not quoted:
            found.append("")
            continue
        found[-1] += c
        if c == '"' and not escaped:
            quoted = not quoted
        escaped = quoted and c == "\\" and not escaped
    return found


def is_valid_value(name: str, value: str) -> bool:
    if value.isascii() and value.lower() in WORDS.get(name, "").split():
        return True
    if not re.fullmatch(FORMS.get(name, "(?!)"), value):
        return False
    if name in ("assigned", "mentions"):
        address = unquoted(value)
        return len(address) <= 254 and re.fullmatch(r"[^@].*@.+", address, re.DOTALL) is not None
    if name in ("source", "desk"):
        return len(unquoted(value)) <= 64
    if name == "lang":
        return len(value) <= 35
    if name in ("created", "closed"):
        days = re.findall(DAY, value)
        return all(map(is_day, days)) and days == sorted(days)
    return True


def is_day(text: str) -> bool:
    try:
        return 2000 <= datetime.strptime(text, "%Y-%m-%d").year <= 2100
    except ValueError:
        return False


def unquoted(value: str) -> str:
    return re.sub(r"\\(.)", r"\1", value[1:-1]) if value.startswith('"') else value


def holds(text: str, thread: Mapping[str, Any], world: World) -> bool:
    """Whether a valid query holds for a thread, given as a dictionary of its facts."""
    return any(all(item_holds(item, thread, world) for item in branch) for branch in branches(text))


def item_holds(item: str, thread: Mapping[str, Any], world: World) -> bool:
    if item.startswith("-"):
        return not item_holds(item[1:], thread, world)
    if item.startswith("("):
        return holds(item[1:-1], thread, world)
    name, _, rest = item.partition(":")
    values = split_values(rest)
    return any(value_holds(name.lower(), value, thread, world) for value in values)


def value_holds(name: str, value: str, thread: Mapping[str, Any], world: World) -> bool:
    word = value.lower()
    if name == "is":
        return state_holds(word, thread, world)
    if name == "assigned":
        return assignee_holds(value, thread["assignee_id"], world)
    if name == "mentions":
        return mentions_hold(value, thread["mentioned"], world)
    if name == "priority":
        return thread["priority"] == word
    if name == "member":
        return thread["member_status"] == (-1 if word == "none" else int(word))
    if name in ("source", "desk"):
        return thread[name] == unquoted(value)
    if name == "lang":
        locale = thread["locale"]
        if word == "none" or locale is None:
            return word == "none" and locale is None
        return locale.lower() == word or locale.lower().startswith(word + "-")
    if name == "tag":
        if word == "none":
            return not thread["tags"]
        return unicodedata.normalize("NFC", unquoted(word)) in thread["tags"]
    if name == "last":
        return thread["last_role"] == word
    if name == "has":
        return thread[f"has_{word}"]
    if name in ("created", "closed"):
        at = thread["first_event_at"] if name == "created" else thread["closed_at"]
        if name == "closed" and not thread["closed"]:
            at = None
        return at is not None and day_holds(value, day_of(at, world.zone))
    return time_holds(name, value, thread, world.now)


def state_holds(word: str, thread: Mapping[str, Any], world: World) -> bool:
    due = thread["due_at"]
    return {
        "open": not thread["closed"],
        "closed": thread["closed"],
        "waiting": thread["waiting_since"] is not None,
        "answered": thread["last_admin_at"] is not None,
        "unanswered": thread["last_admin_at"] is None and thread["first_request_at"] is not None,
        "snoozed": thread["snoozed_until"] is not None and not thread["closed"],
        "late": due is not None and world.now >= due,
    }[word]


def assignee_holds(value: str, assignee: int | None, world: World) -> bool:
    if value.lower() == "none":
        return assignee is None
    if value.lower() == "anyone":
        return assignee is not None
    if value.lower() == "me":
        return assignee == world.me
    return assignee == ADMINS[unquoted(value).lower()]


def mentions_hold(value: str, mentioned: Collection[str], world: World) -> bool:
    if value.lower() == "none":
        return len(mentioned) == 0
    who = world.me if value.lower() == "me" else ADMINS[unquoted(value).lower()]
    return str(who) in mentioned


def time_holds(name: str, value: str, thread: Mapping[str, Any], now: int) -> bool:
    operator, number, unit = re.fullmatch(r"([<>]=?)([0-9]+)(.)", value).groups()
    limit = int(number) * SECONDS[unit.lower()] * 1_000
    if name == "due":
        span = None if thread["due_at"] is None else thread["due_at"] - now
    else:
        at = thread[TIMES[name]]
        span = None if at is None else now - at
    if span is None:
        return False
    return {">": span > limit, "<": span < limit, ">=": span >= limit, "<=": span <= limit}[
        operator
    ]


@cache
def day_of(ms: int, zone: ZoneInfo) -> str:
    """Returns the day of an instant: the latest that the clocks have shown so far."""
    minutes = range(0, 181)
    return max(str(datetime.fromtimestamp(ms / 1_000 - 60 * m, zone).date()) for m in minutes)


def day_holds(value: str, day: str) -> bool:
    operator, first = re.fullmatch(r"([<>]?=?)(.*)", value).groups()
    if operator:
        by = {">": day > first, "<": day < first, ">=": day >= first, "<=": day <= first}
        return by[operator]
    first, _, last = first.partition("..")
    return first <= day <= (last or first)
