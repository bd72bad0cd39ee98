"""The commands of webhooks: addresses to which the events of a chatbot's threads are posted."""

import click

from dashboard.cli.audit.actors import operator
from dashboard.cli.context import open_services
from dashboard.cli.params import ID, Names, Source, command, minute
from dashboard.db.outbox.webhooks import Webhook
from dashboard.errors import Problem, StartError

_ID_HELP = "ID is the number that list-webhooks shows."


@command(
    "create-webhook",
    "Create a webhook for a chatbot; its id and its secret are printed once.",
    example="create-webhook --source shop --url https://bot.example/lineup",
)
@click.option("--source", type=Source(), required=True, help="The chatbot.")
@click.option("--url", required=True, help="Address to which events are posted.")
@click.option(
    "--events",
    type=Names(),
    help="Types such as message.created,thread.closed; by default all.",
)
def create_webhook(source: str, url: str, events: list[str] | None) -> None:
    with open_services() as services:
        try:
            made = services.webhooks.create(operator(), source, url, events)
        except Problem as problem:
            raise StartError(f"The webhook {problem.detail}.") from problem
        click.echo(f"{made.id}\t{made.secret}")


@command("list-webhooks", "List the webhooks.", example="list-webhooks")
def list_webhooks() -> None:
    with open_services() as services:
        for webhook, waiting in services.webhooks.listing():
            click.echo("\t".join(_columns(webhook, waiting)))


@command(
    "rotate-webhook",
    "Make a new secret for a webhook; the old one stays valid for a day.",
    arguments=_ID_HELP,
    example="rotate-webhook 1",
)
@click.argument("id", type=ID)
def rotate_webhook(id: int) -> None:
    with open_services() as services:
        try:
            click.echo(services.webhooks.rotate(operator(), id))
        except Problem as problem:
            raise StartError("There is no such webhook; list-webhooks shows them.") from problem
        click.echo("The old secret stays valid for a day.", err=True)


@command("revoke-webhook", "Revoke a webhook.", arguments=_ID_HELP, example="revoke-webhook 1")
@click.argument("id", type=ID)
def revoke_webhook(id: int) -> None:
    with open_services() as services:
        try:
            services.webhooks.revoke(operator(), id)
        except Problem as problem:
            raise StartError("There is no such webhook; list-webhooks shows them.") from problem
        click.echo("The webhook is revoked.", err=True)


def _columns(webhook: Webhook, waiting: int) -> list[str]:
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
