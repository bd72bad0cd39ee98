"""The tables of docs/requirements/ordering.md, written independently: events to plain tuples."""

from scoring.facts import Facts, ThreadEvent

PRIORITIES = ["urgent", "high", "normal", "low"]


def times(events: list[ThreadEvent], *kinds: str) -> list[int]:
    return sorted(event.ranked_at for event in events if event.kind in kinds)


def last(moments: list[int]) -> int | None:
    return moments[-1] if moments else None


def first(moments: list[int]) -> int | None:
    return moments[0] if moments else None


def settles(act: ThreadEvent, request: ThreadEvent) -> bool:
    """Whether an act settles a request: through the API by its time alone; on the dashboard also
    only if the request was stored when its author looked."""
    seen = act.seen_id is None or request.id <= act.seen_id
    return seen and request.ranked_at <= act.ranked_at


def facts(events: list[ThreadEvent], handoff_only: bool) -> dict:
    """Returns each row of the table of facts."""
    undone = [event.undoes for event in events]
    events = [event for event in events if event.undoes is None and event.id not in undone]
    clients = times(events, "client")
    calling = ("handoff",) if handoff_only else ("client", "handoff")
    requests = times(events, *calling)
    last_client, last_admin = last(clients), last(times(events, "admin"))
    closed_at, reopened_at = last(times(events, "close")), last(times(events, "reopen"))
    closes = in_effect(events, reopened_at)
    acts = closes + [event for event in events if event.kind == "admin"]
    unsettled = [e for e in events if not any(settles(act, e) for act in acts)]
    closed = is_closed(events, closes, reopened_at)
    return {
        "last_client_at": last_client,
        "last_admin_at": last_admin,
        "answered": last_admin is not None,
        "closed_at": closed_at,
        "reopened_at": reopened_at,
        "handoff_at": last(times(events, "handoff")),
        "closed": closed,
        "settled_at": last(sorted(act.ranked_at for act in acts)),
        "waiting_since": None if closed else first(times(unsettled, *calling)),
        "first_request_at": first(requests),
        "unanswered": len(times(unsettled, "client")),
        "recent_at": last_client if clients else min((e.ranked_at for e in events), default=0),
    }


def in_effect(events: list[ThreadEvent], reopened_at: int | None) -> list[ThreadEvent]:
    """The closes that no later reopen undoes."""
    closes = [event for event in events if event.kind == "close"]
    return [close for close in closes if reopened_at is None or close.ranked_at >= reopened_at]


def is_closed(
    events: list[ThreadEvent], closes: list[ThreadEvent], reopened_at: int | None
) -> bool:
    """Whether a close is later than each reopen, and a close settles each event that opens a
    thread. After a tie with a close through the API the thread is open."""
    opening = [event for event in events if event.kind in ("client", "handoff")]
    later = [close for close in closes if reopened_at is None or close.ranked_at > reopened_at]
    return bool(later) and all(
        any(
            settles(close, event)
            and (close.seen_id is not None or event.ranked_at < close.ranked_at)
            for close in closes
        )
        for event in opening
    )


def standing(sort: str, facts: Facts) -> tuple[int, int]:
    """Returns (tier, time) of a thread: plain tuples compare as threads stand; the time of newest
    first is negative."""
    waiting, newest = facts.waiting_since, -facts.recent_at
    if sort == "next_due":
        if facts.due_at is not None:
            return 0, facts.due_at
        return (2, newest) if waiting is None else (1, waiting)
    if sort == "arrival":
        return 0, newest
    if sort == "longest_wait":
        return (1, newest) if waiting is None else (0, waiting)
    if sort == "unanswered_first":
        asked_in_vain = facts.last_admin_at is None and facts.first_request_at is not None
        return (0, facts.first_request_at) if asked_in_vain else (1, newest)
    if sort == "member_status":
        return (10 if facts.member_status == -1 else facts.member_status), newest
    assert sort == "priority", f"there is no sort {sort}"
    tier = 2 * PRIORITIES.index(facts.priority)
    return (tier + 1, newest) if waiting is None else (tier, waiting)


def views(facts: dict, snoozed_until: int | None = None) -> set[str]:
    if facts["closed"]:
        return {"history"}
    if snoozed_until is not None:
        return set()
    return {"arrival"} if facts["waiting_since"] is None else {"arrival", "not_respond"}
