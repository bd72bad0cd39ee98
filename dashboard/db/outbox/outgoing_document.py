"""An event as chatbots get it: the same document from the outbox and from a webhook."""

from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import Select, select

from dashboard.db.models.threads import threads
from dashboard.db.models.webhooks import outgoing_events

EVENTS: Select[Any] = select(
    outgoing_events.c.name,
    outgoing_events.c.type,
    outgoing_events.c.occurred_at,
    outgoing_events.c.seq,
    threads.c.external_id,
    outgoing_events.c.data,
).join_from(outgoing_events, threads, threads.c.id == outgoing_events.c.thread_id)
_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


class Outgoing(NamedTuple):
    """A stored event; `occurred_at` in milliseconds, `thread` is the source's id of it."""

    name: str
    type: str
    occurred_at: int
    seq: int
    thread: str
    data: dict[str, Any]

    def document(self) -> dict[str, Any]:
        """Returns the JSON document of the event; the same at each call."""
        return {
            "id": self.name,
            "type": self.type,
            "occurred_at": timestamp(self.occurred_at),
            "seq": self.seq,
            "thread": self.thread,
            "data": self.data,
        }


def timestamp(ms: int) -> str:
    """Formats a time as RFC 3339, to the millisecond."""
    moment = _BEGINNING + timedelta(milliseconds=ms)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
