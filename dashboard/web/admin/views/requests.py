"""Bodies and query strings of the calls for views."""

from typing import Annotated

from pydantic import AfterValidator, Field, StrictInt

from dashboard.db.lists.views import DESK, NAME_MAX, OWN_MAX, SHARED_MAX
from dashboard.errors import quoted
from dashboard.live.requests import ViewId
from dashboard.validation.fields import (
    INTEGER_MAX,
    Partial,
    Strict,
    check_characters,
    check_length,
    check_line,
    fault,
)
from dashboard.validation.timezones import Timezone
from dashboard.web.http.queries import DIGITS, Query
from scoring.conditions.language.parser import LENGTH_MAX
from scoring.views import BUILT_IN_VIEWS

IDS_MAX = len(BUILT_IN_VIEWS) + OWN_MAX + SHARED_MAX


def _owner(text: str) -> str:
    check_length(check_characters(text), NAME_MAX)
    if text not in ("me", "all") and not text.startswith(DESK):
        raise fault("unknown_value", f"must be me, all or desk:NAME, not {quoted(text, 60)}")
    return text


_Name = Annotated[str, AfterValidator(lambda text: check_line(text, NAME_MAX))]
_Owner = Annotated[
    str,
    AfterValidator(_owner),
    Field(description="`me`, `desk:NAME` or `all`; the last two are for supervisors."),
]
#: The time of the last change that the sender knows of.
_ChangedAt = Annotated[StrictInt, Field(ge=0, le=INTEGER_MAX)]


class ViewPreviewRequest(Strict):
    """Conditions and a sort."""

    query: str
    sort: str
    timezone: Timezone | None = None


class NewViewRequest(ViewPreviewRequest):
    """A view to be saved."""

    name: _Name
    owner: _Owner = "me"


class ViewRequest(ViewPreviewRequest, Partial):
    """What a view becomes; without `owner` and `timezone` these stay as they are."""

    name: _Name
    owner: _Owner | None = None
    changed_at: Annotated[
        _ChangedAt | None,
        Field(description="As it was read: the view is not changed where it is another by now."),
    ] = None


class ViewOrderRequest(Strict):
    """Ids of views in an order of one's own."""

    ids: Annotated[list[ViewId], Field(max_length=IDS_MAX)]


class CompletionQuery(Query):
    """A query that somebody is typing, and where the cursor stands; without it, at the end."""

    text: Annotated[str, AfterValidator(lambda text: check_length(text, LENGTH_MAX))] = ""
    at: Annotated[int, Field(ge=0, le=INTEGER_MAX), DIGITS] | None = None
