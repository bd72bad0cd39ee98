"""The command of the audit log: prints its entries."""

import json
from typing import Any

import click

from dashboard.cli.context import open_services
from dashboard.cli.params import Context, Parameter, command
from dashboard.db.audit import Entry, Filters, every, is_action, json_lines
from dashboard.db.outbox.outgoing import timestamp
from dashboard.validation import timestamps


class Moment(click.ParamType):
    """A day, or a time with an offset; converted to milliseconds."""

    name = "time"

    def convert(self, value: Any, param: Parameter, ctx: Context) -> int:
        text = f"{value}T00:00:00Z" if len(str(value)) == len("2026-11-01") else str(value)
        try:
            return timestamps.parse(text)
        except (timestamps.TimestampError, timestamps.TimestampRangeError):
            self.fail(
                f"“{value}” is no day such as 2026-11-01, and no time such as "
                "2026-11-01T09:30:00+07:00.",
                param,
                ctx,
            )


class ActionName(click.ParamType):
    """The name of an action, or of a group of actions."""

    name = "action"

    def convert(self, value: Any, param: Parameter, ctx: Context) -> str:
        if not is_action(value):
            self.fail(f"“{value}” is no action such as key.created or webhook.", param, ctx)
        return str(value)


@command(
    "audit",
    "Print who did what to accounts, keys, webhooks and the like, the oldest first.",
    arguments="Days are those of UTC.",
    example="audit --since 2026-11-01 --action webhook --json",
)
@click.option("--since", type=Moment(), help="The first day, or time; by default all.")
@click.option("--until", type=Moment(), help="The day, or time, before which it ends.")
@click.option("--action", type=ActionName(), help="Such as key.created, or a group: webhook.")
@click.option("--actor", help="An admin's e-mail address, or a user of this machine.")
@click.option("--target", help="Such as account, webhook:3, or a name.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def audit(
    since: int | None,
    until: int | None,
    action: str | None,
    actor: str | None,
    target: str | None,
    as_json: bool,
) -> None:
    with open_services() as services:
        for entry in every(services.database, Filters(since, until, action, actor, target)):
            click.echo(
                json_lines([entry]) if as_json else "\t".join(_columns(entry)), nl=not as_json
            )


def _columns(entry: Entry) -> list[str]:
    who = entry.actor_email or entry.actor_name or "-"
    target = ":".join(filter(None, (entry.target_kind, entry.target_id)))
    said = json.dumps(entry.data, ensure_ascii=False) if entry.data else ""
    where = f"{entry.via} {entry.address}".strip()
    return [timestamp(entry.at), who, where, entry.action, target, entry.target_name, said]
