"""The fields of the condition language, as data: the one place that names them.

Parser, readers, completion and tests use this table; the attributes that fields read are declared
in `scoring/conditions/subject.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from scoring.conditions.nodes import Language, Leaf, Measure, OneOf, Present, Tagged, Within
from scoring.conditions.subject import MEMBER_STATUSES, PRIORITIES

#: The form of a field's values: only its words (`word`), or also an e-mail address (`admin`), any
#: name (`name`), a tag (`tag`), a language tag (`language`), a time with an operator (`duration`),
#: days (`day`).
Kind = Literal["word", "admin", "name", "tag", "language", "duration", "day"]


@dataclass(frozen=True)
class Field:
    """One field: the values behind its colon, and the attribute of Subject that it reads.

    `words` maps each fixed value to its leaf. `me` is a word of every field of kind `admin`, and
    stands for the admin who looks.
    """

    name: str
    kind: Kind
    attribute: str = ""
    words: Mapping[str, Leaf | None] = field(default_factory=dict)
    measure: Measure = "instant"


def _choices(attribute: str, *values: Any) -> dict[str, Leaf | None]:
    return {str(value): OneOf(attribute, frozenset({value})) for value in values}


_ALL = (
    Field(
        "is",
        "word",
        words={
            "open": OneOf("closed", frozenset({False})),
            "closed": OneOf("closed", frozenset({True})),
            "waiting": Present("waiting_since"),
            "answered": OneOf("answered", frozenset({True})),
            "unanswered": OneOf("unanswered", frozenset({True})),
            "snoozed": OneOf("snoozed", frozenset({True})),
            # Late from `due_at` on: no millisecond is left.
            "late": Within("due_at", "until", frozenset({(None, 1)})),
        },
    ),
    Field(
        "assigned",
        "admin",
        "assignee_id",
        words={
            "me": None,
            "none": OneOf("assignee_id", frozenset({None})),
            "anyone": Present("assignee_id"),
        },
    ),
    Field(
        "mentions",
        "admin",
        "mentioned",
        words={"me": None, "none": Tagged("mentioned", frozenset({None}))},
    ),
    Field("priority", "word", "priority", words=_choices("priority", *PRIORITIES)),
    Field(
        "member",
        "word",
        "member_status",
        words=_choices("member_status", *MEMBER_STATUSES[1:])
        | {"none": OneOf("member_status", frozenset({-1}))},
    ),
    Field("source", "name", "source"),
    Field("desk", "name", "desk"),
    Field("tag", "tag", "tags", words={"none": Tagged("tags", frozenset({None}))}),
    Field("lang", "language", "locale", words={"none": Language("locale", frozenset({None}))}),
    Field("last", "word", "last_role", words=_choices("last_role", "client", "admin", "bot")),
    Field("has", "word", words={"file": OneOf("has_file", frozenset({True}))}),
    Field("waits", "duration", "waiting_since", measure="since"),
    Field("quiet", "duration", "last_client_at", measure="since"),
    Field("age", "duration", "first_event_at", measure="since"),
    Field("due", "duration", "due_at", measure="until"),
    Field("created", "day", "first_event_at"),
    Field("closed", "day", "closed_at"),
)
#: Every field by its name, in the order in which they are proposed.
FIELDS: Mapping[str, Field] = {entry.name: entry for entry in _ALL}

#: Unit of a time to its milliseconds, the shortest first.
UNITS = {"s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
#: The longer ones first, so that the first match is the operator in the text.
OPERATORS = (">=", "<=", ">", "<")
#: Digits of a time: with any unit it stays below 2^53 ms.
DIGITS_MAX = 8
