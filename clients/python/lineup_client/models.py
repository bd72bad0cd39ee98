"""The types of the bot API, made by tools/clients.py from its OpenAPI document."""

from typing import Literal, NotRequired, TypedDict


class Accepted(TypedDict):
    """
    The whole request was accepted.
    """

    accepted: int


class Attachment(TypedDict):
    url: str
    type: NotRequired[str | None]
    name: NotRequired[str | None]


class CloseEvent(TypedDict):
    id: str
    occurred_at: str
    type: Literal["thread.close"]
    thread: str


class Customer(TypedDict):
    """
    A person; omitted members stay as they are, null deletes one.

    `attributes` replace all earlier ones; null leaves them as they are, and an empty object deletes
    them.
    """

    id: str
    name: NotRequired[str | None]
    member_status: NotRequired[int]
    locale: NotRequired[str | None]
    avatar_url: NotRequired[str | None]
    attributes: NotRequired[dict[str, str] | None]


class CustomerEvent(TypedDict):
    """
    Changed facts about a customer; they apply to all of the customer's threads.
    """

    id: str
    occurred_at: str
    type: Literal["customer"]
    customer: Customer


class DeletedEvent(TypedDict):
    """
    The customer or the chatbot deleted a message, for good. `message` is your id of its
    event.
    """

    id: str
    occurred_at: str
    type: Literal["message.deleted"]
    thread: str
    message: str


class Delivery(TypedDict):
    """
    The progress of a reply on its way to the customer.
    """

    state: Literal["queued", "failed", "delivered", "read"]
    to: Literal["bot", "customer"]
    attempts: int
    at: int
    v: int


class DurationsValue(TypedDict):
    """
    The number of durations, and their percentiles in milliseconds; null without any.
    """

    count: int
    p50: int | None
    p90: int | None
    p99: int | None


class Edit(TypedDict):
    """
    The last edit of a message by the customer or the chatbot, or its deletion.
    """

    at: int
    deleted: bool
    v: int


class EditedEvent(TypedDict):
    """
    The customer or the chatbot changed a message. `message` is your id of its event. The new
    content replaces the whole old one: repeat the attachments that stay.
    """

    id: str
    occurred_at: str
    body: NotRequired[str]
    attachments: NotRequired[list[Attachment]]
    type: Literal["message.edited"]
    thread: str
    message: str


class HandoffEvent(TypedDict):
    """
    The chatbot asks for an admin, at a desk if it names one. With `watch_place` it gets
    `thread.position` whenever the customer's place in line has changed; false ends that.
    """

    id: str
    occurred_at: str
    type: Literal["thread.handoff"]
    thread: str
    desk: NotRequired[str | None]
    watch_place: NotRequired[bool | None]


class HistogramBar(TypedDict):
    """
    The number of durations below a bound (ms), and not below the one before; null: no bound.
    """

    below: int | None
    count: int


class ListEntry(TypedDict):
    """
    A thread at its position.
    """

    id: int
    source: str
    thread: str
    score: int


class MessageAttachment(TypedDict):
    """
    A file of a message.
    """

    url: str
    type: str | None
    name: str | None


class MessageEvent(TypedDict):
    """
    A message in a thread; the body may be empty if something is attached.
    """

    id: str
    occurred_at: str
    body: NotRequired[str]
    attachments: NotRequired[list[Attachment]]
    type: Literal["message"]
    thread: str
    customer: Customer
    role: Literal["client", "admin", "bot", "system"]
    private: NotRequired[bool]


class Person(TypedDict):
    """
    An admin.
    """

    id: int
    name: str


class PresenceBeat(TypedDict):
    """
    A heartbeat of one of a customer's devices; the first one brings it online.
    """

    customer: str
    device: str
    type: NotRequired[Literal["web", "desktop", "mobile", "tablet", "http"]]
    active: NotRequired[bool]


class PresenceBeats(TypedDict):
    beats: list[PresenceBeat]


class PresenceCustomerData(TypedDict):
    """
    The state of one customer, as `presence` answers.
    """

    status: Literal["online", "away", "busy", "dnd", "offline"]
    last_seen: int | None
    devices: list[str]
    text: str
    activity: str
    at: int
    v: int
    customer: str


