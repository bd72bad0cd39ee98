"""A thread that is being written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from dashboard.db.threads.customers import NO_CUSTOMER, RankedValues
from dashboard.db.threads.thread_tags import SETS_AT, tags_in
from scoring.conditions.subject import Subject, said_by_columns
from scoring.facts import Facts, ThreadEvent

#: Whether the customer's next message ends a snooze, too.
Wake = Literal["reply", "never"]
#: The end of a snooze: at its moment, by the customer's next message, or by an admin.
Reason = Literal["time", "reply", "admin"]


@dataclass(slots=True)
class ThreadColumns:
    """The columns of a thread that hold no facts and are not computed from others.

    Times in milliseconds. `stamps` are those of `last_writer`; `tags` and `mentioned` are texts of
    `thread_tags.in_column`. The table `threads` says what each means.
    """

    customer_id: int | None
    assignee_id: int | None
    assigned_at: int | None
    last_message_id: int | None
    preview_role: str | None
    preview_body: str | None
    preview_at: int | None
    preview_event_id: int | None
    last_role: str | None
    stamps: Mapping[str, Any]
    snoozed_at: int | None
    snoozed_by_id: int | None
    wake: Wake | None
    woken_at: int | None
    woken_reason: Reason | None
    due_version: int
    due_told_for: int | None
    tags: str | None
    desk: str
    mentioned: str | None


class Computed(NamedTuple):
    """Columns of a thread that are computed when it is saved; the scores follow them."""

    recent_at: int
    waiting_since: int | None
    archived: bool
    listed_at: int
    next_change_at: int | None


@dataclass(slots=True)
class ThreadState:
    """A locked thread: change `facts` and `columns`, then `save`.

    `facts.member_status` is the customer's, as in `customer`. `events` are the new ones, to be
    folded. `stored`, `before` and `computed_before` are facts and columns as they are in SQL, and
    `values` all of these in the order in which they are written; `customer_before` is the customer
    as it was before this transaction.
    """

    id: int
    source_id: int
    external_id: str
    revision: int
    facts: Facts
    stored: Facts
    columns: ThreadColumns
    before: ThreadColumns
    computed_before: Computed
    values: Sequence[Any]
    customer: RankedValues = NO_CUSTOMER
    customer_before: RankedValues = NO_CUSTOMER
    #: The thread's row or conversation changed, although no column of the thread did: it gets a new
    #: revision all the same.
    row_changed: bool = False
    events: list[ThreadEvent] = field(default_factory=list)

    def is_due(self, now_ms: int) -> bool:
        """Whether time has changed anything about the thread."""
        next_change_at = self.computed_before.next_change_at
        return next_change_at is not None and next_change_at <= now_ms

    def moment(self, now_ms: int) -> int:
        """Returns the moment of the write: never before the last one, even if clocks differ."""
        return max(now_ms, self.computed_before.listed_at)

    def act_at(self, now_ms: int) -> int:
        """Returns the time of an admin's act that is stored now: later than all stored events of
        the thread. Its author read the clock before the thread was locked, and clocks differ by
        some milliseconds; an act that seemed earlier would settle less than its author had seen."""
        facts, stamps = self.facts, self.columns.stamps
        moments = (
            facts.last_client_at,
            facts.last_admin_at,
            facts.handoff_at,
            facts.closed_at,
            facts.reopened_at,
            *(at for at, _ in stamps.values()),
        )
        return max([now_ms, *(at + 1 for at in moments if at is not None)])

    def subject(self, source: str) -> Subject:
        """Returns the subject of its conditions; `source` is the name of its source."""
        return _subject(source, self.facts, self.columns, self.customer)

    def subject_before(self, source: str) -> Subject:
        """Returns the subject as it was before this transaction."""
        return _subject(source, self.stored, self.before, self.customer_before)


def _subject(source: str, facts: Facts, columns: ThreadColumns, customer: RankedValues) -> Subject:
    if facts.member_status != customer.member_status:
        facts = facts._replace(member_status=customer.member_status)
    others = [*said_by_columns(columns), customer.locale, source]
    for at in SETS_AT:
        others[at] = tags_in(others[at])
    return facts.subject(*others)
