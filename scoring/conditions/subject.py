"""What conditions and sorts know of a thread."""

from typing import NamedTuple

#: The most urgent first.
PRIORITIES = ("urgent", "high", "normal", "low")
#: Values of `member_status`: 0 to 5 for members, -1 for a customer who is not a member.
MEMBER_STATUSES = (-1, 0, 1, 2, 3, 4, 5)


class Subject(NamedTuple):
    """The values of one thread that conditions and sorts read; times in milliseconds, None where
    never.

    `unanswered`: never answered, and somebody asked. `closed_at` is the time of the close in
    effect, None while the thread is open; `snoozed_until` is None unless it is snoozed. `last_role`
    is the role of the last public message.
    `tags` may be empty, and is never None; so is `mentioned`, the ids, as texts, of the admins who
    are mentioned in notes that they have not read.
    `member_status` is -1 for a customer who is not a member, and without a customer.
    """

    closed: bool = False
    answered: bool = False
    unanswered: bool = False
    snoozed: bool = False
    assignee_id: int | None = None
    priority: str = "normal"
    member_status: int = -1
    source: str = ""
    locale: str | None = None
    last_role: str | None = None
    waiting_since: int | None = None
    last_client_at: int | None = None
    first_event_at: int | None = None
    closed_at: int | None = None
    due_at: int | None = None
    first_request_at: int | None = None
    assigned_at: int | None = None
    snoozed_until: int | None = None
    tags: frozenset[str] = frozenset()
    desk: str = ""
    mentioned: frozenset[str] = frozenset()
