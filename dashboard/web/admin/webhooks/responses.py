"""What the calls of webhooks answer."""

from typing import Annotated, Any, Literal

from pydantic import Field

from dashboard.db.outbox.webhooks import GONE, REVOKED
from dashboard.web.http.schemas import Answer, Milliseconds


class Webhook(Answer):
    """A webhook without its secrets; `waiting` deliveries are pending."""

    id: int
    source: str
    url: str
    events: Annotated[list[str] | None, Field(description="Its types of events; null for all.")]
    created_at: Milliseconds
    failing_since: Milliseconds | None
    disabled_at: Milliseconds | None
    disabled_why: Literal[GONE, REVOKED] | None  # type: ignore[valid-type]
    waiting: int


class Webhooks(Answer):
    """All webhooks that are not revoked, the oldest first."""

    webhooks: list[Webhook]


class Created(Answer):
    """The id of a new webhook, and its secret, which cannot be read again."""

    id: int
    secret: str


class Rotated(Answer):
    """The new secret."""

    secret: str


class Tested(Answer):
    """The headers of a test request, and its answer; `error` where there was none."""

    at: Milliseconds
    took_ms: int
    request: dict[str, str]
    status: int | None
    error: str | None
    answer: str


class LoggedRequest(Answer):
    """A request: its headers, and the event; null for a test."""

    headers: dict[str, str]
    body: dict[str, Any] | None


class WebhookDelivery(Answer):
    """Where the delivery stands now."""

    state: Literal["pending", "done", "failed"]
    attempts: int
    next_at: Milliseconds


class LoggedAttempt(Answer):
    """A request to the receiver and its answer; `delivery` is null for a test."""

    id: int
    at: Milliseconds
    took_ms: int
    request: LoggedRequest
    status: int | None
    error: str | None
    answer: str
    delivery: WebhookDelivery | None


class Log(Answer):
    """A part of a webhook's log, newest first; whether there are older entries."""

    attempts: list[LoggedAttempt]
    more: bool


class Replayed(Answer):
    """How many events are delivered again."""

    replayed: int
