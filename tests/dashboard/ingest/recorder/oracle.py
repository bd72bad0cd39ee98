"""docs/requirements/ordering.md, computed for a set of events.

It uses no code of the product. Events are dictionaries as chatbots post them, with `at` (ranked_at
in milliseconds) in addition; among acts on the dashboard they have `stored` (a number that grows in
the order of storing), and answers and closes on the dashboard have `seen`.
"""

from typing import Any

MAX_MS = 2**42 - 1
TIER = 2**42
PRIORITIES = ["urgent", "high", "normal", "low"]


def expected(events: list[dict[str, Any]], thread: str, handoff_only: bool) -> dict[str, Any]:
    """The facts, scores and row of a thread."""
    mine = [event for event in events if event.get("thread") == thread]
    person, name, status = _customer(events, mine)
    facts = _facts(mine, handoff_only) | {
        "status": status,
        "priority": _last(mine, lambda event: event.get("priority"), default="normal"),
    }
    return {
        "open": not facts["closed"],
        "waiting_since": facts["waiting"],
        "recent_at": facts["recent"],
        "answered": facts["answered"],
        "unanswered": facts.pop("unanswered"),
        "priority": facts["priority"],
        "tags": _tags(mine),
        "desk": _last(mine, lambda event: event.get("desk"), default="main"),
        "has_file": any(event.get("attachments") for event in mine),
        "customer": (person, name, status) if person is not None else None,
        "preview": _preview(mine),
        "scores": _scores(**facts),
    }


def _facts(mine: list[dict[str, Any]], handoff_only: bool) -> dict[str, Any]:
    clients = [event for event in mine if event.get("role") == "client"]
    handoffs = [event for event in mine if event["type"] == "thread.handoff"]
    answers = [event for event in mine if event.get("role") == "admin" and not event.get("private")]
    reopened_at = max([e["at"] for e in mine if e["type"] == "thread.reopen"], default=-1)
    closes = [e for e in mine if e["type"] == "thread.close" and e["at"] >= reopened_at]
    requests = handoffs if handoff_only else clients + handoffs

    def is_settled(event: dict[str, Any]) -> bool:
        return any(_settles(act, event) for act in answers + closes)

    waiting = min([event["at"] for event in requests if not is_settled(event)], default=None)
    last_close = max([close["at"] for close in closes], default=-1)
    closed = last_close > reopened_at and all(
        any(_closes(close, event) for close in closes) for event in clients + handoffs
    )
    recent = max(event["at"] for event in clients) if clients else min(e["at"] for e in mine)
    return {
        "closed": closed,
        "waiting": None if closed else waiting,
        "recent": recent,
        "answered": bool(answers),
        "first_request": min([event["at"] for event in requests], default=None),
        "unanswered": sum(not is_settled(event) for event in clients),
    }


def _settles(act: dict[str, Any], event: dict[str, Any]) -> bool:
    """Whether an act settles an event; on the dashboard: if it was stored up to `seen`."""
    return act["at"] >= event["at"] and ("seen" not in act or event["stored"] <= act["seen"])


def _closes(close: dict[str, Any], event: dict[str, Any]) -> bool:
    """Whether a close is in effect against an event; with a tie, a close through the API is not."""
    return _settles(close, event) and ("seen" in close or close["at"] > event["at"])


def _customer(events: list[dict[str, Any]], mine: list[dict[str, Any]]) -> tuple[Any, Any, int]:
    """Id, name and member status of the thread's customer; (None, None, -1) without one."""
    person = _last(mine, lambda event: event.get("customer", {}).get("id"))
    if person is None:
        return None, None, -1
    theirs = [event for event in events if event.get("customer", {}).get("id") == person]
    name = _last(theirs, lambda event: event["customer"].get("name"))
    status = _last(theirs, lambda event: event["customer"].get("member_status"), default=-1)
    return person, name, status


def _tags(mine: list[dict[str, Any]]) -> list[str]:
    """Each tag is as its last writer left it."""
    changes = sorted(
        (event["at"], event["id"], tag, is_added)
        for event in mine
        for name, is_added in (("add", True), ("remove", False))
        for tag in event.get(name, ())
    )
    last = {tag: is_added for _, _, tag, is_added in changes}
    return sorted(tag for tag, is_there in last.items() if is_there)


def _preview(mine: list[dict[str, Any]]) -> Any:
    shown = [
        event
        for event in mine
        if event["type"] == "message" and not (event["role"] == "admin" and event.get("private"))
    ]
    of = {role: [each for each in shown if each["role"] == role] for role in ("client", "admin")}
    first = of["client"] or of["admin"] or shown
    return _last(first, lambda event: (event["role"], event["body"], event["at"]))


def _last(events: list[dict[str, Any]], value_of, default: Any = None) -> Any:
    """The value of the last writer, among the events that have one."""
    written = [(event["at"], event["id"], value_of(event)) for event in events]
    written = [entry for entry in written if entry[2] is not None]
    return max(written, key=lambda entry: entry[:2])[2] if written else default


def _scores(closed, waiting, recent, answered, first_request, status, priority) -> list[int]:
    newest = MAX_MS - recent
    level = PRIORITIES.index(priority)
    return [
        newest,
        waiting if waiting is not None else TIER + newest,
        first_request if not answered and first_request is not None else TIER + newest,
        (10 if status == -1 else status) * TIER + newest,
        2 * level * TIER + waiting if waiting is not None else (2 * level + 1) * TIER + newest,
        # No thread has a target.
        TIER + waiting if waiting is not None else 2 * TIER + newest,
    ]
