"""Commands about webhooks: where what admins did is posted to."""

import sys
from argparse import Namespace
from datetime import UTC, datetime

from dashboard.delivery.desk import WebhookDesk
from dashboard.errors import Problem, StartError
from dashboard.store.webhooks import Webhook


def create(args: Namespace, desk: WebhookDesk) -> int:
    """Prints the id and the secret."""
    try:
        made = desk.create(args.source, args.url, args.events)
    except Problem as problem:
        raise StartError(f"The webhook {problem.detail}.") from problem
    print(f"{made.id}\t{made.secret}")
    return 0


def listing(args: Namespace, desk: WebhookDesk) -> int:
    for webhook, waiting in desk.listing():
        print("\t".join(_shown(webhook, waiting)))
    return 0


def rotate(args: Namespace, desk: WebhookDesk) -> int:
    try:
        print(desk.rotate(args.id))
    except Problem as problem:
        raise StartError("There is no such webhook; list-webhooks shows them.") from problem
    print("The old secret signs along for a day.", file=sys.stderr)
    return 0


def revoke(args: Namespace, desk: WebhookDesk) -> int:
    try:
        desk.revoke(args.id)
    except Problem as problem:
        raise StartError("There is no such webhook; list-webhooks shows them.") from problem
    print("The webhook is revoked.", file=sys.stderr)
    return 0


def _shown(webhook: Webhook, waiting: int) -> list[str]:
    return [
        str(webhook.id),
        webhook.source,
        webhook.url,
        ",".join(webhook.events) if webhook.events is not None else "all",
        f"{waiting} waiting",
        _state(webhook),
    ]


def _state(webhook: Webhook) -> str:
    if webhook.disabled_at is not None:
        return f"{webhook.disabled_why} since {_moment(webhook.disabled_at)}"
    if webhook.failing_since is not None:
        return f"failing since {_moment(webhook.failing_since)}"
    return "active"


def _moment(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")
