"""What the contract's tables say of a set of events, computed the long way, by nothing of ours.

Events are dictionaries as chatbots post them, with `at` (ranked_at, in ms) beside.
"""

from typing import Any

MAX_MS = 2**42 - 1
TIER = 2**42
PRIORITIES = ["urgent", "high", "normal", "low"]


def expected(events: list[dict[str, Any]], thread: str, handoff_only: bool) -> dict[str, Any]:
    """Facts, pages, scores and what stands on the row of a thread."""
    mine = [event for event in events if event.get("thread") == thread]
    clients = [event for event in mine if event.get("role") == "client"]
    answers = [event for event in mine if event.get("role") == "admin" and not event.get("private")]
    closes = [event["at"] for event in mine if event["type"] == "thread.close"]
    reopens = [event["at"] for event in mine if event["type"] == "thread.reopen"]
    handoffs = [event["at"] for event in mine if event["type"] == "thread.handoff"]
    calls = handoffs + ([] if handoff_only else [event["at"] for event in clients])

    last_client = max([event["at"] for event in clients], default=-1)
    last_admin = max([event["at"] for event in answers], default=-1)
    closed_at, reopened_at = max(closes, default=-1), max(reopens, default=-1)
    closed = closed_at > max(last_client, reopened_at, max(handoffs, default=-1))
    settled = max(last_admin, -1 if reopened_at > closed_at else closed_at)
    waiting = min([at for at in calls if at > settled], default=None)
    if closed:
        waiting = None
    recent = last_client if clients else min(event["at"] for event in mine)

    person = _last(mine, lambda event: event.get("customer", {}).get("id"))
    fields = {
        name: _last(
            [event for event in events if event.get("customer", {}).get("id", "") == person],
            lambda event, name=name: event["customer"].get(name),
            default=default,
        )
        for name, default in (("name", None), ("member_status", -1))
    }
    status = fields["member_status"] if person is not None else -1
    priority = _last(mine, lambda event: event.get("priority"), default="normal")
    preview = _last(
        [event for event in mine if event["type"] == "message"],
        lambda event: (
            None
            if event["role"] == "admin" and event.get("private")
            else (event["role"], event["body"], event["at"])
        ),
    )
    facts = {
        "closed": closed,
        "waiting": waiting,
        "recent": recent,
        "answered": bool(answers),
        "first_call": min(calls, default=None),
        "status": status,
        "priority": priority,
    }
    return {
        "open": not closed,
        "waiting_since": waiting,
        "recent_at": recent,
        "answered": bool(answers),
        "unanswered": sum(event["at"] > settled for event in clients),
        "priority": priority,
        "customer": (person, fields["name"], status) if person is not None else None,
        "preview": preview,
        "scores": _scores(**facts),
    }


def _last(events: list[dict[str, Any]], said, default: Any = None) -> Any:
    """What the last writer said, of those who said something."""
    told = [(event["at"], event["id"], said(event)) for event in events]
    told = [entry for entry in told if entry[2] is not None]
    return max(told, key=lambda entry: entry[:2])[2] if told else default


def _scores(closed, waiting, recent, answered, first_call, status, priority) -> list[int]:
    newest = MAX_MS - recent
    level = PRIORITIES.index(priority)
    return [
        newest,
        waiting if waiting is not None else TIER + newest,
        first_call if not answered and first_call is not None else TIER + newest,
        (10 if status == -1 else status) * TIER + newest,
        2 * level * TIER + waiting if waiting is not None else (2 * level + 1) * TIER + newest,
    ]
