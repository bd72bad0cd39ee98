"""The command `delete-customer`: deletes all that is kept of a person."""

import time

import click
from redis.exceptions import RedisError

from dashboard.cli.context import open_services
from dashboard.cli.params import Source, command
from dashboard.errors import StartError
from dashboard.ingest.erase import erase_customer

#: Servers report messages as signs of life within half a second.
REPORTED_SECONDS = 1.0


@command(
    "delete-customer",
    "Delete all that is kept of a customer.",
    example="delete-customer --source shop --customer c-7",
)
@click.option("--source", type=Source(), required=True, help="The chatbot whose customer it is.")
@click.option("--customer", metavar="ID", required=True, help="The customer's id at the chatbot.")
def delete_customer(source: str, customer: str) -> None:
    with open_services() as services:
        now_ms = services.clock()
        erased = erase_customer(services.database, services.placer, source, customer, now_ms)
        if erased is None:
            raise StartError(f"The source {source} has no customer {customer}.")
        try:
            services.presence_service.forget_customer(f"{source}/{customer}", erased.thread_ids)
            # Servers may hold a message of theirs that they report as a sign of life.
            time.sleep(REPORTED_SECONDS)
            services.presence_service.forget_customer(f"{source}/{customer}", erased.thread_ids)
        except RedisError:
            click.echo("Redis is away: it forgets within a day when they were last seen.", err=True)
        click.echo(
            f"Deleted {len(erased.thread_ids)} threads and the contents of {erased.events} events.",
            err=True,
        )
