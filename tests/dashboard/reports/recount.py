"""A second program for the numbers of reports: it reads only the lines of an export.

It folds the events of a thread up to each moment anew, with the tables of requirements, and knows
nothing of the product's facts.
"""

import json
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from fractions import Fraction
from math import ceil
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from scoring.facts import ThreadEvent
from tests.scoring import oracle

KINDS = {"thread.close": "close", "thread.reopen": "reopen", "thread.handoff": "handoff"}
#: Events that count as nothing in their thread.
UNCOUNTED = ("thread.suggestion", "thread.summary", "message.edited", "message.deleted")


class Happening(NamedTuple):
    """What happened in a thread: when, who did it, and how long it had taken."""

    kind: str
    at: int
    admin: str | None = None
    length: int | None = None


class Thread(NamedTuple):
    """A thread as it is now, what happened in it, and whether its customer waited from when on."""

    name: str
    source: str
    desk: str
    tags: frozenset[str]
    tier: int
    language: str
    happenings: list[Happening]
    waits: list[tuple[int, bool]]

    def waits_at(self, at: int) -> bool:
        """Whether the customer waits after all that happened before a time."""
        known = [waits for since, waits in self.waits if since < at]
        return bool(known) and known[-1]


def milliseconds(text: str) -> int:
    return round(datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1_000)


def threads_of(export: Iterable[bytes]) -> list[Thread]:
    """Reads the lines of an export."""
    lines = [json.loads(line) for line in export]
    names = {line["admin"]: line["name"] for line in lines if "admin" in line}
    handoff_only = {
        line["source"]: line["handoff_only"] for line in lines if "handoff_only" in line
    }
    own: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in lines:
        event = line.get("event") or line.get("erased") or {}
        if "thread" in event:
            own[event["thread"]].append(line)
    told, decided = last_told(lines), outcomes(lines, names)
    found = []
    for head in (line for line in lines if "thread" in line):
        name = head["thread"]
        customer = told.get(("thread", name, "id"))
        tier = told.get(("customer", customer, "member_status"), -1)
        language = (told.get(("customer", customer, "locale")) or "").split("-")[0].lower()
        happenings, waits = happened(own[name], names, handoff_only[head["source"]])
        happenings += decided[name]
        tags = tags_in(own[name])
        found.append(
            Thread(name, head["source"], head["desk"], tags, tier, language, happenings, waits)
        )
    return found


def outcomes(lines: list[dict[str, Any]], names: dict[str, str]) -> dict[str, list[Happening]]:
    """Maps threads to the outcomes of their suggestions. One that was taken over into a reply was
    used if the reply has its text; a reply says when that was, and by whom."""
    events = {name_of(line): line for line in lines if "event" in line}
    found: dict[str, list[Happening]] = defaultdict(list)
    for line in lines:
        if "outcome" not in line:
            continue
        suggestion, reply = events[line["suggestion"]]["event"], events.get(line.get("reply", ""))
        kind, at, by = "ignored", milliseconds(line["at"]), line.get("author")
        if reply is not None:
            at, by = ranked(reply), reply["author"]
        if "reason" not in line:
            assert reply is not None, "it was sent"
            kind = "used" if reply["event"]["body"] == suggestion["body"] else "edited"
        admin = None if by is None else names[by]
        found[suggestion["thread"]].append(Happening(f"suggestions_{kind}", at, admin))
    return found


def last_told(lines: list[dict[str, Any]]) -> dict[tuple[str, str, str], Any]:
    """Maps each value of a customer, and the customer of each thread, to what the last event says:
    the last one by time and id."""
    told: dict[tuple[str, str, str], tuple[tuple[int, str], Any]] = {}
    for line in lines:
        event = line.get("event", {})
        customer = event.get("customer")
        if customer is None:
            continue
        stamp = ranked(line), event["id"]
        values = {("customer", customer["id"], name): value for name, value in customer.items()}
        if "thread" in event:
            values["thread", event["thread"], "id"] = customer["id"]
        for key, value in values.items():
            if key not in told or stamp > told[key][0]:
                told[key] = stamp, value
    return {key: value for key, (_, value) in told.items()}


def ranked(line: dict[str, Any]) -> int:
    event = line.get("event") or line["erased"]
    return min(milliseconds(event["occurred_at"]), milliseconds(line["received_at"]))


def name_of(line: dict[str, Any]) -> str:
    event = line.get("event") or line["erased"]
    return ("/" if "author" in line else "") + event["id"]


