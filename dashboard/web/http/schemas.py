"""Models of answers that both APIs share; see `Answer`."""

from typing import Annotated, Any, Literal

from pydantic import Field

from dashboard.validation.fields import Answer, Milliseconds, Person, Priority, Role


def absent() -> Any:
    """Returns the default of a member that may be omitted, but is never null."""
    return None


Absent = Field(default_factory=absent)
ThreadId = Annotated[int, Field(description="Lineup's id of the thread.")]


class ProblemError(Answer):
    """One mistake."""

    pointer: Annotated[str, Field(description="A JSON pointer (RFC 6901).")]
    code: str
    detail: str


class Problem(Answer):
    """RFC 9457 problem details."""

    type: Annotated[str, Field(pattern="^/problems/[a-z0-9_]+$")]
    title: str
    status: int
    code: Annotated[str, Field(description="What went wrong, for programs.")]
    detail: Annotated[str, Field(description="What went wrong, for people.")]
    instance: Annotated[str, Field(description="The path that was called.")] = Absent
    errors: list[ProblemError]


MistakeAt = Annotated[int, Field(description="The first wrong character, counted from 0.")]
Expected = Annotated[list[str], Field(description="The valid input at that place.")]


class QueryError(ProblemError):
    """A mistake; `at` and `expected` with `invalid_query`."""

    at: MistakeAt = Absent
    expected: Expected = Absent


class QueryProblem(Problem):
    """A problem with the place of a mistake in a query."""

    errors: list[QueryError]  # type: ignore[assignment]
    pointer: Annotated[str, Field(description="With `invalid_query`.")] = Absent
    at: MistakeAt = Absent
    expected: Expected = Absent


class RowCustomer(Answer):
    """The customer of a thread."""

    id: Annotated[str, Field(description="Your id of the customer.")]
    name: str | None
    avatar_url: str | None
    member_status: Annotated[int, Field(ge=-1, le=5)]
    locale: str | None


class Preview(Answer):
    """The last message of a thread; the body of a deleted one is empty."""

    role: Role
    body: Annotated[str, Field(max_length=140)]
    at: Milliseconds
    deleted: Literal[True] = Absent


class Snooze(Answer):
    """The end of a snooze, and the admin who set it; with `reply`, also ended by a message."""

    until: Milliseconds
    wake: Literal["reply", "never"]
    by: Person


class Woken(Answer):
    """The reason why a snooze ended; `by` is the admin who had snoozed the thread."""

    at: Milliseconds
    reason: Literal["time", "reply", "admin"]
    by: Person


class Last(Answer):
    """The author of the newest message; `by` is the admin who wrote it on the dashboard."""

    role: Role
    by: Person | None


class Row(Answer):
    """A thread as dashboards show it."""

    id: ThreadId
    rev: Annotated[int, Field(description="Grows by one with each change of the thread.")]
    thread: Annotated[str, Field(description="Your id of the thread.")]
    source: str
    customer: RowCustomer | None
    preview: Preview | None
    open: bool
    priority: Priority
    recent_at: Milliseconds
    waiting_since: Milliseconds | None
    answered: bool
    unanswered: Annotated[
        int, Field(description="Messages of the customer since the last answer.", ge=0)
    ]
    last_message_id: Annotated[
        int | None, Field(description="The newest message stored; notes do not count.")
    ]
    last: Annotated[Last | None, Field(description="The newest message by time, without notes.")]
    assignee: Person | None
    due_at: Annotated[
        int | None, Field(description="The due time for an answer (ms); null if nobody waits.")
    ]
    tags: Annotated[list[str], Field(description="In order.")]
    desk: str
    snooze: Annotated[Snooze | None, Field(description="Null if it is not snoozed.")]
    woken: Annotated[
        Woken | None, Field(description="Present until it is answered, closed or snoozed again.")
    ]


class MessageAttachment(Answer):
    """A file of a message."""

    url: str
    type: str | None
    name: str | None


class Delivery(Answer):
    """The progress of a reply on its way to the customer."""

    state: Literal["queued", "failed", "delivered", "read"]
    to: Literal["bot", "customer"]
    attempts: int
    at: Milliseconds
    v: Annotated[int, Field(description="Grows with each change.")]


class Edit(Answer):
    """The last edit of a message by the customer or the chatbot, or its deletion."""

    at: Milliseconds
    deleted: Annotated[bool, Field(description="Its body is empty, and it has no attachments.")]
    v: Annotated[int, Field(description="Grows with each edit.")]


class Message(Answer):
    """A message of a conversation."""

    id: int
    thread_id: ThreadId
    role: Role
    author: Person | None
    body: str
    attachments: list[MessageAttachment]
    private: bool
    at: Milliseconds
