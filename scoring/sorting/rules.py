"""A sort as it is written: rules with conditions, a time, a direction and perhaps a split."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from scoring.composite import Direction
from scoring.conditions.language.query import QueryError
from scoring.conditions.subject import MEMBER_STATUSES, PRIORITIES

By = Literal[
    "recent_at",
    "waiting_since",
    "first_request_at",
    "due_at",
    "created_at",
    "closed_at",
    "assigned_at",
    "snoozed_until",
]
#: The times that saved sorts may order by.
SAVED_BY: tuple[By, ...] = tuple(by for by in get_args(By) if by != "snoozed_until")
Split = Literal["priority", "member"]

#: Maps the times that a rule may order by to attributes of Subject; the first one that has a value
#: counts.
TIMES: Mapping[By, tuple[str, ...]] = {
    **{by: (by,) for by in get_args(By)},
    "recent_at": ("last_client_at", "first_event_at"),
    "created_at": ("first_event_at",),
}

#: The attribute that a rule may split by, and its values in their natural order: one tier each.
SPLITS: Mapping[Split, tuple[str, tuple[str | int, ...]]] = {
    "priority": ("priority", PRIORITIES),
    "member": ("member_status", (*(status for status in MEMBER_STATUSES if status >= 0), -1)),
}


#: A name of a sort, as it stands in keys of Redis and in addresses.
NAME_PATTERN = "^[a-z0-9_]{1,32}$"
_NAME = re.compile(NAME_PATTERN.removesuffix("$") + r"\Z")


def is_sort_name(text: str) -> bool:
    return _NAME.match(text) is not None


class Rule(NamedTuple):
    """The place of the threads that match the query `when`, and no earlier rule.

    `by` and `order` order them; `split` makes a tier of each value. Explanations call the rule
    `name`, by default its condition. `tier` is its first tier; None: the next one after the rule
    before.
    """

    when: str
    by: By
    order: Direction
    split: Split | None = None
    name: str = ""
    tier: int | None = None


class UnknownSort(QueryError):
    """The sort that is named with a query does not exist, or no longer exists."""

    def __init__(self) -> None:
        super().__init__(0)


@dataclass(frozen=True)
class Sort:
    """An order of threads: the first rule that holds places a thread, and the last one the rest.

    `timezone` is the time zone of the days in its rules. `id` is the id of this version of a saved
    sort, and `changed_at` its time in milliseconds; both are None for a built-in sort and for one
    that is not saved.
    """

    name: str
    rules: tuple[Rule, ...]
    title: str = ""
    timezone: str = "UTC"
    id: int | None = None
    changed_at: int | None = None

    def goes_by(self, direction: Direction) -> bool:
        """Whether one of its rules orders this way."""
        return any(rule.order == direction for rule in self.rules)
