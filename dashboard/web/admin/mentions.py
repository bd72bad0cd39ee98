"""The dashboard's calls about mentions of the signed-in admin in notes."""

from collections.abc import Callable
from typing import Annotated, Any

from flask import Response
from pydantic import Field

from dashboard.ingest.mentioning import Mentioning
from dashboard.validation.fields import MessageId, Strict
from dashboard.web.admin.acting_admin import ActingAdmin
from dashboard.web.admin.requests import SeenMessageId
from dashboard.web.admin.responses import Answer
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import done, route


class ReadMentionsRequest(Strict):
    """The newest message that was on screen: later mentions stay unread."""

    through: SeenMessageId


class UnreadMentionRequest(Strict):
    """The note with the mention that counts as unread again."""

    message_id: MessageId


class UnreadMentions(Answer):
    """The notes of the thread with unread mentions of the admin."""

    unread: Annotated[list[int], Field(description="Ids of messages, in order.")]


class MentionsApi:
    """Calls below /admin/api/threads/ID/mentions."""

    def __init__(self, admin: ActingAdmin, mentioning: Mentioning):
        self._admin = admin
        self._mentioning = mentioning

    @route(
        "POST",
        "/threads/{thread_id}/mentions/read",
        "postMentionsRead",
        summary="Mark mentions of oneself in a thread as read",
        body=(ReadMentionsRequest,),
        example={"through": 311},
        answers=done(UnreadMentions),
    )
    def read(self, thread_id: int, body: ReadMentionsRequest) -> Response:
        """Marks mentions up to a message; without unread ones the thread leaves `mentions`."""
        return self._answer(self._mentioning.read, thread_id, body.through)

    @route(
        "POST",
        "/threads/{thread_id}/mentions/unread",
        "postMentionUnread",
        summary="Mark a mention of oneself as unread",
        body=(UnreadMentionRequest,),
        example={"message_id": 311},
        answers=done(UnreadMentions),
        problems=(404,),
    )
    def unread(self, thread_id: int, body: UnreadMentionRequest) -> Response:
        """Marks a mention as unread; the thread is in the view `mentions` again."""
        return self._answer(self._mentioning.unread, thread_id, body.message_id)

    def _answer(self, action: Callable[..., Any], thread_id: int, message_id: int) -> Response:
        return json_response({"unread": self._admin.act(action, thread_id, message_id)})
