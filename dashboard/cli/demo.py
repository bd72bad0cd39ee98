"""The commands `demo`, `seed` and `simulate`: a desk at work, demo threads, and traffic."""

import importlib

import click

from dashboard.cli.context import open_database, open_services, read_settings
from dashboard.cli.params import HOST_OPTION, PORT_OPTION, RANDOM_SEED, THREADS, Rate, command


@command("demo", example="demo --port 8000")
@HOST_OPTION
@PORT_OPTION
@click.option(
    "--threads",
    "thread_count",
    type=THREADS,
    default=5_000,
    show_default=True,
    help="Demo threads in an empty database.",
)
@click.option(
    "--rate", type=Rate(), default=2.0, show_default=True, help="Simulated events a second."
)
def demo(host: str, port: int, thread_count: int, rate: float) -> int:
    server = importlib.import_module("dashboard.cli.demo_server")
    return int(server.serve_demo(read_settings(), server.Address(host, port), thread_count, rate))


@command("seed", example="seed --threads 100000")
@click.option("--threads", type=THREADS, required=True, help="Number of threads.")
@click.option(
    "--messages",
    type=click.IntRange(1, 1_000),
    default=3,
    show_default=True,
    help="Messages a thread, on average.",
)
@click.option("--random-seed", type=RANDOM_SEED, default=1, show_default=True)
def seed(threads: int, messages: int, random_seed: int) -> None:
    with open_services() as services:
        demo_data = importlib.import_module("dashboard.cli.demo_data")
        demo_data.seed_threads(services, threads, messages, random_seed)


@command("simulate", example="simulate --rate 20 --url http://localhost:5000 --key lu_…")
@click.option("--rate", type=Rate(), required=True, help="Events a second.")
@click.option(
    "--url",
    default="http://localhost:5000",
    show_default=True,
    help="Address at which Lineup is served.",
)
@click.option("--key", help="An API key; by default one for the source “demo” is made.")
@click.option("--random-seed", type=RANDOM_SEED, default=1, show_default=True)
def simulate(rate: float, url: str, key: str | None, random_seed: int) -> None:
    with open_database() as storage:
        if key is None:
            demo_data = importlib.import_module("dashboard.cli.demo_data")
            key = demo_data.demo_key(storage.database, demo_data.DEMO_SOURCE, storage.clock)
        run = importlib.import_module("demo.simulate").simulate_until_signalled
        sent = run(url, key, rate, now=storage.clock, random_seed=random_seed)
        click.echo(f"{sent} events")