class PresenceDevice(TypedDict):
    customer: str
    device: str


class PresenceDevices(TypedDict):
    devices: list[PresenceDevice]


class PresenceSettings(TypedDict):
    """
    A person's settings; omitted ones stay, null resets them.
    """

    status: NotRequired[Literal["auto", "away", "busy", "dnd", "invisible"] | None]
    text: NotRequired[str | None]
    activity: NotRequired[str | None]
    until: NotRequired[str | int | None]
    visibility: NotRequired[Literal["everyone", "contacts", "nobody"] | None]
    show_last_seen: NotRequired[bool | None]
    show_typing: NotRequired[bool | None]


class PresenceTyping(TypedDict):
    """
    A customer is writing in a thread.
    """

    thread: str
    customer: str


class Preview(TypedDict):
    """
    The last message of a thread; the body of a deleted one is empty.
    """

    role: Literal["client", "admin", "bot", "system"]
    body: str
    at: int
    deleted: NotRequired[Literal[True]]


class PriorityEvent(TypedDict):
    id: str
    occurred_at: str
    type: Literal["thread.priority"]
    thread: str
    priority: Literal["urgent", "high", "normal", "low"]


class ProblemError(TypedDict):
    """
    One mistake.
    """

    pointer: str
    code: str
    detail: str


class QueryError(TypedDict):
    """
    A mistake; `at` and `expected` with `invalid_query`.
    """

    pointer: str
    code: str
    detail: str
    at: NotRequired[int]
    expected: NotRequired[list[str]]


class QueryProblem(TypedDict):
    """
    A problem with the place of a mistake in a query.
    """

    type: str
    title: str
    status: int
    code: str
    detail: str
    instance: NotRequired[str]
    errors: list[QueryError]
    pointer: NotRequired[str]
    at: NotRequired[int]
    expected: NotRequired[list[str]]


class Queue(TypedDict):
    """
    A queue, by the name of its view.
    """

    id: int
    name: str


class ReceiptEvent(TypedDict):
    """
    The delivery state of a message that was sent to the customer.
    """

    id: str
    occurred_at: str
    type: Literal["receipt"]
    message_id: int
    state: Literal["delivered", "read", "failed"]


class ReopenEvent(TypedDict):
    id: str
    occurred_at: str
    type: Literal["thread.reopen"]
    thread: str


class ReportPart(TypedDict):
    """
    A part of the whole: its number, and one for each step if they were asked for.
    """

    key: str
    name: str | None
    total: int | DurationsValue
    values: list[int | DurationsValue | None]


class Result(TypedDict):
    """
    The outcome of one event; `thread_id` if the event names a thread.
    """

    status: Literal["created", "duplicate"]
    id: str
    thread_id: NotRequired[int]


class RowCustomer(TypedDict):
    """
    The customer of a thread.
    """

    id: str
    name: str | None
    avatar_url: str | None
    member_status: int
    locale: str | None


class Seen(TypedDict):
    """
    A customer who was seen.
    """

    id: str
    last_seen: int
    colour: Literal["green", "yellow", "grey"]


class SeenPage(TypedDict):
    """
    A part of the customers who were seen, newest first.
    """

    customers: list[Seen]
    next: str | None
    total: int


class SetPresence(TypedDict):
    """
    The settings of a customer.
    """

    status: Literal["auto", "away", "busy", "dnd", "invisible"]
    text: str
    activity: str
    until: int | None
    visibility: Literal["everyone", "contacts", "nobody"]
    show_last_seen: bool
    show_typing: bool


class Snooze(TypedDict):
    """
    The end of a snooze, and the admin who set it; with `reply`, also ended by a message.
    """

    until: int
    wake: Literal["reply", "never"]
    by: Person


class State(TypedDict):
    """
    The presence of a person as others see it.
    """

    status: Literal["online", "away", "busy", "dnd", "offline"]
    last_seen: int | None
    devices: list[str]
    text: str
    activity: str
    at: int
    v: int


class States(TypedDict):
    """
    The state of every requested customer.
    """

    presence: dict[str, State]


