"""Generated events: few moments, so that ties are common, and the ends of the range."""

from hypothesis import strategies as st

from scoring.composite import TIME_MAX_MS
from scoring.facts import Facts, ThreadEvent, fold
from scoring.sorts import MEMBER_STATUSES, PRIORITIES

KINDS = ["client", "admin", "note", "other", "handoff", "close", "reopen"]

moments = st.integers(1, 9) | st.sampled_from([0, 1_790_000_000_000, TIME_MAX_MS - 1, TIME_MAX_MS])
events = st.builds(ThreadEvent, st.sampled_from(KINDS), moments)
event_lists = st.lists(events, max_size=12)


@st.composite
def thread_facts(draw) -> Facts:
    """Facts as some set of events gives them, with any priority and status."""
    folded = fold(draw(event_lists), handoff_only=draw(st.booleans()))
    priority = draw(st.sampled_from(PRIORITIES))
    return Facts(
        **{name: getattr(folded, name) for name in Facts.__slots__}
        | {"priority": priority, "member_status": draw(st.sampled_from(MEMBER_STATUSES))}
    )
