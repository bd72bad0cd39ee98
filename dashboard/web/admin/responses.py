"""The answers of the dashboard's API: one model for each JSON answer."""

from typing import Annotated, Any, Literal, Union

from pydantic import Field, create_model

from dashboard.db.accounts.admins import ROLES
from dashboard.event_types import ACT_MEMBERS, ACT_TYPES
from dashboard.validation import fields
from dashboard.validation.fields import Role
from dashboard.web.admin.preferences import PreferencesRequest
from dashboard.web.http import schemas
from dashboard.web.http.schemas import Absent, Answer, Milliseconds, Person, ThreadId


class DueExplanation(Answer):
    """The reason for a thread's due time: so many minutes of opening time since the wait began."""

    due_at: Milliseconds
    policy: Annotated[str, Field(description="The name of the first policy that holds.")]
    calendar: Annotated[str, Field(description="The name of its opening hours.")]
    timezone: str
    target: Literal["first_reply", "next_reply"]
    minutes: int
    since: Milliseconds


AdminRole = Literal[ROLES]  # type: ignore[valid-type]
_PREFERENCES: Any = {
    name: (field.annotation, ...) for name, field in PreferencesRequest.model_fields.items()
}
#: All preferences: each has a value, chosen or by default.
Preferences: Any = create_model("Preferences", __base__=Answer, **_PREFERENCES)


class Me(Answer):
    """The signed-in admin."""

    id: int
    name: str
    email: str
    role: AdminRole
    preferences: Preferences


class Customer(schemas.RowCustomer):
    """A customer."""

    id: Annotated[str, Field(description="SOURCE/ID, with the source's id of the customer.")]


class Row(schemas.Row):
    """A thread as a list shows it."""

    customer: Customer | None
    queue: Annotated[
        int | None,
        Field(description="The queue that gave it to its assignee, if the reader sees the queue."),
    ]


class Rows(Answer):
    """The rows asked for, in the order of the ids, and the ids of threads that do not exist."""

    rows: list[Row]
    missing: list[ThreadId]


class ChangedRow(Answer):
    """The row after the action, and the id by which the action can be undone."""

    row: Annotated[Row | None, Field(description="Null if the admin does not see its desk.")]
    act: Annotated[int | None, Field(description="Null if nothing changed.")]


class Mention(Answer):
    """A colleague that a note mentions, and the name by which it does."""

    id: int
    name: str


class Message(schemas.Message):
    """A message of a conversation; `delivery` if it goes to the customer."""

    delivery: schemas.Delivery | None
    edit: schemas.Edit = Absent
    mentions: Annotated[list[Mention], Field(description="The mentions in a note.")] = Absent


def _member(name: str) -> Any:
    """Returns the types of a member of acts and its default, as pydantic takes them."""
    types = ACT_MEMBERS[name]
    about = types[0].members[name].about
    names = " and ".join(f"`{type.name}`" for type in types) + (about and f": {about}")
    any_type: Any = Union[tuple(type.members[name].type for type in types)]  # noqa: UP007
    return Annotated[any_type, Field(description=f"With {names}.")], Absent


_MEMBERS = {name: _member(name) for name in ACT_MEMBERS}
_ActContent: Any = create_model("_ActContent", __base__=Answer, **_MEMBERS)


class Act(_ActContent):
    """An act on a thread; `by` is null for acts of the chatbot, the customer or time."""

    id: int
    type: Literal[tuple(sorted(ACT_TYPES))]  # type: ignore[valid-type]
    at: Milliseconds
    by: Person | None
    cause: Annotated[
        Literal["message", "handoff"],
        Field(description="With `thread.reopened` by a customer's message or a handoff."),
    ] = Absent
    note: Annotated[
        str, Field(description="With `thread.released`: the admin's reason, for colleagues.")
    ] = Absent
    previous: Annotated[
        Person, Field(description="With `thread.released`: the admin who had the thread.")
    ] = Absent


class Messages(Answer):
    """A part of a conversation, newest last; whether there are earlier and later messages."""

    messages: list[Message]
    acts: Annotated[list[Act], Field(description="The acts between these messages.")]
    more: bool
    later: bool


class OneMessage(Answer):
    """The message as it is stored."""

    message: Message


class ActionProblem(schemas.Problem):
    """A problem, with the messages or the admin that stand in the way of the action."""

    unseen: Annotated[list[Message], Field(description="With `conversation_moved`.")] = Absent
    assignee: Annotated[Person, Field(description="With `already_claimed`.")] = Absent
    assigned_at: Annotated[Milliseconds | None, Field(description="With `assignee`.")] = Absent
    by: Annotated[
        Person | None, Field(description="With `done_meanwhile`; null for the chatbot.")
    ] = Absent


class BulkResult(Answer):
    """The result for one thread."""

    id: ThreadId
    status: Literal["done", "rejected"]
    act: Annotated[int | None, Field(description="To undo it; null if nothing changed.")] = Absent
    problem: ActionProblem = Absent


class BulkResults(Answer):
    """A result for each thread, in the order of the ids."""

    results: list[BulkResult]


class UndoneAct(Answer):
    """The result for one act; `row` is the current row of its thread, null if the admin does not
    see its desk."""

    act: int
    status: Literal["done", "rejected"]
    row: Row | None = Absent
    problem: ActionProblem = Absent


class UndoneActs(Answer):
    """A result for each act, in the order of the ids."""

    results: list[UndoneAct]


