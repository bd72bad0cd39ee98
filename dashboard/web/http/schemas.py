"""Models of what both APIs answer; see `Answer`."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from dashboard.validation.fields import Priority, Role


def _open_schema(schema: dict[str, Any]) -> None:
    """Later versions may add members: the published schema does not forbid them."""
    schema.pop("additionalProperties", None)


def absent() -> Any:
    """The default of a member that may be left out, but is never null."""
    return None


class Answer(BaseModel):
    """A JSON object with exactly these members.

    Answers are built as plain dictionaries, for speed; the tests validate each one against its
    model, and the OpenAPI document is generated from the models.
    """

    model_config = ConfigDict(strict=True, extra="forbid", json_schema_extra=_open_schema)


Milliseconds = Annotated[int, Field(description="Milliseconds since 1970 (UTC).")]
Absent = Field(default_factory=absent)
ThreadId = Annotated[int, Field(description="Lineup's id of the thread.")]


class ProblemError(Answer):
    """One thing that is wrong."""

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


class RowCustomer(Answer):
    """The customer of a thread."""

    id: Annotated[str, Field(description="Your id of the customer.")]
    name: str | None
    avatar_url: str | None
    member_status: Annotated[int, Field(ge=-1, le=5)]
    locale: str | None


class Preview(Answer):
    """The last message of a thread."""

    role: Role
    body: Annotated[str, Field(max_length=140)]
    at: Milliseconds


class Person(Answer):
    """An admin."""

    id: int
    name: str


class Snooze(Answer):
    """Until when a thread is snoozed, and by whom; `reply`: or until the customer writes."""

    until: Milliseconds
    wake: Literal["reply", "never"]
    by: Person


class Woken(Answer):
    """How a snooze ended; `by` is who had snoozed the thread."""

    at: Milliseconds
    reason: Literal["time", "reply", "admin"]
    by: Person


class Last(Answer):
    """Who wrote the newest message; `by` is the admin who wrote it on the dashboard."""

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
    last: Annotated[Last | None, Field(description="Of the newest by time; notes do not count.")]
    assignee: Person | None
    due_at: Annotated[
        int | None,
        Field(description="By when it is to be answered (ms); null where nobody waits."),
    ]
    tags: Annotated[list[str], Field(description="In order.")]
    desk: str
    snooze: Annotated[Snooze | None, Field(description="Null where it is not snoozed.")]
    woken: Annotated[
        Woken | None,
        Field(description="Until it is answered, closed or snoozed again."),
    ]


class ActContent(Answer):
    """What an act on a thread has changed, or a moment that came."""

    priority: Annotated[Priority, Field(description="With `thread.priority_changed`.")] = Absent
    added: Annotated[
        list[str], Field(description="With `thread.tags_changed`: tags that it got.")
    ] = Absent
    removed: Annotated[
        list[str], Field(description="With `thread.tags_changed`: tags that it lost.")
    ] = Absent
    assignee: Annotated[
        Person | None, Field(description="With `thread.assigned` and `thread.released`.")
    ] = Absent
    desk: Annotated[str, Field(description="With `thread.desk_changed`.")] = Absent
    until: Annotated[Milliseconds, Field(description="With `thread.snoozed`.")] = Absent
    wake: Annotated[
        Literal["reply", "never"],
        Field(description="With `thread.snoozed`: whether the customer's message wakes it, too."),
    ] = Absent
    reason: Annotated[
        Literal["time", "reply", "admin"], Field(description="With `thread.woken`.")
    ] = Absent
    due_at: Annotated[
        Milliseconds, Field(description="With `thread.due`: by when it was to be answered.")
    ] = Absent
    waiting_since: Annotated[Milliseconds, Field(description="With `thread.due`.")] = Absent
    policy: Annotated[str, Field(description="With `thread.due`: the policy's name.")] = Absent
    target: Annotated[
        Literal["first_reply", "next_reply"], Field(description="With `thread.due`.")
    ] = Absent


class MessageAttachment(Answer):
    """A file of a message."""

    url: str
    type: str | None
    name: str | None


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
