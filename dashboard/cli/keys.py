"""The commands of API keys, with which chatbots call."""

import click
from sqlalchemy import Connection

from dashboard.cli.audit.actors import operator
from dashboard.cli.audit.notes import key_created
from dashboard.cli.context import open_services
from dashboard.cli.params import Desk, Names, Source, command, minute
from dashboard.db.accounts import api_keys, desks, sources
from dashboard.db.audit import actions
from dashboard.db.audit.entries import Target, add
from dashboard.errors import StartError


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
        now = services.clock()

        def write(connection: Connection) -> tuple[str, int]:
            source_id = sources.ensure(connection, source, now)
            if desk is not None:
                if desks.add(connection, desk, now):
                    add(connection, now, operator(), actions.DESK_CREATED, Target(None, desk))
                sources.set_desk(connection, source_id, desk)
            if handoff:
                sources.set_handoff_only(connection, source_id)
            made = api_keys.create(connection, source_id, scopes, rate, now)
            key_created(connection, now, made, source, scopes, rate, handoff, desk)
            return made, source_id

        key, source_id = services.database.write(write)
        if handoff:
            # Also where the source was so already: an earlier call may have been interrupted here.
            for placements in services.recorder.refold(source_id):
                services.placer.place(placements)
        click.echo(key)


@command("list-keys", "List the API keys.", example="list-keys")
def list_keys() -> None:
    with open_services() as services, services.database.read() as connection:
        for key in api_keys.listing(connection):
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
        now = services.clock()

        def write(connection: Connection) -> bool:
            found = api_keys.find(connection, key)
            if found is not None and found.revoked_at is None:
                said = {"source": found.source}
                add(connection, now, operator(), actions.KEY_REVOKED, Target(found.prefix), said)
            return api_keys.revoke(connection, key, now)

        if not services.database.write(write):
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
