"""The commands of API keys, with which chatbots call."""

import click

from dashboard.cli.audit.actors import operator
from dashboard.cli.context import open_services
from dashboard.cli.params import Desk, Names, Source, command, minute
from dashboard.db.accounts import api_keys
from dashboard.errors import StartError
from dashboard.ingest.accounts.keys import KeyDraft


@command(
    "create-key",
    "Create an API key for a chatbot; it is printed once.",
    example="create-key --source shop --desk sales --scopes events,read",
)
@click.option("--source", type=Source(), required=True, help="The chatbot.")
@click.option(
    "--scopes",
    type=Names(api_keys.SCOPES),
    default=",".join(api_keys.SCOPES),
    show_default=True,
    help="What the key may do.",
)
@click.option(
    "--handoff",
    is_flag=True,
    help="The chatbot answers until it hands over: before that, no thread waits.",
)
@click.option(
    "--desk", type=Desk(), help="Where the chatbot's new threads begin; added if there is none."
)
@click.option("--rate", type=click.IntRange(1, 1_000_000), help="Most events a second.")
def create_key(
    source: str, scopes: list[str], handoff: bool, desk: str | None, rate: int | None
) -> None:
    """Prints the key; with `--handoff` the facts of the source's threads are computed anew."""
    with open_services() as services:
        made = services.api_keys.create(operator(), KeyDraft(source, scopes, handoff, desk, rate))
        if handoff:
            services.api_keys.refold(source)
        click.echo(made.key)


@command("list-keys", "List the API keys.", example="list-keys")
def list_keys() -> None:
    with open_services() as services:
        for key in services.api_keys.listing():
            click.echo("\t".join(_columns(key)))


@command(
    "revoke-key",
    "Revoke an API key.",
    arguments="PREFIX is what list-keys shows, or the whole key.",
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
