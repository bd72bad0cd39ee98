"""Commands for desks and customers."""

import click
from sqlalchemy import Connection

from dashboard.cli.context import open_services, operator
from dashboard.cli.params import Desk, Source, command
from dashboard.db import audit
from dashboard.db.accounts import admin_desks, sources
from dashboard.db.audit import Target, add
from dashboard.errors import StartError


@command(
    "create-desk",
    "Create a desk, to which threads can be handed over.",
    arguments="NAME is 1 to 32 of a-z, 0-9 and -.",
    example="create-desk billing",
)
@click.argument("desk", type=Desk(), metavar="NAME")
def create_desk(desk: str) -> None:
    with open_services() as services:
        now = services.clock()

        def write(connection: Connection) -> bool:
            added = admin_desks.add(connection, desk, now)
            if added:
                add(connection, now, operator(), audit.DESK_CREATED, Target(None, desk))
            return added

        if not services.database.write(write):
            raise StartError(f"There is a desk “{desk}” already.")
        click.echo(desk)
        click.echo("Supervisors alone see its threads until set-desks adds admins.", err=True)


@command("list-desks", "List the desks.", example="list-desks")
def list_desks() -> None:
    """Prints each desk with the sources of the threads that begin there."""
    with open_services() as services, services.database.read() as connection:
        begin = sources.by_desk(connection)
        for desk in admin_desks.names(connection):
            click.echo(f"{desk}\t{','.join(begin.get(desk, ()))}")


@command(
    "delete-customer",
    "Delete all that is kept of a customer.",
    example="delete-customer --source shop --customer c-7",
)
@click.option("--source", type=Source(), required=True, help="The chatbot whose customer it is.")
@click.option("--customer", metavar="ID", required=True, help="The customer's id at the chatbot.")
def delete_customer(source: str, customer: str) -> None:
    with open_services() as services:
        deleted = services.erasing.erase(operator(), source, customer)
        if deleted is None:
            raise StartError(f"The source {source} has no customer {customer}.")
        if not deleted.is_forgotten:
            click.echo("Redis is away: it forgets within a day when they were last seen.", err=True)
        click.echo(
            f"Deleted {deleted.threads} threads and the contents of {deleted.events} events.",
            err=True,
        )
