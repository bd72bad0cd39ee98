"""What the calls for views answer."""

from typing import Annotated, Literal

from pydantic import Field

from dashboard.web.admin.responses import Row
from dashboard.web.http import schemas
from dashboard.web.http.schemas import Absent, Answer, Milliseconds

_At = Annotated[int, Field(description="The first wrong character, counted from 0.")]
_Expected = Annotated[list[str], Field(description="What would be right there.")]


class Mistake(Answer):
    """What is wrong in a query by now, such as an address that no admin has any more."""

    at: _At
    expected: _Expected


class View(Answer):
    """A view as the admin who asks sees it."""

    id: Annotated[str, Field(description="`arrival`, or such as `v17` for a saved one.")]
    name: str
    query: str
    sort: str
    owner: Annotated[str, Field(description="`me`, `desk:NAME`, `all` or `built-in`.")]
    timezone: Annotated[str | None, Field(description="Of the days; null of built-in ones.")]
    changed_at: Annotated[Milliseconds | None, Field(description="Null of built-in ones.")]
    total: Annotated[int | None, Field(description="Null while the list is built.")]
    mistake: Mistake | None


class Views(Answer):
    """All views that the admin sees, in the admin's order."""

    views: list[View]


class ViewIds(Answer):
    """The ids of all views that the admin sees, in the admin's order."""

    ids: list[str]


class ViewPreview(Answer):
    """How many threads a view would have, and the first of them."""

    total: Annotated[
        int | None,
        Field(
            description="Null where counting takes too long; then `rows` are the "
            "first of those that were looked at, the newest threads."
        ),
    ]
    rows: Annotated[list[Row], Field(max_length=20)]


class Suggestion(Answer):
    """A text that may replace the characters [from, to)."""

    text: str
    from_: Annotated[int, Field(alias="from")]
    to: int
    kind: Literal["field", "value", "operator"]


class Suggestions(Answer):
    """What may be written at the cursor, at most 20 suggestions."""

    suggestions: list[Suggestion]


class QueryError(schemas.ProblemError):
    """What is wrong; `at` and `expected` with `invalid_query`."""

    at: _At = Absent
    expected: _Expected = Absent


class ViewProblem(schemas.Problem):
    """A problem with the place of a mistake in a query, or with the view as it is now."""

    errors: list[QueryError]  # type: ignore[assignment]
    pointer: Annotated[str, Field(description="With `invalid_query`.")] = Absent
    at: _At = Absent
    expected: _Expected = Absent
    view: Annotated[View, Field(description="With `changed_meanwhile`.")] = Absent
