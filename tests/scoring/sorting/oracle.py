"""docs/requirements/sorts.md, written independently: rules and a thread to its place.

It reads conditions by the oracle of conditions, and knows nothing of the compiler of rules.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from scoring.sorting.rules import Rule
from tests.scoring.conditions import oracle, worlds
from tests.scoring.conditions.oracle import World

TIMES = [
    "recent_at",
    "waiting_since",
    "first_request_at",
    "due_at",
    "created_at",
    "closed_at",
    "assigned_at",
]
SPLITS = {"priority": ["urgent", "high", "normal", "low"], "member": [0, 1, 2, 3, 4, 5, -1]}
NAMES_ADMINS = re.compile(r"assigned:|mentions:(?!none(?![,\w]))", re.IGNORECASE)
ATTRIBUTES = {"priority": "priority", "member": "member_status"}


def time_of(by: str, thread: Mapping[str, Any]) -> int:
    """Returns a time of the thread; 0 if it has none, which checked rules never use."""
    if by == "recent_at":
        return thread["last_client_at"] or thread["first_event_at"] or 0
    if by == "created_at":
        return thread["first_event_at"] or 0
    if by == "closed_at" and not thread["closed"]:
        return 0
    return thread[by] or 0


def score(rules: Sequence[Rule], thread: Mapping[str, Any], world: World) -> int:
    """Returns the tier times 2^42, plus the time, or 2^42 - 1 minus the time."""
    tier = 0
    for number, rule in enumerate(rules, start=1):
        if number == len(rules) or oracle.holds(rule.when, thread, world):
            if rule.split is not None:
                tier += SPLITS[rule.split].index(thread[ATTRIBUTES[rule.split]])
            time = time_of(rule.by, thread)
            return tier * 2**42 + (time if rule.order == "oldest" else 2**42 - 1 - time)
        tier += 1 if rule.split is None else len(SPLITS[rule.split])
    raise AssertionError("there are no rules")


def rule_lists(world: World) -> st.SearchStrategy[tuple[Rule, ...]]:
    """Rules as they may be written, whether or not each can be reached."""
    # A sort has no viewer, so it does not know `me`; these tests know no address.
    when = worlds.texts(world).filter(lambda text: not NAMES_ADMINS.search(text))
    made = st.builds(
        Rule,
        when,
        st.sampled_from(TIMES),
        st.sampled_from(["oldest", "newest"]),
        st.none() | st.sampled_from(["priority", "member"]),
        st.just(""),
        st.none(),
    )
    return st.lists(made, min_size=1, max_size=5).map(tuple)
