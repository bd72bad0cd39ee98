"""The command `delete-customer`: deletes all that is kept of a person."""

import click

from dashboard.cli.audit.actors import operator
from dashboard.cli.context import open_services
from dashboard.cli.params import Source, command
from dashboard.errors import StartError


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
