"""Bodies of the calls for sorts."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StrictInt

from dashboard.errors import quoted
from dashboard.live.requests import ViewId
from dashboard.validation.fields import (
    INTEGER_MAX,
    Partial,
    Strict,
    check_length,
    check_line,
    fault,
)
from dashboard.validation.timezones import Timezone
from scoring.composite import Direction
from scoring.conditions.language.parser import LENGTH_MAX
from scoring.sorting.rules import NAME_PATTERN, SAVED_BY, Rule, Split, is_sort_name
from scoring.sorts import BUILT_IN

NAME_MAX = 32
TITLE_MAX = 80
RULES_MAX = 20
#: Names of calls below /sorts, where a sort of such a name could not be reached.
CALLS = ("preview",)


def _name(text: str) -> str:
    check_length(text, NAME_MAX)
    if not is_sort_name(text):
        raise fault("invalid_name", "may have the characters a-z, 0-9 and _ alone, at least one")
    if text in BUILT_IN:
        raise fault("invalid_name", f"must be another one than {quoted(text)}, which is built in")
    if text in CALLS:
        raise fault("invalid_name", f"must be another one than {quoted(text)}, which is a call")
    return text


_Name = Annotated[
    str,
    AfterValidator(_name),
    Field(json_schema_extra={"pattern": NAME_PATTERN}, description="Not one of a built-in sort."),
]
_Title = Annotated[
    str, AfterValidator(lambda text: check_line(text, TITLE_MAX)), Field(max_length=TITLE_MAX)
]


class RuleRequest(Strict):
    """One rule: `when` says which threads it places that no earlier one does, and `by` and `order`
    how they stand; `split` makes a tier of each value."""

    when: Annotated[str, Field(description=f"A query of up to {LENGTH_MAX:,} characters.")]
    by: Literal[SAVED_BY]  # type: ignore[valid-type]
    order: Direction
    split: Split | None = None

    def rule(self) -> Rule:
        return Rule(self.when, self.by, self.order, self.split)


_Rules = Annotated[list[RuleRequest], Field(max_length=RULES_MAX)]
_Timezone = Annotated[
    Timezone | None,
    Field(description="Of the days in the rules; by default that of the profile, else UTC."),
]


class NewSortRequest(Strict):
    """A sort to be saved."""

    name: _Name
    title: _Title
    rules: _Rules
    timezone: _Timezone = None


class SortRequest(Partial):
    """What a sort becomes; its name stays, and without `timezone` that stays as it was."""

    name: Annotated[
        str | None, Field(description="The name in the address, which it may repeat.")
    ] = None
    title: _Title
    rules: _Rules
    timezone: _Timezone = None
    changed_at: Annotated[
        Annotated[StrictInt, Field(ge=0, le=INTEGER_MAX)] | None,
        Field(description="As it was read: the sort is not changed where it is another by now."),
    ] = None


class SortPreviewRequest(Strict):
    """Rules that are being written, and a view in which to try them."""

    rules: _Rules
    view: ViewId
    timezone: _Timezone = None
