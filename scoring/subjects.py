"""What conditions and sorts know of a thread, from its facts."""

from scoring.conditions.subject import Subject
from scoring.facts import Facts


def subject_of(
    facts: Facts,
    *,
    assignee_id: int | None,
    assigned_at: int | None,
    source: str,
    locale: str | None,
    last_role: str | None,
    tags: frozenset[str],
    desk: str,
    mentioned: frozenset[str],
) -> Subject:
    """The values that conditions and sorts read; times in milliseconds.

    `source` and `desk` are names, `locale` is the customer's, `last_role` that of the last public
    message, `mentioned` the ids of admins with unread mentions.
    """
    return Subject(
        facts.closed,
        facts.answered,
        not facts.answered and facts.first_request_at is not None,
        facts.snoozed,
        assignee_id,
        facts.priority,
        facts.member_status,
        source,
        locale,
        last_role,
        facts.waiting_since,
        facts.last_client_at,
        facts.first_event_at,
        facts.closed_at if facts.closed else None,
        facts.due_at,
        facts.first_request_at,
        assigned_at,
        facts.snoozed_until if facts.snoozed else None,
        tags,
        desk,
        mentioned,
    )


def subject_of_facts(facts: Facts) -> Subject:
    """What the facts alone say; nothing of its assignee, source, desk, messages and tags."""
    return subject_of(
        facts,
        assignee_id=None,
        assigned_at=None,
        source="",
        locale=None,
        last_role=None,
        tags=frozenset(),
        desk="",
        mentioned=frozenset(),
    )