class SuggestionEditedData(TypedDict):
    thread_id: int
    by: Person | None
    suggestion: str
    message_id: int
    body: str


class SuggestionEvent(TypedDict):
    """
    A reply that the chatbot suggests to admins; shown while `for_message` is the last message
    of the customer, the chatbot or an admin. It changes nothing else.
    """

    id: str
    occurred_at: str
    type: Literal["thread.suggestion"]
    thread: str
    body: str
    for_message: str | int


class SuggestionIgnoredData(TypedDict):
    thread_id: int
    by: Person | None
    suggestion: str
    reason: Literal["answered", "dismissed", "moved_on"]
    message_id: NotRequired[int]
    body: NotRequired[str]


class SuggestionUsedData(TypedDict):
    thread_id: int
    by: Person | None
    suggestion: str
    message_id: int
    body: str


class SummaryEvent(TypedDict):
    """
    A summary of the thread up to a message, shown above the conversation in place of earlier
    ones. It changes nothing else.
    """

    id: str
    occurred_at: str
    type: Literal["thread.summary"]
    thread: str
    body: str
    through: str | int


class TagsEvent(TypedDict):
    """
    Tags to add to the thread and to remove: at least one, without repetition.
    """

    id: str
    occurred_at: str
    type: Literal["thread.tags"]
    thread: str
    add: NotRequired[list[str]]
    remove: NotRequired[list[str]]


class TeamAssignee(TypedDict):
    """
    An admin with a thread of yours.
    """

    name: str
    status: Literal["online", "away", "busy", "dnd", "offline"]
    id: int


class TeamMember(TypedDict):
    """
    The admin who has the thread.
    """

    name: str
    status: Literal["online", "away", "busy", "dnd", "offline"]


class ThreadAssignedData(TypedDict):
    thread_id: int
    by: Person | None
    assignee: Person
    queue: NotRequired[Queue]
    over_capacity: NotRequired[Literal[True]]


class ThreadClosedData(TypedDict):
    thread_id: int
    by: Person | None


class ThreadDeskChangedData(TypedDict):
    thread_id: int
    by: Person | None
    desk: str


class ThreadDueData(TypedDict):
    thread_id: int
    by: Person | None
    due_at: int
    waiting_since: int
    policy: str
    target: Literal["first_reply", "next_reply"]


class ThreadMessage(TypedDict):
    """
    A message of a conversation; `delivery` if it goes to the customer. `event` is the id that
    you gave it, null for an admin's.
    """

    id: int
    thread_id: int
    role: Literal["client", "admin", "bot", "system"]
    author: Person | None
    body: str
    attachments: list[MessageAttachment]
    private: bool
    at: int
    delivery: Delivery | None
    edit: NotRequired[Edit]
    event: str | None


class ThreadMessages(TypedDict):
    """
    A part of a conversation, the newest message last.
    """

    messages: list[ThreadMessage]
    more: bool


class ThreadPlace(TypedDict):
    """
    The place of a thread among those that wait in a queue.
    """

    queue: Queue | None
    position: int | None
    of: int | None
    expected_seconds: int | None


class ThreadPositionData(TypedDict):
    thread_id: int
    by: Person | None
    queue: Queue | None
    position: int | None
    of: int | None
    expected_seconds: int | None


class ThreadPriorityChangedData(TypedDict):
    thread_id: int
    by: Person | None
    priority: Literal["urgent", "high", "normal", "low"]


class ThreadReleasedData(TypedDict):
    thread_id: int
    by: Person | None
    assignee: None
    queue: NotRequired[Queue]
    returned: NotRequired[Literal["released", "not_taken", "offline"]]
    desk: NotRequired[str]


class ThreadReopenedData(TypedDict):
    thread_id: int
    by: Person | None


class ThreadSnoozedData(TypedDict):
    thread_id: int
    by: Person | None
    until: int
    wake: Literal["reply", "never"]


class ThreadTagsChangedData(TypedDict):
    thread_id: int
    by: Person | None
    added: NotRequired[list[str]]
    removed: NotRequired[list[str]]


class ThreadWokenData(TypedDict):
    thread_id: int
    by: Person | None
    reason: Literal["time", "reply", "admin"]


class TypingData(TypedDict):
    thread_id: int
    by: Person
    until: str


