"""The tables of the contract once more, written for themselves: events to plain tuples."""

from scoring.facts import Facts, ThreadEvent

PRIORITIES = ["urgent", "high", "normal", "low"]


def times(events: list[ThreadEvent], *kinds: str) -> list[int]:
    return sorted(event.ranked_at for event in events if event.kind in kinds)


def last(moments: list[int]) -> int | None:
    return moments[-1] if moments else None


def first(moments: list[int]) -> int | None:
    return moments[0] if moments else None


def facts(events: list[ThreadEvent], handoff_only: bool) -> dict:
    """Each row of the table of facts."""
    clients = times(events, "client")
    calls = times(events, "handoff") if handoff_only else times(events, "client", "handoff")
    last_client, last_admin = last(clients), last(times(events, "admin"))
    closed_at, reopened_at = last(times(events, "close")), last(times(events, "reopen"))
    handoff_at = last(times(events, "handoff"))
    opening = [at for at in (last_client, reopened_at, handoff_at) if at is not None]
    closed = closed_at is not None and all(closed_at > at for at in opening)
    undone = closed_at is not None and reopened_at is not None and reopened_at > closed_at
    settling = [last_admin, None if undone else closed_at]
    settled = max((at for at in settling if at is not None), default=-1)
    waiting = None if closed else first([at for at in calls if at > settled])
    return {
        "last_client_at": last_client,
        "last_admin_at": last_admin,
        "answered": last_admin is not None,
        "closed_at": closed_at,
        "reopened_at": reopened_at,
        "handoff_at": handoff_at,
        "closed": closed,
        "settled_at": None if settled == -1 else settled,
        "waiting_since": waiting,
        "first_call_at": first(calls),
        "unanswered": len([at for at in clients if at > settled]),
        "recent_at": last_client if clients else min((e.ranked_at for e in events), default=0),
    }


def standing(sort: str, facts: Facts) -> tuple[int, int]:
    """(tier, time) of a thread, so that plain tuples compare as threads stand; the time of
    newest first is negative."""
    waiting, newest = facts.waiting_since, -facts.recent_at
    if sort == "arrival":
        return 0, newest
    if sort == "longest_wait":
        return (1, newest) if waiting is None else (0, waiting)
    if sort == "unanswered_first":
        asked_in_vain = not facts.answered and facts.first_call_at is not None
        return (0, facts.first_call_at) if asked_in_vain else (1, newest)
    if sort == "member_status":
        return (10 if facts.member_status == -1 else facts.member_status), newest
    assert sort == "priority", f"the contract has no sort {sort}"
    tier = 2 * PRIORITIES.index(facts.priority)
    return (tier + 1, newest) if waiting is None else (tier, waiting)


def pages(facts: dict) -> set[str]:
    if facts["closed"]:
        return {"history"}
    return {"arrival"} if facts["waiting_since"] is None else {"arrival", "not_respond"}