def kind_of(event: dict[str, Any]) -> str:
    if event["type"] != "message":
        return KINDS.get(event["type"], "other")
    if event.get("role", "admin") == "admin":
        return "note" if event.get("private") else "admin"
    return "client" if event["role"] == "client" else "other"


def read_events(
    lines: list[dict[str, Any]], names: dict[str, str]
) -> tuple[list[ThreadEvent], dict[int, str | None]]:
    """Returns the events of a thread that count, and the admins who wrote them."""
    ids = {name_of(line): at for at, line in enumerate(lines, 1)}
    authors: dict[int, str | None] = {}
    events = []
    for at, line in enumerate(lines, 1):
        event = line.get("event") or line["erased"]
        if event["type"] in UNCOUNTED:
            continue
        kind = kind_of(event)
        seen = None
        if "author" in line and kind in ("admin", "close"):
            seen = ids.get(line.get("seen", ""), 0)
        undone = ids[line["undoes"]] if "undoes" in line else None
        authors[at] = names[line["author"]] if "author" in line else None
        events.append(ThreadEvent(kind, ranked(line), at, seen, undone))
    gone = {event.undoes for event in events} - {None}
    return [one for one in events if one.undoes is None and one.id not in gone], authors


def happened(
    lines: list[dict[str, Any]], names: dict[str, str], handoff_only: bool
) -> tuple[list[Happening], list[tuple[int, bool]]]:
    """Returns what happened in a thread, and when its customer began and ceased to wait."""
    events, authors = read_events(lines, names)
    found, waits = list[Happening](), list[tuple[int, bool]]()
    before, opened_at = oracle.facts([], handoff_only) | {"closed": False}, 0
    for at in sorted({event.ranked_at for event in events}):
        after = oracle.facts([one for one in events if one.ranked_at <= at], handoff_only)
        now = sorted((one for one in events if one.ranked_at == at), key=lambda one: one.id)
        if not waits:
            opened_at = at
            found.append(Happening("new", at))
        found += answers(now, authors, before, after["waiting_since"])
        if after["closed"] and not before["closed"]:
            close = next(one for one in now if one.kind == "close")
            found.append(Happening("closed", at, authors[close.id], at - opened_at))
        if before["closed"] and not after["closed"]:
            opened_at = at
            found.append(Happening("reopened", at))
        waits.append((at, after["waiting_since"] is not None))
        before = after
    return found, waits


def answers(
    now: list[ThreadEvent],
    authors: dict[int, str | None],
    before: dict[str, Any],
    waits_since: int | None,
) -> list[Happening]:
    """Returns the answers of one millisecond; the first one may end a wait, or a part of it."""
    waited_since, found = before["waiting_since"], []
    for number, answer in enumerate(one for one in now if one.kind == "admin"):
        at, author = answer.ranked_at, authors[answer.id]
        found.append(Happening("answers", at, author))
        if number == 0 and waited_since is not None and waits_since != waited_since:
            kind = "next_reply" if before["answered"] else "first_reply"
            found.append(Happening(kind, at, author, at - waited_since))
    return found


def tags_in(lines: list[dict[str, Any]]) -> frozenset[str]:
    """Returns the tags of a thread: of each tag the last event about it that was not undone."""
    gone = {line["undoes"] for line in lines if "undoes" in line}
    last: dict[str, tuple[tuple[int, str], bool]] = {}
    for line in lines:
        event = line.get("event") or line["erased"]
        if event["type"] != "thread.tags" or name_of(line) in gone or "undoes" in line:
            continue
        stamp = ranked(line), name_of(line)
        for member, is_there in (("add", True), ("remove", False)):
            for tag in event.get(member, ()):
                if tag not in last or stamp >= last[tag][0]:
                    last[tag] = stamp, is_there
    return frozenset(tag for tag, (_, is_there) in last.items() if is_there)


def percentiles(lengths: list[int]) -> dict[str, int | None]:
    ordered = sorted(lengths)
    return {"count": len(ordered)} | {
        f"p{part}": ordered[ceil(Fraction(part, 100) * len(ordered)) - 1] if ordered else None
        for part in (50, 90, 99)
    }


def step_of(at: int, step: str, zone: ZoneInfo) -> tuple[Any, ...]:
    """Returns the name of the hour, day or week around a time."""
    local = datetime.fromtimestamp(at / 1_000, zone)
    if step == "hour":
        return local.date(), local.hour, local.utcoffset()
    return (local.date(),) if step == "day" else local.isocalendar()[:2]
