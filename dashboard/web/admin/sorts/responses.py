"""What the calls for sorts answer."""

from typing import Annotated

from pydantic import Field

from dashboard.web.admin.views.responses import QueryError
from dashboard.web.http import schemas
from dashboard.web.http.schemas import Absent, Answer, Milliseconds, ThreadId
from scoring.composite import Direction
from scoring.sorting.rules import By, Split

_Bits = Annotated[int, Field(description="That the highest score takes, of 53.", ge=1, le=53)]
_Tiers = Annotated[int, Field(description="The number of its tiers.", ge=1)]


class Rule(Answer):
    """A rule of a sort."""

    when: Annotated[str, Field(description="A query; empty: all threads that are left.")]
    by: By
    order: Direction
    split: Split = Absent


class Sort(Answer):
    """A sort; one that is built in cannot be changed."""

    name: str
    title: Annotated[str, Field(description="Of a built-in one, in the language of the admin.")]
    rules: list[Rule]
    timezone: Annotated[str | None, Field(description="Of the days; null of built-in ones.")]
    built_in: bool
    changed_at: Annotated[Milliseconds | None, Field(description="Null of built-in ones.")]


class Sorts(Answer):
    """All sorts: the built-in ones first, then those that are saved, by name."""

    sorts: list[Sort]


class SortPreview(Answer):
    """What rules would do to a view."""

    bits: _Bits
    tiers: _Tiers
    moved: Annotated[int, Field(description="Of `after`, those at another place than in `before`.")]
    of: Annotated[int, Field(description="How many threads `after` has, at most 200.")]
    before: Annotated[
        list[ThreadId], Field(max_length=200, description="The first ones as the view has them.")
    ]
    after: Annotated[list[ThreadId], Field(max_length=200, description="The first ones by rules.")]
    whole: Annotated[
        bool,
        Field(description="False where looking takes too long: then of the newest threads alone."),
    ]


class UsedBy(Answer):
    """A view in a sort."""

    id: str
    name: str


class SortProblem(schemas.Problem):
    """A problem with the place of a mistake in a query, the sort as it is now, or its views."""

    errors: list[QueryError]  # type: ignore[assignment]
    pointer: Annotated[str, Field(description="With `invalid_query`.")] = Absent
    at: Annotated[int, Field(description="With `invalid_query`.")] = Absent
    expected: Annotated[list[str], Field(description="With `invalid_query`.")] = Absent
    sort: Annotated[Sort, Field(description="With `changed_meanwhile`.")] = Absent
    views: Annotated[
        list[UsedBy],
        Field(description="With `in_use`: those that one sees; other admins may have more."),
    ] = Absent
