"""Advice of chatbots, suggestions and summaries, and the outcomes of suggestions.

Advice counts as nothing for facts and order. Admins who have the thread open see it at once.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import Connection

from dashboard.db.outbox import outgoing
from dashboard.db.reports import facts
from dashboard.db.threads import events, suggestions
from dashboard.db.threads.messages import Message
from dashboard.db.threads.suggestions import Decision, MessageName, Outcome, Reason, Undecided
from dashboard.db.threads.thread_states import ThreadState
from dashboard.errors import Invalid, NotFound
from dashboard.event_types import ADVICE, MESSAGE, SUGGESTION_OUTCOMES, SUMMARY
from dashboard.ingest import schema
from dashboard.ingest.outgoing import Admin
from dashboard.ingest.schema import ParsedEvent
from dashboard.validation.field_errors import field_error
from scoring.placing import Placement

#: Suggestions of a thread that may wait for an outcome: with one more, the oldest is ignored.
WAITING_MAX = 10


class Waiting(NamedTuple):
    """The suggestions of a thread without an outcome, and the one of them that admins see."""

    suggestions: Sequence[Undecided]
    shown: Undecided | None


def told(thread_id: int) -> Placement:
    """Has admins who have the thread open look at it: no list changes, and no revision."""
    return Placement(thread_id, revision=0)


def told_of(outcomes: Iterable[schema.Outcome], parsed: Iterable[ParsedEvent]) -> list[Placement]:
    """Returns what tells admins of advice, also of repeated one: the process that stored it may
    have died before it told them."""
    pairs = zip(outcomes, parsed, strict=True)
    ids = {outcome.thread_id for outcome, event in pairs if event.type in ADVICE}
    return [told(id) for id in ids if id is not None]


def refused(
    connection: Connection,
    source_id: int,
    threads: Mapping[str, ThreadState],
    new: Sequence[ParsedEvent],
) -> dict[str, Invalid]:
    """Returns a problem, by event id, for each advice about no public message of its thread: one
    that is stored, or stands before the advice in the batch."""
    said: set[tuple[str | None, MessageName]] = set()
    others: list[tuple[ParsedEvent, int]] = []
    for event in new:
        if event.type == MESSAGE.name and not event.private:
            said.add((event.thread, event.id))
        elif event.type in ADVICE and (event.thread, message_in(event)) not in said:
            others.append((event, threads[event.thread or ""].id))
    names = {(thread_id, message_in(event)) for event, thread_id in others}
    known = suggestions.messages_named(connection, source_id, names) if names else {}
    return {
        event.id: field_error(
            f"/{ADVICE[event.type]}", "unknown_value", "is not a public message of this thread"
        )
        for event, thread_id in others
        if (thread_id, message_in(event)) not in known
    }


def message_in(event: ParsedEvent) -> MessageName:
    """Returns the name of the message that the advice is about."""
    name: MessageName = event.data[ADVICE[event.type]]
    return name


def keep(
    connection: Connection,
    source_id: int,
    advice: Sequence[tuple[ParsedEvent, int, int]],
    threads: Mapping[str, ThreadState],
    now_ms: int,
) -> None:
    """Stores advice: events that are stored already, each with its id and `ranked_at` in ms.
    Imported suggestions end none: their outcomes come later, with `restore`."""
    of = {event.id: threads[event.thread or ""] for event, _, _ in advice}
    names = {(of[event.id].id, message_in(event)) for event, _, _ in advice}
    messages = suggestions.messages_named(connection, source_id, names)
    rows = []
    for event, id, ranked_at in advice:
        thread_id = of[event.id].id
        message_id = messages[thread_id, message_in(event)]
        if event.type == SUMMARY.name:
            suggestions.put_summary(connection, thread_id, id, ranked_at, message_id)
        else:
            rows.append({"event_id": id, "thread_id": thread_id, "message_id": message_id})
    if rows:
        suggestions.add(connection, rows)
        arrived = [of[event.id] for event, _, _ in advice if event.received_at is None]
        for state in {state.id: state for state in arrived}.values():
            _end_oldest(connection, state, now_ms)


def waiting(connection: Connection, thread_id: int) -> Waiting:
    """Reads the suggestions that an answer decides, before it is stored."""
    some = suggestions.undecided(connection, thread_id)
    return Waiting(some, suggestions.shown_of(connection, thread_id, some))


def answered(
    connection: Connection,
    admin: Admin,
    state: ThreadState,
    waiting: Waiting,
    taken_id: int | None,
    message: Message,
) -> None:
    """Decides all suggestions of a thread by an admin's answer; `taken_id` is the suggestion that
    was taken over into it."""
    decisions = []
    for one in waiting.suggestions:
        decision = Decision(one, "ignored", message["at"], "moved_on", admin.id, message["id"])
        if one.id == taken_id:
            outcome: Outcome = "used" if _is_sent_by(one, message) else "edited"
            decision = decision._replace(outcome=outcome, reason=None)
        elif one is waiting.shown:
            decision = decision._replace(reason="answered")
        decisions.append(decision)
    _decide(connection, state, decisions, admin, message["body"])


def dismiss(
    connection: Connection, admin: Admin, state: ThreadState, suggestion_id: int, now_ms: int
) -> None:
    """Ends a suggestion, and earlier ones for the same message, which would be shown next; those
    with an outcome stay as they are. Raises NotFound."""
    if not suggestions.is_of(connection, suggestion_id, state.id):
        raise NotFound("There is no such suggestion.")
    some = suggestions.undecided(connection, state.id)
    messages = {one.message_id for one in some if one.id == suggestion_id}
    decisions = [
        Decision(one, "ignored", now_ms, "dismissed", admin.id)
        for one in some
        if one.id <= suggestion_id and one.message_id in messages
    ]
    _decide(connection, state, decisions, admin)


class GivenOutcome(NamedTuple):
    """The outcome of a suggestion in another database: suggestion and `reply` by their names, no
    reply is ""."""

    source_id: int
    name: str
    outcome: Outcome
    at: int
    reason: Reason | None
    admin_id: int | None
    reply: str


def restore(connection: Connection, given: GivenOutcome, dashboard_id: int) -> bool:
    """Stores and counts an outcome, unless the suggestion has one here, and tells nobody; False if
    there is no such suggestion. `dashboard_id`: the id of the dashboard's source."""
    source_id, name, outcome, at, reason, admin_id, reply = given
    row = events.known(connection, source_id, {name}).get(name)
    if row is None or row.thread_id is None:
        return False
    answer = events.known(connection, dashboard_id, {reply}).get(reply) if reply else None
    for one in suggestions.undecided(connection, row.thread_id):
        if one.id == row.id:
            decision = Decision(one, outcome, at, reason, admin_id, answer and answer.id)
            suggestions.decide(connection, [decision])
            facts.add_outcomes(connection, row.thread_id, [one.id])
    return True