class QueueAdmin(Answer):
    """An admin in the explanation of a queue; load and capacity are null for a reader who does not
    see all threads of the admin."""

    id: int
    name: str
    standing: Annotated[
        str,
        Field(
            alias="is",
            description="`given`, `free`, `released`, `at_capacity`, `not_accepting` or a status.",
        ),
    ]
    load: int | None
    capacity: int | None


class QueueExplanation(Answer):
    """The reason why a queue gave the thread to its admin, or why it still waits there."""

    queue: fields.Queue
    admin: Annotated[fields.Person | None, Field(description="Null: it waits.")]
    at: Annotated[Milliseconds | None, Field(description="The time of the hand-out.")]
    pulled: Annotated[bool, Field(description="The admin asked for it.")]
    admins: Annotated[list[QueueAdmin], Field(description="The one who got it first.")]
    others: Annotated[int, Field(description="Admins of the queue that are not named.")]
    position: Annotated[int | None, Field(description="Its place in the queue, from 1 on.")]
    of: Annotated[int | None, Field(description="Threads that wait in the queue.")]


class Explanation(Answer):
    """The reason for a thread's place on a list."""

    rule: str
    tier: int
    fact: Annotated[str, Field(description="The name of the fact that the rule orders by.")]
    value: Annotated[int, Field(description="The value of the fact.")]
    score: int
    rank: Annotated[int | None, Field(description="From 0; null if it is not on the list.")]
    total: Annotated[int, Field(description="The number of threads on the list.")]
    due: Annotated[
        DueExplanation | None,
        Field(description="Null if it is not due, or policies have just changed."),
    ]
    queue: Annotated[
        QueueExplanation | None, Field(description="Null if no queue hands the thread out.")
    ]


_Marks = list[Annotated[list[int], Field(min_length=2, max_length=2)]]


class Match(Answer):
    """The newest matching message of a thread; `marks` are [from, to) in code points."""

    id: int
    role: Role
    private: bool
    at: Milliseconds
    excerpt: str
    marks: _Marks


class ThreadMatch(Answer):
    """A matching message.

    `marks` are [from, to) in code points of its body and the names of its attachments, without
    empty ones, joined by line feeds.
    """

    id: int
    at: Milliseconds
    marks: _Marks


class ThreadMatches(Answer):
    """The matching messages of a thread, in the order of the conversation, and their number."""

    matches: Annotated[list[ThreadMatch], Field(description="At most 1,000, the newest.")]
    total: int


class SearchResult(Answer):
    """A thread; `message` is null if only the customer or the conditions match."""

    row: Row
    message: Match | None


class SearchResults(Answer):
    """A part of the results, newest first; `whole` is false if older threads may be missing."""

    results: list[SearchResult]
    total: int
    next: Annotated[str | None, Field(description="The next cursor; null at the end.")]
    whole: bool


class Attribute(Answer):
    """A short text about a customer; an https address is a link."""

    name: str
    value: str


class CustomerNote(Answer):
    """The note of the team on a customer, its last author and its time."""

    text: str
    by: Person
    at: Milliseconds


class ChangedNote(Answer):
    """The note after the change; null if it was deleted."""

    note: CustomerNote | None


class NoteProblem(schemas.Problem):
    """A problem, with the present note if somebody has changed it."""

    note: Annotated[
        CustomerNote | None, Field(description="With `changed_meanwhile`; null if deleted.")
    ] = Absent


class PanelCustomer(Customer):
    """A customer, the time since which Lineup has known them, what the chatbot tells, and the note
    of the team."""

    created_at: Milliseconds
    attributes: Annotated[list[Attribute], Field(description="Sorted by name.")]
    note: CustomerNote | None


class CustomerPanel(Answer):
    """The customer of a thread, their newest threads, and how many they have."""

    customer: PanelCustomer | None
    threads: list[Row]
    total: int


class CannedReply(Answer):
    """A canned reply."""

    id: int
    shortcut: str
    body: str
    updated_at: Milliseconds


class CannedReplies(Answer):
    """All canned replies, by shortcut."""

    canned: list[CannedReply]


class SeenCustomer(Answer):
    """A customer who was seen; unknown values are null."""

    id: str
    last_seen: Milliseconds
    colour: Literal["green", "yellow", "grey"]
    name: str | None
    avatar_url: str | None
    thread_id: Annotated[int | None, Field(description="Their newest thread.")]


class SeenCustomers(Answer):
    """A part of the customers who were seen, newest first."""

    customers: list[SeenCustomer]
    next: Annotated[str | None, Field(description="The next cursor; null at the end.")]
    total: Annotated[int, Field(description="The number on all pages, as of the first page.")]


class OpenedThread(Answer):
    """A thread that an admin has open."""

    id: ThreadId
    customer: Customer | None


class Member(Answer):
    """An admin, the threads that the admin reads, and the number of `arrival` threads that the
    admin has. Only threads that the caller sees count."""

    id: int
    name: str
    role: AdminRole
    desks: Annotated[list[str] | None, Field(description="The desks that they see; null: all.")]
    assigned: Annotated[int | None, Field(description="Null until the lists are built.")]
    load: Annotated[int, Field(description="Threads that count against the capacity.")]
    capacity: int
    accepting: Annotated[bool, Field(description="Queues may give the admin threads.")]
    given_at: Annotated[
        Milliseconds | None,
        Field(description="Null: none yet, or the reader does not see all threads of the admin."),
    ]
    threads: list[OpenedThread]


class Team(Answer):
    """All admins who may sign in, and the desks."""

    team: list[Member]
    desks: Annotated[list[str], Field(description="`main` first.")]
