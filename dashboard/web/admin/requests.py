"""Bodies and query strings of the dashboard's requests."""

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StrictBool, StrictInt, WithJsonSchema
from pydantic_core import PydanticCustomError

from dashboard.db.accounts.admin_desks import Desks
from dashboard.db.lists.named_lists import ListName
from dashboard.errors import quoted
from dashboard.ingest.snoozing import Wake
from dashboard.live.requests import SortName, ViewId, checked_name
from dashboard.validation import fields
from dashboard.validation.accounts import Timezone
from dashboard.validation.fields import (
    ATTACHMENTS_MAX,
    ID_MAX,
    INTEGER_MAX,
    AdminId,
    Body,
    DeskName,
    Id,
    MessageId,
    Priority,
    Reason,
    Strict,
    ThreadId,
    Timestamp,
    check_characters,
    check_length,
    check_visible,
    fault,
    read_timestamp,
)
from dashboard.validation.tags import NewTags, Tags
from dashboard.web.http.queries import DIGITS, IDS_MAX, Ids, Query, RowId
from scoring.views import FILTERS

SHORTCUT_MAX = 32
MESSAGES_DEFAULT = 50
MESSAGES_MAX = 200
MENTIONS_MAX = 50
_SHORTCUT = re.compile("[a-z0-9-]+")


MessageText = Annotated[Body, AfterValidator(check_visible)]


#: The newest message that the admin had on screen; 0 for none.
SeenMessageId = Annotated[StrictInt, Field(ge=0, le=INTEGER_MAX)]


#: The id that `POST threads/ID/files` answered; any other text is the id of no file.
FileId = Annotated[str, Field(max_length=ID_MAX)]


class ReplyRequest(Strict):
    """A message to the customer, or a note (`private`); with files `body` may be empty.

    Only notes have `mentions`. A note mentions all colleagues that it names by `@`. If several have
    the same name, `mentions` has the ids of the intended ones. `suggestion` is the id of the
    suggestion that was taken over into a reply; it has no effect if that has an outcome already.
    """

    body: Body
    token: Id
    private: StrictBool = False
    seen_message_id: SeenMessageId | None = None
    confirm: StrictBool = False
    mentions: Annotated[list[AdminId], Field(max_length=MENTIONS_MAX)] = Field([])
    files: Annotated[list[FileId], Field(max_length=ATTACHMENTS_MAX)] = Field([])
    suggestion: MessageId | None = None


class ReleaseRequest(Strict):
    """The reason for which the admin gives the thread back."""

    reason: Reason | None = None


class EmptyRequest(Strict):
    """An empty object: the call has no parameters but its URL."""


class CloseRequest(Strict):
    """The messages that a close answers; by default all messages stored before the request."""

    seen_message_id: SeenMessageId | None = None


class PriorityRequest(Strict):
    priority: Priority


class TagsRequest(Strict):
    """Tags to add to a thread and to remove: at least one, without repetition."""

    add: NewTags = Field([])
    remove: Tags = Field([])


def _moment(text: str) -> int:
    """Parses a timestamp; one outside of the accepted years counts as past, or as too far away."""
    try:
        return read_timestamp(text)
    except PydanticCustomError as error:
        if error.type != "timestamp_out_of_range":
            raise
        is_past = int(text[:4]) < fields.YEAR_MIN
        code = "until_in_the_past" if is_past else "until_too_far"
        raise fault(code, "is in the past" if is_past else "is too far away") from None


Until: Any = Annotated[
    str,
    AfterValidator(_moment),
    WithJsonSchema(
        {"type": "string", "format": "date-time", "examples": ["2026-11-23T09:00:00+07:00"]}
    ),
]


class SnoozeRequest(Strict):
    """The end of a snooze; with `reply`, it also ends when the customer writes."""

    until: Until
    wake: Wake = "reply"


class AssignRequest(Strict):
    """The new assignee, null for nobody; the desk, by default the thread's present one; and a note
    for the assignee."""

    admin_id: AdminId | None
    desk: DeskName | None = None
    note: MessageText | None = None


class BulkRequest(Strict):
    """One action on many threads.

    Only close has `seen`, which maps thread ids to `seen_message_id`; only snooze `until` and
    `wake`; only assign `admin_id`, `desk`, `note` and `held_by`; only tag `add` and `remove`. With
    `held_by`, only threads that this admin still has are handed over.
    """

    ids: Annotated[list[ThreadId], Field(min_length=1, max_length=IDS_MAX)]
    action: Literal[
        "claim", "release", "assign", "close", "reopen", "priority", "snooze", "wake", "tag"
    ]
    admin_id: AdminId | None = None
    desk: DeskName | None = None
    note: MessageText | None = None
    held_by: AdminId | None = None
    priority: Priority | None = None
    until: Until | None = None
    wake: Wake | None = None
    add: NewTags | None = None
    remove: Tags | None = None
    seen: Annotated[dict[str, SeenMessageId], Field(max_length=IDS_MAX)] | None = None


class UndoRequest(Strict):
    """Acts of the signed-in admin, by the ids that their answers gave."""

    acts: Annotated[list[ThreadId], Field(min_length=1, max_length=IDS_MAX)]


class RowsQuery(Query):
    """The ids of the requested threads."""

    ids: Ids


class MessagesQuery(Query):
    """A part of a conversation: up to `limit` messages near the given message, or the newest."""

    before: RowId | None = None
    after: RowId | None = None
    around: RowId | None = None
    limit: Annotated[int, Field(ge=1, le=MESSAGES_MAX), DIGITS] = MESSAGES_DEFAULT


class ListQuery(Query):
    """A list: of a view, or of a query with the time zone for its days."""

    view: ViewId | None = None
    query: str | None = None
    sort: SortName
    filter: Literal[FILTERS] = "all"  # type: ignore[valid-type]
    timezone: Annotated[
        Timezone | None, Field(description="Time zone of days in `query`; default: UTC.")
    ] = None

    def list_of(self, desks: Desks) -> ListName:
        """Returns the list, for an admin with access to these desks. Raises Invalid if the request
        names neither a view nor a query, or both."""
        return checked_name(
            ListName(self.view, self.sort, self.filter, self.query, self.timezone, desks)
        )


class ExplainQuery(ListQuery):
    """A list, and a moment; without one, the list as it is."""

    at: Timestamp | None = None


def shortcut(text: str) -> str:
    """Returns the shortcut of a canned reply, which an admin types after `/`."""
    check_length(check_characters(text), SHORTCUT_MAX)
    if not _SHORTCUT.fullmatch(text):
        raise fault("unknown_value", f"{quoted(text, 60)} may have only a-z 0-9 and -")
    return text