class WebhookTestData(TypedDict):
    source: str


class Woken(TypedDict):
    """
    The reason why a snooze ended; `by` is the admin who had snoozed the thread.
    """

    at: int
    reason: Literal["time", "reply", "admin"]
    by: Person


class AdminTyping(TypedDict):
    """
    An admin is writing a reply; only for webhooks, at most every 2 s, not kept, not retried.
    """

    id: str
    type: Literal["admin.typing"]
    occurred_at: str
    thread: str
    data: TypingData


class Last(TypedDict):
    """
    The author of the newest message; `by` is the admin who wrote it on the dashboard.
    """

    role: Literal["client", "admin", "bot", "system"]
    by: Person | None


class List(TypedDict):
    """
    A part of a list.
    """

    view: str
    sort: str
    epoch: str | None
    version: int
    total: int
    threads: list[ListEntry]
    next: str | None


class Message(TypedDict):
    """
    `data` of `message.created`; a `receipt` names its id.

    Events from before an upgrade have no `customer_online` and `last_seen`.
    """

    id: int
    thread_id: int
    role: Literal["client", "admin", "bot", "system"]
    author: Person | None
    body: str
    attachments: list[MessageAttachment]
    private: bool
    at: int
    delivery: None
    customer_online: NotRequired[bool | None]
    last_seen: NotRequired[int | None]


class MessageCreated(TypedDict):
    id: str
    occurred_at: str
    seq: int
    thread: str
    type: Literal["message.created"]
    data: Message


class PresenceCustomer(TypedDict):
    id: str
    occurred_at: str
    seq: int
    type: Literal["presence.customer"]
    data: PresenceCustomerData


class PresenceTeamData(TypedDict):
    """
    As `presence/team` answers; `assignee` is the admin who has changed, null: none.
    """

    online: bool
    assignee: TeamAssignee | None


class Problem(TypedDict):
    """
    RFC 9457 problem details.
    """

    type: str
    title: str
    status: int
    code: str
    detail: str
    instance: NotRequired[str]
    errors: list[ProblemError]


Report = TypedDict(
    "Report",
    {
        "metric": str,
        "unit": Literal["count", "milliseconds"],
        "about": str,
        "from": int,
        "to": int,
        "steps": list[int],
        "total": int | DurationsValue,
        "values": list[int | DurationsValue | None],
        "parts": list[ReportPart],
        "adds_up": bool,
        "histogram": list[HistogramBar] | None,
        "counted_until": int | None,
        "known_since": int | None,
    },
)


class Row(TypedDict):
    """
    A thread as dashboards show it.
    """

    id: int
    rev: int
    thread: str
    source: str
    customer: RowCustomer | None
    preview: Preview | None
    open: bool
    priority: Literal["urgent", "high", "normal", "low"]
    recent_at: int
    waiting_since: int | None
    answered: bool
    unanswered: int
    last_message_id: int | None
    last: Last | None
    assignee: Person | None
    due_at: int | None
    tags: list[str]
    desk: str
    snooze: Snooze | None
    woken: Woken | None


class SuggestionEdited(TypedDict):
    id: str
    occurred_at: str
    seq: int
    thread: str
    type: Literal["suggestion.edited"]
    data: SuggestionEditedData


class SuggestionIgnored(TypedDict):
    id: str
    occurred_at: str
    seq: int
    thread: str
    type: Literal["suggestion.ignored"]
    data: SuggestionIgnoredData


class SuggestionUsed(TypedDict):
    id: str
    occurred_at: str
    seq: int
    thread: str
    type: Literal["suggestion.used"]
    data: SuggestionUsedData


class Team(TypedDict):
    """
    Whether an admin is online, and the admin who has the thread.
    """

    online: bool
    assignee: TeamMember | None


class ThreadAssigned(TypedDict):
    id: str
    occurred_at: str
    seq: int
    thread: str
    type: Literal["thread.assigned"]
    data: ThreadAssignedData


class ThreadClosed(TypedDict):
    id: str
    occurred_at: str
    seq: int
    thread: str
    type: Literal["thread.closed"]
    data: ThreadClosedData


