"""Declares commands, and the types of options that several commands share."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import click

from dashboard import PROGRAM
from dashboard.cli.commands import COMMANDS
from dashboard.db.accounts.sources import NAME
from dashboard.validation.accounts import is_email
from dashboard.validation.fields import DESK_MAX, is_desk_name

SEED_THREADS_MAX = 5_000_000
RATE_MAX = 10_000

THREADS = click.IntRange(1, SEED_THREADS_MAX)
RANDOM_SEED = click.IntRange(0, 2**63 - 1)
ID = click.IntRange(1, 2**53)
HOST_OPTION = click.option(
    "--host", default="127.0.0.1", show_default=True, help="Address to listen on."
)
PORT_OPTION = click.option(
    "--port",
    type=click.IntRange(1, 65_535),
    default=5000,
    show_default=True,
    help="Port to listen on.",
)


def command(
    name: str, *, example: str, arguments: str = ""
) -> Callable[[Callable[..., Any]], click.Command]:
    """Declares a command of the table. Its function returns the exit code, or None for 0.

    `--help` shows the description, the meaning of the arguments (options have their own help), and
    the example, which begins with the command's name.
    """
    description = COMMANDS[name][1]
    return click.command(
        name,
        help=f"{description} {arguments}".strip(),
        short_help=description,
        epilog=f"\b\nexample: {PROGRAM} {example}",
    )


Context = click.Context | None
Parameter = click.Parameter | None


class Rate(click.ParamType):
    """Events a second: above 0 and up to RATE_MAX."""

    name = "rate"

    def convert(self, value: Any, param: Parameter, ctx: Context) -> float:
        try:
            rate = float(value)
        except ValueError:
            rate = -1.0
        # Written in this way so that “nan” is refused, too.
        if not 0 < rate <= RATE_MAX:
            self.fail(f"“{value}” is not a rate above 0 and up to {RATE_MAX}.", param, ctx)
        return rate


class Source(click.ParamType):
    """The name of a chatbot."""

    name = "source"

    def convert(self, value: Any, param: Parameter, ctx: Context) -> str:
        if not NAME.fullmatch(value):
            self.fail(f"“{value}” is not 1 to 64 of a-z 0-9 -.", param, ctx)
        return value


class Desk(click.ParamType):
    """The name of a desk."""

    name = "desk"

    def convert(self, value: Any, param: Parameter, ctx: Context) -> str:
        if not is_desk_name(value):
            self.fail(f"“{value}” is not 1 to {DESK_MAX} of a-z 0-9 -.", param, ctx)
        return value


class Email(click.ParamType):
    """An e-mail address, in small letters."""

    name = "address"

    def convert(self, value: Any, param: Parameter, ctx: Context) -> str:
        text = value.strip()
        if not is_email(text):
            self.fail(f"“{value}” is not an e-mail address.", param, ctx)
        return text.lower()


class Names(click.ParamType):
    """Names separated by commas, each kept once; with `allowed`, only names in it."""

    name = "names"

    def __init__(self, allowed: tuple[str, ...] = ()):
        self._allowed = allowed

    def convert(self, value: Any, param: Parameter, ctx: Context) -> list[str]:
        if not isinstance(value, str):
            return list(value)
        names = [part.strip() for part in value.split(",")]
        wrong = [name for name in names if self._allowed and name not in self._allowed]
        if wrong:
            self.fail(f"“{wrong[0]}” is not one of {', '.join(self._allowed)}.", param, ctx)
        return list(dict.fromkeys(names))


def minute(at_ms: int) -> str:
    """Returns a time as lists print it: to the minute, in UTC."""
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")
