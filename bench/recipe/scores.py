"""The recipe's scores: floats, as people usually write them. Lower ones stand higher up."""

from scoring.facts import Facts

#: Added to put one kind before the other. A double has 53 bits, so times beside this keep only
#: steps of half an hour, or of hours.
FAR = 2.0**63


def arrival(facts: Facts) -> float:
    return -float(facts.recent_at)


def longest_wait(facts: Facts) -> float:
    if facts.waiting_since is not None:
        return float(facts.waiting_since) - FAR
    return -float(facts.recent_at)


def unanswered_first(facts: Facts) -> float:
    if facts.last_admin_at is None:
        return -FAR - facts.recent_at
    return -float(facts.recent_at)


def member_status(facts: Facts) -> float:
    status = 10 if facts.member_status == -1 else facts.member_status
    return status - facts.recent_at / FAR


def priority(facts: Facts) -> float:
    rank = ("urgent", "high", "normal", "low").index(facts.priority)
    return rank - facts.recent_at / FAR


def next_due(facts: Facts) -> float:
    return longest_wait(facts)


SORTS = {
    function.__name__: function
    for function in (arrival, longest_wait, unanswered_first, member_status, priority, next_due)
}


def views_of(facts: Facts) -> tuple[str, ...]:
    if facts.closed:
        return ("history",)
    return ("arrival",) if facts.waiting_since is None else ("arrival", "not_respond")


def placed(facts: Facts) -> dict[str, float]:
    """Returns the sorted sets that hold the thread, with its score in each."""
    return {
        f"list:{view}:{sort}": score(facts)
        for view in views_of(facts)
        for sort, score in SORTS.items()
    }


ALL_LISTS = tuple(f"list:{p}:{s}" for p in ("arrival", "not_respond", "history") for s in SORTS)