class ThreadDeskChanged(TypedDict):
    id: str
    occurred_at: str
    seq: int
    thread: str
    type: Literal["thread.desk_changed"]
    data: ThreadDeskChangedData


class ThreadDue(TypedDict):
    id: str
    occurred_at: str
    seq: int
    thread: str
    type: Literal["thread.due"]
    data: ThreadDueData


class ThreadPosition(TypedDict):
    id: str
    occurred_at: str
    seq: int
    thread: str
    type: Literal["thread.position"]
    data: ThreadPositionData


class ThreadPriorityChanged(TypedDict):
    id: str
    occurred_at: str
    seq: int
    thread: str
    type: Literal["thread.priority_changed"]
    data: ThreadPriorityChangedData


class ThreadReleased(TypedDict):
    id: str
    occurred_at: str
    seq: int
    thread: str
    type: Literal["thread.released"]
    data: ThreadReleasedData


class ThreadReopened(TypedDict):
    id: str
    occurred_at: str
    seq: int
    thread: str
    type: Literal["thread.reopened"]
    data: ThreadReopenedData


class ThreadSnoozed(TypedDict):
    id: str
    occurred_at: str
    seq: int
    thread: str
    type: Literal["thread.snoozed"]
    data: ThreadSnoozedData


class ThreadTagsChanged(TypedDict):
    id: str
    occurred_at: str
    seq: int
    thread: str
    type: Literal["thread.tags_changed"]
    data: ThreadTagsChangedData


class ThreadWoken(TypedDict):
    id: str
    occurred_at: str
    seq: int
    thread: str
    type: Literal["thread.woken"]
    data: ThreadWokenData


class WebhookTest(TypedDict):
    """
    A test of the webhook by a supervisor.
    """

    id: str
    type: Literal["webhook.test"]
    occurred_at: str
    data: WebhookTestData


class Batch(TypedDict):
    """
    Several events at once; each gets its own result.
    """

    events: list[
        MessageEvent
        | EditedEvent
        | DeletedEvent
        | CustomerEvent
        | CloseEvent
        | ReopenEvent
        | HandoffEvent
        | PriorityEvent
        | TagsEvent
        | SuggestionEvent
        | SummaryEvent
        | ReceiptEvent
    ]


class BatchResult(TypedDict):
    """
    The outcome of one event of a batch.
    """

    index: int
    status: Literal["created", "duplicate", "rejected"]
    id: str | None
    thread_id: NotRequired[int]
    problem: NotRequired[Problem]


class BatchResults(TypedDict):
    """
    A result for each event of a batch, in the same order.
    """

    results: list[BatchResult]


class PresenceTeam(TypedDict):
    id: str
    occurred_at: str
    seq: int
    type: Literal["presence.team"]
    data: PresenceTeamData


class OutgoingEvents(TypedDict):
    """
    The acts of admins, in the order in which they were committed.
    """

    events: list[
        MessageCreated
        | ThreadClosed
        | ThreadReopened
        | ThreadAssigned
        | ThreadReleased
        | ThreadDeskChanged
        | ThreadPriorityChanged
        | ThreadTagsChanged
        | ThreadSnoozed
        | ThreadWoken
        | ThreadDue
        | ThreadPosition
        | SuggestionUsed
        | SuggestionEdited
        | SuggestionIgnored
        | PresenceTeam
        | PresenceCustomer
    ]
    next: str


Event = (
    MessageEvent
    | EditedEvent
    | DeletedEvent
    | CustomerEvent
    | CloseEvent
    | ReopenEvent
    | HandoffEvent
    | PriorityEvent
    | TagsEvent
    | SuggestionEvent
    | SummaryEvent
    | ReceiptEvent
)
OutgoingEvent = (
    MessageCreated
    | ThreadClosed
    | ThreadReopened
    | ThreadAssigned
    | ThreadReleased
    | ThreadDeskChanged
    | ThreadPriorityChanged
    | ThreadTagsChanged
    | ThreadSnoozed
    | ThreadWoken
    | ThreadDue
    | ThreadPosition
    | SuggestionUsed
    | SuggestionEdited
    | SuggestionIgnored
    | PresenceTeam
    | PresenceCustomer
)
