"""Models of the one object that each Socket.IO call on lists and threads takes."""

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, StrictInt

from dashboard.db.accounts.admin_desks import Desks
from dashboard.db.lists.named_lists import ListName
from dashboard.db.lists.views import number_of
from dashboard.errors import quoted
from dashboard.validation.accounts import Timezone
from dashboard.validation.field_errors import field_error
from dashboard.validation.fields import INTEGER_MAX, Strict, ThreadId, fault
from scoring import views

OPEN_MAX = 500
MORE_MAX = 20_000
WATCH_MAX = 500
_EPOCH_CHARACTERS_MAX = 64
_SORT = re.compile(r"[A-Za-z0-9_-]{1,40}")


def _pair(value: Any) -> tuple[Any, Any]:
    if not isinstance(value, list) or len(value) != 2:
        raise fault("wrong_type", "must be [score, id]")
    return value[0], value[1]


def _view_id(text: str) -> str:
    if text not in views.BUILT_IN_VIEWS and number_of(text) is None:
        raise fault("unknown_value", f"{quoted(text, 60)} is not the id of a view")
    return text


def _sort_name(name: str) -> str:
    if not _SORT.fullmatch(name):
        raise fault("unknown_value", f"{quoted(name, 60)} is not the name of a sort")
    return name


_Integer = Annotated[StrictInt, Field(ge=0, le=INTEGER_MAX)]
#: `[score, id]` of the last thread that the browser holds; the next part begins after it.
_After = Annotated[tuple[_Integer, _Integer], BeforeValidator(_pair)]
#: The id of a view in the API: the id of a built-in view, or `v17`.
ViewId = Annotated[str, AfterValidator(_view_id)]
#: The name of a sort; only SQL knows whether the sort exists.
SortName = Annotated[str, AfterValidator(_sort_name)]
#: An epoch. One that is too long is cut, but stays longer than any real epoch and equals none.
_Epoch = Annotated[str, AfterValidator(lambda text: text[: _EPOCH_CHARACTERS_MAX + 1])]
_ThreadIds = Annotated[list[ThreadId], Field(max_length=WATCH_MAX)]


class ListRequest(Strict):
    """`list:close`, and the members of all calls about a list: a view or a query."""

    view: ViewId | None = None
    query: str | None = None
    sort: SortName
    filter: Literal[views.FILTERS] | None = None  # type: ignore[valid-type]
    timezone: Timezone | None = None

    def list_of(self, desks: Desks) -> ListName:
        """Returns the name of the list, for an admin who sees these desks. Raises Invalid unless
        the request names either a view or a query."""
        filter = self.filter or "all"
        return checked_name(
            ListName(self.view, self.sort, filter, self.query, self.timezone, desks)
        )


def checked_name(name: ListName) -> ListName:
    """Returns the name. Raises Invalid if it has neither a view nor a query, or both."""
    if name.view is None and name.query is None:
        raise field_error("/view", "missing_field", "is missing: give `view` or `query`")
    if name.view is not None and (name.query is not None or name.timezone is not None):
        pointer = "/timezone" if name.query is None else "/query"
        raise field_error(pointer, "unknown_field", "does not go with `view`")
    return name


class ListOpenRequest(ListRequest):
    """`list:open`: a list, and the number of its first ids."""

    limit: Annotated[StrictInt, Field(ge=1, le=OPEN_MAX)]


class ListMoreRequest(ListRequest):
    """`list:more`: the next `limit` ids, or all ids up to the thread `through`."""

    after: _After
    limit: Annotated[StrictInt, Field(ge=1, le=MORE_MAX)] | None = None
    through: ThreadId | None = None


class ListSyncRequest(ListRequest):
    """`list:sync`: the changes since a version of an epoch."""

    version: _Integer
    epoch: _Epoch


class TotalsRequest(Strict):
    """`views:totals`: asks for versions, and has no members."""


class WatchThreadsRequest(Strict):
    """`threads:watch`: the threads whose rows came on screen, and those that left it."""

    add: _ThreadIds | None = None
    remove: Annotated[_ThreadIds | None, Field(alias="del")] = None


class NoticesRequest(Strict):
    """`notices:since`: a time in milliseconds."""

    since: _Integer


class ThreadRequest(Strict):
    """`thread:open` and `thread:close`: a thread."""

    id: ThreadId
