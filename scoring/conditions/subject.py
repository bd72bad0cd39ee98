"""The attributes of a thread that conditions and sorts read, each declared once."""

from collections.abc import Mapping, Sequence
from operator import attrgetter
from types import NoneType
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

#: The most urgent first.
PRIORITIES = ("urgent", "high", "normal", "low")
#: Values of `member_status`: 0 to 5 for members, -1 for a customer who is not a member.
MEMBER_STATUSES = (-1, 0, 1, 2, 3, 4, 5)

#: The source of an attribute: the facts of a thread, its other columns, its customer or its source.
Origin = Literal["facts", "columns", "customer", "source"]
#: Only a time is compared with the clock: answers about it change by themselves.
Kind = Literal["truth", "number", "text", "time", "texts"]
#: Milliseconds; None: never.
Time = Annotated[int | None, "time"]


class Of(NamedTuple):
    """More about an attribute than its type: its origin, and all values if they are few.

    `is_there`: every thread on a list has a value, though the type allows None.
    """

    origin: Origin = "facts"
    values: Sequence[Any] = ()
    is_there: bool = False


class Subject(NamedTuple):
    """The values of one thread, grouped by origin, in the order of `Origin`.

    `unanswered`: never answered, and somebody asked. `closed_at` is the time of the close in
    effect, None while the thread is open; `snoozed_until` is None unless it is snoozed.
    `member_status` is -1 for a customer who is not a member, and without a customer. `last_role` is
    the role of the last public message. `mentioned` has the ids, as texts, of the admins with
    unread mentions in notes. `has_file`: somebody ever sent a file. `source` and `desk` are names.
    """

    closed: bool = False
    answered: bool = False
    unanswered: bool = False
    snoozed: bool = False
    priority: Annotated[str, Of(values=PRIORITIES)] = "normal"
    member_status: Annotated[int, Of(values=MEMBER_STATUSES)] = -1
    waiting_since: Time = None
    last_client_at: Time = None
    first_event_at: Annotated[Time, Of(is_there=True)] = None
    closed_at: Time = None
    due_at: Time = None
    first_request_at: Time = None
    snoozed_until: Time = None
    assignee_id: Annotated[int | None, Of("columns")] = None
    assigned_at: Annotated[Time, Of("columns")] = None
    last_role: Annotated[str | None, Of("columns")] = None
    tags: Annotated[frozenset[str], Of("columns")] = frozenset()
    desk: Annotated[str, Of("columns")] = ""
    mentioned: Annotated[frozenset[str], Of("columns")] = frozenset()
    has_file: Annotated[bool, Of("columns")] = False
    locale: Annotated[str | None, Of("customer")] = None
    source: Annotated[str, Of("source")] = ""


class Attribute(NamedTuple):
    """An attribute of Subject as it is declared; see `Of`."""

    kind: Kind
    origin: Origin
    values: Sequence[Any]
    may_be_missing: bool


_KINDS: Mapping[type, Kind] = {bool: "truth", int: "number", str: "text", frozenset: "texts"}


def _declared(hint: Any) -> Attribute:
    annotated, *notes = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    of = next((note for note in notes if isinstance(note, Of)), Of())
    base, *others = get_args(annotated) if NoneType in get_args(annotated) else (annotated,)
    kind = "time" if "time" in notes else _KINDS[get_origin(base) or base]
    values = (False, True) if kind == "truth" else of.values
    may_be_missing = NoneType in others and not of.is_there
    return Attribute(kind, of.origin, values, may_be_missing)


#: Every attribute by its name, in the order of Subject.
ATTRIBUTES: Mapping[str, Attribute] = {
    name: _declared(hint) for name, hint in get_type_hints(Subject, include_extras=True).items()
}
#: The attributes that are true or false, and the sets of texts.
TRUTHS, SETS = (
    tuple(name for name, attribute in ATTRIBUTES.items() if attribute.kind == kind)
    for kind in ("truth", "texts")
)
#: Returns the values that come from columns, of an object with attributes of the same names.
said_by_columns = attrgetter(
    *(name for name, attribute in ATTRIBUTES.items() if attribute.origin == "columns")
)
