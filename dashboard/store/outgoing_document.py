"""An event as chatbots get it, read by cursor or posted to a webhook alike."""

from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import Select, select

from dashboard.store.models import threads
from dashboard.store.outbox_models import outgoing_events

#: All types that there are; notes never go out.
TYPES = (
    "message.created",
    "thread.closed",
    "thread.reopened",
    "thread.assigned",
    "thread.released",
    "thread.priority_changed",
)
#: Goes to webhooks alone, and is not kept: an admin is writing a reply.
TYPING = "admin.typing"
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
    """An event as it is kept; `occurred_at` in milliseconds."""

    name: str
    type: str
    occurred_at: int
    seq: int
    thread: str
    data: dict[str, Any]

    def document(self) -> dict[str, Any]:
        """The event as it leaves the house: the same however often it is asked for."""
        return {
            "id": self.name,
            "type": self.type,
            "occurred_at": timestamp(self.occurred_at),
            "seq": self.seq,
            "thread": self.thread,
            "data": self.data,
        }


def timestamp(ms: int) -> str:
    """RFC 3339, to the millisecond."""
    moment = _BEGINNING + timedelta(milliseconds=ms)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
