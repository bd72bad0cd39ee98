"""Runs the tests: `python -m tools.testing gate|all [pytest's arguments]`."""

import sys

import click

from tools.testing.everything import run_everything
from tools.testing.gate import run_gate

AS_PYTEST_DOES = {"ignore_unknown_options": True, "help_option_names": []}


@click.group()
def main() -> None:
    """Runs a command. Exit codes are pytest's: 0 if all passed, 1 if a test failed."""


@main.command(context_settings=AS_PYTEST_DOES)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def gate(arguments: tuple[str, ...]) -> None:
    """All tests that are not marked `slow`."""
    sys.exit(run_gate(arguments))


@main.command("all", context_settings=AS_PYTEST_DOES)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def everything(arguments: tuple[str, ...]) -> None:
    """All tests, in parts; a run that was cut off goes on with the parts that are left."""
    sys.exit(run_everything(arguments))


if __name__ == "__main__":
    main()