def _is_sent_by(suggestion: Undecided, message: Message) -> bool:
    """Whether a message is the suggestion as it was: nothing attached, the same text but for line
    ends, which fields of browsers change, and blanks around it."""
    texts = [
        text.replace("\r\n", "\n").strip() for text in (suggestion.body, message["body"] or "")
    ]
    return texts[0] == texts[1] and not message["attachments"]


def _end_oldest(connection: Connection, state: ThreadState, now_ms: int) -> None:
    oldest = suggestions.undecided(connection, state.id)[:-WAITING_MAX]
    _decide(connection, state, [Decision(one, "ignored", now_ms, "moved_on") for one in oldest])


def _decide(
    connection: Connection,
    state: ThreadState,
    decisions: Sequence[Decision],
    admin: Admin | None = None,
    sent: str | None = None,
) -> None:
    """Stores the outcomes of suggestions, tells the chatbot, and counts them; `sent` is the text of
    the answer."""
    suggestions.decide(connection, decisions)
    by = admin and {"id": admin.id, "name": admin.name}
    for suggestion, outcome, at, reason, _, message_id in decisions:
        data = {"thread_id": state.id, "by": by, "suggestion": suggestion.name}
        data |= {} if reason is None else {"reason": reason}
        data |= {} if message_id is None else {"message_id": message_id, "body": sent}
        type = SUGGESTION_OUTCOMES[outcome]
        outgoing.add(connection, state.source_id, state.id, type.name, at, data)
    facts.add_outcomes(connection, state.id, [decision.suggestion.id for decision in decisions])
