"""Commands for API keys and webhooks."""

import importlib

import click

from dashboard.cli.context import open_database, open_services, operator
from dashboard.cli.params import ID, Desk, Names, Source, command, minute
from dashboard.db.accounts import api_keys
from dashboard.db.outbox import webhooks
from dashboard.db.outbox.webhooks import Webhook
from dashboard.errors import Problem, StartError


@command("create-key", example="create-key --source shop --desk sales --scopes events,read")
@click.option("--source", type=Source(), required=True, help="The chatbot.")
@click.option(
    "--scopes",
    type=Names(api_keys.SCOPES),
    default=",".join(api_keys.USUAL_SCOPES),
    show_default=True,
    help="The scopes of the key.",
)
@click.option(
    "--handoff",
    is_flag=True,
    help="The chatbot answers until it hands over: before that, no thread waits.",
)
@click.option(
    "--desk", type=Desk(), help="The desk of the chatbot's new threads; created if missing."
)
@click.option("--rate", type=click.IntRange(1, 1_000_000), help="Maximum events a second.")
def create_key(
    source: str, scopes: list[str], handoff: bool, desk: str | None, rate: int | None
) -> None:
    """Prints the key. With `--handoff` the facts of the source's threads are computed again."""
    with open_services() as services:
        draft = importlib.import_module("dashboard.ingest.accounts").KeyDraft
        draft = draft(source, scopes, handoff, desk, rate)
        key = services.api_keys.create(operator(), draft)
        # Printed first: what follows takes minutes if there are many threads.
        click.echo(key.key)
        if not handoff:
            return
        try:
            services.api_keys.refold(source)
        except BaseException:
            later = f"Not all threads of {source} follow --handoff yet: a server does the rest."
            click.echo(f"The key is valid. {later}", err=True)
            raise


@command("list-keys", example="list-keys")
def list_keys() -> None:
    with open_database() as storage, storage.database.read() as connection:
        for key in api_keys.listing(connection):
            click.echo("\t".join(_columns(key)))


@command(
    "revoke-key",
    arguments="PREFIX is the prefix that list-keys shows, or the whole key.",
    example="revoke-key lu_a1b2c3d4",
)
@click.argument("key", metavar="PREFIX")
def revoke_key(key: str) -> None:
    with open_services() as services:
        if not services.api_keys.revoke_named(operator(), key):
            raise StartError("There is no such key; list-keys shows them.")
        click.echo("The key is revoked.", err=True)


def _columns(key: api_keys.ApiKeyInfo) -> list[str]:
    return [
        key.prefix,
        key.source,
        ",".join(key.scopes),
        "handoff" if key.handoff_only else "all messages call",
        "no quota" if key.rate_per_second is None else f"{key.rate_per_second}/s",
        minute(key.created_at),
        "active" if key.revoked_at is None else f"revoked {minute(key.revoked_at)}",
    ]


_ID_HELP = "ID is the number that list-webhooks shows."


@command("create-webhook", example="create-webhook --source shop --url https://bot.example/lineup")
@click.option("--source", type=Source(), required=True, help="The chatbot.")
@click.option("--url", required=True, help="Address to which events are posted.")
@click.option(
    "--events",
    type=Names(),
    help="Types such as message.created,thread.closed; by default all but presence.*.",
)
def create_webhook(source: str, url: str, events: list[str] | None) -> None:
    with open_services() as services:
        try:
            webhook = services.webhooks.create(operator(), source, url, events)
        except Problem as problem:
            raise StartError(f"The webhook {problem.detail}.") from problem
        click.echo(f"{webhook.id}\t{webhook.secret}")


@command("list-webhooks", example="list-webhooks")
def list_webhooks() -> None:
    with open_database() as storage, storage.database.read() as connection:
        waiting = webhooks.pending_counts(connection)
        for webhook in webhooks.listing(connection):
            click.echo("\t".join(_webhook_columns(webhook, waiting.get(webhook.id, 0))))


@command("rotate-webhook", arguments=_ID_HELP, example="rotate-webhook 1")
@click.argument("id", type=ID)
def rotate_webhook(id: int) -> None:
    with open_services() as services:
        try:
            click.echo(services.webhooks.rotate(operator(), id))
        except Problem as problem:
            raise StartError("There is no such webhook; list-webhooks shows them.") from problem
        click.echo("The old secret stays valid for a day.", err=True)


@command("revoke-webhook", arguments=_ID_HELP, example="revoke-webhook 1")
@click.argument("id", type=ID)
def revoke_webhook(id: int) -> None:
    with open_services() as services:
        try:
            services.webhooks.revoke(operator(), id)
        except Problem as problem:
            raise StartError("There is no such webhook; list-webhooks shows them.") from problem
        click.echo("The webhook is revoked.", err=True)


def _webhook_columns(webhook: Webhook, waiting: int) -> list[str]:
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
        return f"{webhook.disabled_why} since {minute(webhook.disabled_at)}"
    if webhook.failing_since is not None:
        return f"failing since {minute(webhook.failing_since)}"
    return "active"
