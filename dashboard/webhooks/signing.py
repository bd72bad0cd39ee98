"""The request of a webhook: the event as JSON, with the headers of Standard Webhooks 1.0."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from standardwebhooks import Webhook

USER_AGENT = "Lineup-Webhooks/1.0"


class Request(NamedTuple):
    """A signed body and its headers."""

    headers: dict[str, str]
    body: bytes


def signed(document: dict[str, Any], secrets: Sequence[str], now_ms: int) -> Request:
    """Returns the request for a document with an `id`; each secret signs it, the newest first."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    id, at = document["id"], datetime.fromtimestamp(now_ms // 1000, UTC)
    signatures = [Webhook(secret).sign(id, at, text) for secret in secrets]
    return Request(
        {
            "Content-Type": "application/json",
            "User-Agent": USER_AGENT,
            "webhook-id": id,
            "webhook-timestamp": str(now_ms // 1000),
            "webhook-signature": " ".join(signatures),
        },
        text.encode(),
    )
