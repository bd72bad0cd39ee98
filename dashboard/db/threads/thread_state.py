"""A thread that is being written."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dashboard.db.threads.customers import NO_CUSTOMER, RankedValues
from dashboard.db.threads.thread_tags import tags_in
from scoring.conditions.subject import Subject
from scoring.facts import Facts, ThreadEvent
from scoring.subjects import subject_of


@dataclass(slots=True)
class ThreadState:
    """A locked thread: change `facts` and `columns` (those that hold no facts), then `save`.

    `facts.member_status` is the customer's, as in `customer`. `events` are the new ones, to be
    folded. `stored` and `before` are the facts and all columns as they are in SQL;
    `customer_before` is the customer as it was before this transaction.
    """

    id: int
    source_id: int
    external_id: str
    revision: int
    facts: Facts
    stored: Facts
    columns: dict[str, Any]
    before: dict[str, Any]
    customer: RankedValues = NO_CUSTOMER
    customer_before: RankedValues = NO_CUSTOMER
    #: The row on dashboards or the conversation changed, though no column of the thread did: the
    #: thread gets a new revision all the same.
    row_changed: bool = False
    events: list[ThreadEvent] = field(default_factory=list)

    def is_due(self, now_ms: int) -> bool:
        """Whether time has changed anything of the thread."""
        next_change_at = self.before["next_change_at"]
        return next_change_at is not None and next_change_at <= now_ms

    def moment(self, now_ms: int) -> int:
        """As of when it is written: never before it was last looked at, whatever clocks say."""
        return max(now_ms, int(self.before["listed_at"]))

    def subject(self, source: str) -> Subject:
        """What conditions know of it; `source` is the name of its source."""
        return _subject(source, self.facts, self.columns, self.customer)

    def subject_before(self, source: str) -> Subject:
        """The same before this transaction."""
        return _subject(source, self.stored, self.before, self.customer_before)


def _subject(
    source: str, facts: Facts, columns: Mapping[str, Any], customer: RankedValues
) -> Subject:
    return subject_of(
        facts._replace(member_status=customer.member_status),
        assignee_id=columns["assignee_id"],
        assigned_at=columns["assigned_at"],
        source=source,
        locale=customer.locale,
        last_role=columns["last_role"],
        tags=tags_in(columns["tags"]),
        desk=columns["desk"],
        mentioned=tags_in(columns["mentioned"]),
    )
