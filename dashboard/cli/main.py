"""The group of all commands, and the exit codes of their errors."""

import errno
import os
import signal
import sys
from collections import UserDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from types import FrameType, ModuleType
from typing import Any, NoReturn

import click

from dashboard import PROGRAM
from dashboard.cli.commands import COMMANDS
from dashboard.errors import LineupError

_INTERRUPTING = (signal.SIGINT, signal.SIGTERM)
#: Errors of writing to a full disk, or to a program that has ended.
_OF_OUTPUT = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EPIPE)


#: Import the modules of commands; a command starts without those of the others.
MODULES: dict[str, Callable[[], ModuleType]] = {
    "admins": lambda: import_module("dashboard.cli.admins"),
    "demo": lambda: import_module("dashboard.cli.demo"),
    "keys": lambda: import_module("dashboard.cli.keys"),
    "ordering": lambda: import_module("dashboard.cli.ordering"),
    "serve": lambda: import_module("dashboard.cli.serve"),
    "transfer": lambda: import_module("dashboard.cli.transfer"),
}


class LoadedWhenUsed(UserDict[str, Any]):
    """The commands of the table; each is loaded when it is asked for."""

    def __getitem__(self, name: str) -> click.Command:
        values = vars(MODULES[COMMANDS[name][0]]()).values()
        return next(
            value for value in values if isinstance(value, click.Command) and value.name == name
        )


class Commands(click.Group):
    """Lists the commands in the order of the table, and loads only the one that runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


cli = Commands(
    PROGRAM,
    commands=LoadedWhenUsed(COMMANDS),
    help="Lineup: a live-sorted list of chat threads.",
    no_args_is_help=False,
)


def main(arguments: Sequence[str] | None = None, *, began: float | None = None) -> int:
    """Runs the command; returns 0 if done, 1 if failed, different or interrupted, 2 for wrong use.

    `began` is the start of the process, by the monotonic clock.

    SIGINT and SIGTERM interrupt a command at any point.
    """
    try:
        with interruptible():
            done = cli.main(arguments, prog_name=PROGRAM, standalone_mode=False, obj=began)
            _flush()
            return done or 0
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except LineupError as error:
        click.echo(f"lineup: {getattr(error, 'detail', error)}", err=True)
        return 1
    except (click.Abort, KeyboardInterrupt):
        return 1
    except OSError as error:
        if error.errno not in _OF_OUTPUT:
            raise
        click.echo(f"lineup: The output cannot be written: {error.strerror}.", err=True)
        return 1
    finally:
        _drop_output()


def _flush() -> None:
    # Missing if the command was started without it.
    if sys.stdout is not None:
        sys.stdout.flush()


def _drop_output() -> None:
    """Drops what cannot be written any more: at its exit Python would try again, and complain."""
    try:
        _flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def interruptible() -> Iterator[None]:
    """Treats SIGTERM like Ctrl+C: the command cleans up what it began, such as a lock, half-filled
    lists or a temporary file. Further signals do not interrupt the clean-up.

    Commands that serve replace these handlers while they serve.
    """

    interruptions = []

    def interrupt(number: int, frame: FrameType | None) -> NoReturn:
        interruptions.append(number)
        for signal_number in _INTERRUPTING:
            signal.signal(signal_number, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in _INTERRUPTING}
    try:
        yield
    except BaseException:
        if interruptions:
            # A library that was waiting may have turned the interruption into an error of its own.
            raise KeyboardInterrupt from None
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
