"""Suggestions and summaries of chatbots: stored, read as they are shown, and their outcomes."""

from collections.abc import Collection, Sequence
from typing import Any, Literal, NamedTuple, TypedDict

from sqlalchemy import Connection, Select, bindparam, delete, insert, or_, select, update

from dashboard.db.driver import RowValues, insert_on
from dashboard.db.models.threads import events, suggestions, summaries
from dashboard.validation.strict_json import JsonObject

#: The name of a message in an event of a chatbot: the id that the chatbot gave it, or its number.
MessageName = str | int
Outcome = Literal["used", "edited", "ignored"]
Reason = Literal["answered", "dismissed", "moved_on"]


class Suggestion(TypedDict):
    """A suggestion as the dashboard gets it; `for_message` is the id of a message."""

    id: int
    body: str
    for_message: int


class Summary(TypedDict):
    """A summary as the dashboard gets it; `through` is the id of the last message that it covers,
    `through_at` the time of that message in milliseconds."""

    id: int
    body: str
    through: int
    through_at: int


class Advice(NamedTuple):
    """The advice that admins see in a thread; None: there is none."""

    suggestion: Suggestion | None
    summary: Summary | None

    def to_json(self) -> JsonObject:
        return self._asdict()


class Undecided(NamedTuple):
    """A suggestion without an outcome; `name` is the id that its chatbot gave it."""

    id: int
    name: str
    body: str
    message_id: int


class Decision(NamedTuple):
    """The outcome of a suggestion, at a time in milliseconds. `reason`: why it was ignored;
    `reply_id`: the message that was sent; `admin_id` is None if no admin decided."""

    suggestion: Undecided
    outcome: Outcome
    at: int
    reason: Reason | None = None
    admin_id: int | None = None
    reply_id: int | None = None


_UNDECIDED: Select[Any] = (
    select(suggestions.c.event_id, events.c.external_id, events.c.body, suggestions.c.message_id)
    .join_from(suggestions, events, events.c.id == suggestions.c.event_id)
    .where(suggestions.c.thread_id == bindparam("thread"), suggestions.c.outcome.is_(None))
    .order_by(suggestions.c.event_id)
)
_HAS_ANY = or_(
    *(
        select(table.c.thread_id).where(table.c.thread_id == bindparam("thread")).exists()
        for table in (suggestions, summaries)
    )
)
#: The last message of the customer, the chatbot or an admin: by these a conversation moves on.
_LAST = (
    select(events.c.id, events.c.edit_id)
    .where(
        events.c.thread_id == bindparam("thread"),
        events.c.role.in_(("client", "bot", "admin")),
        events.c.private.is_(False),
    )
    .order_by(events.c.ranked_at.desc(), events.c.id.desc())
    .limit(1)
)
_PUBLIC = select(events.c.id, events.c.thread_id, events.c.external_id).where(
    events.c.role.is_not(None), events.c.private.is_(False)
)
_through = events.alias("through")
_SUMMARY: Select[Any] = (
    select(summaries.c.event_id, events.c.body, summaries.c.message_id, _through.c.ranked_at)
    .join_from(summaries, events, events.c.id == summaries.c.event_id)
    .join(_through, _through.c.id == summaries.c.message_id)
    .where(summaries.c.thread_id == bindparam("thread"))
)
_SHOWN_SUMMARY: Select[Any] = (
    select(events.c.ranked_at, events.c.id)
    .join_from(summaries, events, events.c.id == summaries.c.event_id)
    .where(summaries.c.thread_id == bindparam("thread"))
)


def messages_named(
    connection: Connection, source_id: int, names: Collection[tuple[int, MessageName]]
) -> dict[tuple[int, MessageName], int]:
    """Maps (thread, name of a message) to the id of that message; leaves out names of no public
    message of the thread. A text is the id that the source gave it."""
    texts = {name for _, name in names if isinstance(name, str)}
    numbers = {name for _, name in names if isinstance(name, int)}
    by_source = (events.c.source_id == source_id) & events.c.external_id.in_(texts)
    found: dict[tuple[int, MessageName], int] = {}
    if texts:
        rows = connection.execute(_PUBLIC.where(by_source))
        found |= {(row.thread_id, row.external_id): row.id for row in rows}
    if numbers:
        rows = connection.execute(_PUBLIC.where(events.c.id.in_(numbers)))
        found |= {(row.thread_id, row.id): row.id for row in rows}
    return found


def add(connection: Connection, rows: Sequence[RowValues]) -> None:
    """Stores suggestions without outcomes, given as rows of the table."""
    connection.execute(insert(suggestions), list(rows))


def put_summary(
    connection: Connection, thread_id: int, event_id: int, ranked_at: int, message_id: int
) -> None:
    """Shows a stored summary in its thread, unless the shown one was made later."""
    shown = connection.execute(_SHOWN_SUMMARY, {"thread": thread_id}).first()
    if shown is None or tuple(shown) < (ranked_at, event_id):
        values = {"event_id": event_id, "message_id": message_id}
        statement = insert_on(connection, summaries).values(thread_id=thread_id, **values)
        connection.execute(
            statement.on_conflict_do_update(index_elements=["thread_id"], set_=values)
        )


def undecided(connection: Connection, thread_id: int) -> list[Undecided]:
    """Returns the suggestions of a thread that have no outcome, in the order of their storage."""
    return [Undecided(*row) for row in connection.execute(_UNDECIDED, {"thread": thread_id})]


def shown_of(connection: Connection, thread_id: int, some: Sequence[Undecided]) -> Undecided | None:
    """Returns the one of these suggestions that admins see: the newest for the last message, and
    none from before an edit of it."""
    last = connection.execute(_LAST, {"thread": thread_id}).first() if some else None
    if last is None:
        return None
    edited_id = last.edit_id or 0
    newest = (one for one in reversed(some) if one.message_id == last.id and one.id > edited_id)
    return next(newest, None)


def is_of(connection: Connection, id: int, thread_id: int) -> bool:
    """Whether a suggestion belongs to a thread, with or without an outcome."""
    found = suggestions.c.event_id == id, suggestions.c.thread_id == thread_id
    return connection.execute(select(suggestions.c.event_id).where(*found)).first() is not None


def decide(connection: Connection, decisions: Sequence[Decision]) -> None:
    """Stores the outcomes of suggestions that have none."""
    for suggestion, outcome, at, reason, admin_id, reply_id in decisions:
        connection.execute(
            update(suggestions)
            .where(suggestions.c.event_id == suggestion.id)
            .values(
                outcome=outcome,
                reason=reason,
                decided_at=at,
                decided_by_id=admin_id,
                reply_id=reply_id,
            )
        )


def remove(connection: Connection, thread_ids: Select[tuple[int]]) -> None:
    """Deletes the suggestions and summaries of the selected threads; the events stay."""
    for table in (suggestions, summaries):
        connection.execute(delete(table).where(table.c.thread_id.in_(thread_ids)))


def advice(connection: Connection, thread_id: int) -> Advice | None:
    """Returns the advice that admins see in a thread; None if its chatbot never posted any."""
    parameters = {"thread": thread_id}
    if not connection.scalar(select(_HAS_ANY), parameters):
        return None
    one = shown_of(connection, thread_id, undecided(connection, thread_id))
    row = connection.execute(_SUMMARY, parameters).first()
    return Advice(
        one and {"id": one.id, "body": one.body, "for_message": one.message_id},
        None
        if row is None
        else {"id": row[0], "body": row[1], "through": row[2], "through_at": row[3]},
    )
