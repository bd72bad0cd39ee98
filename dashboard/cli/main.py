"""The group of all commands, and the exit codes of their errors."""

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

import click

from dashboard.cli.admins import (
    create_admin,
    create_desk,
    delete_customer,
    disable_admin,
    list_admins,
    list_desks,
    reset_second_factor,
    set_desks,
    set_password,
)
from dashboard.cli.demo import demo
from dashboard.cli.demo_data import seed, simulate
from dashboard.cli.keys import (
    create_key,
    create_webhook,
    list_keys,
    list_webhooks,
    revoke_key,
    revoke_webhook,
    rotate_webhook,
)
from dashboard.cli.ordering import check, rebuild
from dashboard.cli.serve import serve
from dashboard.cli.transfer import audit, backup, export_events, import_events, restore
from dashboard.errors import LineupError

#: To add a command, import it and name it here; `--help` lists them in this order.
COMMANDS = (
    serve,
    demo,
    seed,
    simulate,
    rebuild,
    check,
    backup,
    restore,
    export_events,
    import_events,
    delete_customer,
    create_admin,
    list_admins,
    set_password,
    reset_second_factor,
    disable_admin,
    set_desks,
    create_desk,
    list_desks,
    create_key,
    list_keys,
    revoke_key,
    create_webhook,
    list_webhooks,
    rotate_webhook,
    revoke_webhook,
    audit,
)


_INTERRUPTING = (signal.SIGINT, signal.SIGTERM)


class InOrder(click.Group):
    """Lists its commands in the order in which they were added, not by name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


@click.group(
    "app.py",
    cls=InOrder,
    help="Lineup: a live-sorted list of chat threads.",
    no_args_is_help=False,
)
def cli() -> None:
    pass


for command in COMMANDS:
    cli.add_command(command)


def main(arguments: Sequence[str] | None = None, *, began: float | None = None) -> int:
    """Runs the command; returns 0 if done, 1 if failed, different or interrupted, 2 for wrong use.

    `began` is the start of the process, by the monotonic clock.

    SIGINT and SIGTERM interrupt a command at any point.
    """
    try:
        with interruptible():
            done = cli.main(arguments, prog_name="app.py", standalone_mode=False, obj=began)
            return done or 0
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except LineupError as error:
        click.echo(f"lineup: {getattr(error, 'detail', error)}", err=True)
        return 1
    except (click.Abort, KeyboardInterrupt):
        return 1


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
