"""Parts of conversations: messages, and the acts between them."""

from typing import Any, NamedTuple

from sqlalchemy import Connection

from dashboard.db.threads import acts, messages


class Part(NamedTuple):
    """Messages and acts by time, newest last; whether messages are before (`more`) or after them.

    The acts are those between the messages, those before the first message of the thread, and those
    after the last one: parts that follow each other hold all of them. `newest_act_id` is the act
    stored last in the whole thread.
    """

    messages: list[messages.Message]
    acts: list[dict[str, Any]]
    more: bool
    later: bool
    newest_act_id: int

    def to_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("messages", "acts", "more", "later")}


def part(
    connection: Connection, thread_id: int, where: str | None, message_id: int, limit: int
) -> Part:
    """Returns up to `limit` messages "before", "after" or "around" a message, with their acts;
    None: the newest ones."""
    # Read first: an act that is stored meanwhile is sent twice rather than left out.
    newest_act_id = acts.last_id(connection, thread_id)
    found = messages.at(connection, thread_id, where, message_id, limit)
    if not found.messages and (where is not None):
        return Part([], [], found.more, found.later, newest_act_id)
    since = found.messages[0]["at"] if found.more else None
    until = found.messages[-1]["at"] if found.later else None
    if where in ("before", "after"):
        at = messages.time_of(connection, thread_id, message_id)
        since, until = (since, at) if where == "before" else (at, until)
    found_acts = [act.to_json() for act in acts.between(connection, thread_id, since, until)]
    return Part(found.messages, found_acts, found.more, found.later, newest_act_id)
