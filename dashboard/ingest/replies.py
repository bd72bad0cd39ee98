"""Replies and notes of admins, and how far the author of an act has seen the thread."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection

from dashboard.db import files
from dashboard.db.mentions import Mentioned, of_note
from dashboard.db.threads import events, messages
from dashboard.db.threads.messages import Attachment
from dashboard.db.threads.thread_states import ThreadState
from dashboard.errors import FieldError, Invalid, Problem
from dashboard.event_types import MESSAGE
from dashboard.files.addresses import OWN_PATH
from dashboard.files.store import ID
from dashboard.ingest.event_writer import Author
from dashboard.ingest.mentioning import mentioned_in
from dashboard.ingest.outgoing import Admin
from dashboard.ingest.schema import ParsedEvent
from dashboard.ingest.schema import event as new_event
from dashboard.validation.field_errors import field_error


def taken(
    connection: Connection, thread_id: int, admin_id: int, ids: Sequence[str]
) -> list[Attachment]:
    """Returns the attachments of a message with these files, which stay locked.

    Raises Invalid for a file that the admin did not upload for this thread, or has sent already.
    """
    # A database may refuse a text that cannot be the id of a file.
    rows = files.take(connection, thread_id, admin_id, [id for id in ids if ID.fullmatch(id)])
    wrong = [
        FieldError(
            f"/files/{at}", "unknown_file", f"“files/{at}” is not an unsent file of this thread."
        )
        for at, id in enumerate(ids)
        if id not in rows or id in ids[:at]
    ]
    if wrong:
        raise Invalid(wrong)
    return [{"url": OWN_PATH + id, "type": rows[id].type, "name": rows[id].name} for id in ids]


def ids_of(attachments: Sequence[Attachment]) -> list[str]:
    """Returns the ids of the files among a message's attachments."""
    urls = (attachment["url"] for attachment in attachments)
    return [url.removeprefix(OWN_PATH) for url in urls if url.startswith(OWN_PATH)]


#: The field of a reply or close with the message that its author has seen.
SEEN_POINTER = "/seen_message_id"


class Reply(NamedTuple):
    """An admin's message: public, or a private note.

    `token` is the browser's idempotency key: the same token is the same message. `seen_message_id`
    is the newest message that the admin has seen (0: none; None: the last one stored before the
    call); `confirm` sends even if newer ones came. `files` are ids of files that the admin uploaded
    for the thread. `mentions` are the admins meant by names that several have. `suggestion` is the
    suggestion that the admin took over into the text.
    """

    body: str
    token: str
    private: bool = False
    seen_message_id: int | None = None
    confirm: bool = False
    files: Sequence[str] = ()
    mentions: Sequence[int] = ()
    suggestion: int | None = None


class ReplyResult(NamedTuple):
    """The stored message; `created` is False if the token was used before."""

    message: messages.Message
    created: bool


def seeing(
    connection: Connection,
    author: Author,
    thread_id: int,
    seen_message_id: int,
    pointer: str = SEEN_POINTER,
) -> Author:
    """Adds `seen_id` to the author. Raises Invalid, at `pointer`."""
    seen_id = events.seen_id(connection, thread_id, seen_message_id)
    if seen_id is None:
        raise field_error(pointer, "unknown_value", "is not a message of this thread")
    return author._replace(seen_id=seen_id)


def event_id(admin: Admin, reply: Reply) -> str:
    """Returns the id of a reply's event: the same token is the same message."""
    return f"{admin.id}:{reply.token}"


def reply_event(
    admin: Admin, state: ThreadState, reply: Reply, attachments: Sequence[Attachment], now: int
) -> ParsedEvent:
    return new_event(
        event_id(admin, reply),
        MESSAGE.name,
        now,
        thread=state.external_id,
        role="admin",
        body=reply.body,
        private=reply.private,
        attachments=attachments,
    )


def stored_reply(
    connection: Connection, event: events.KnownEvent, reply: Reply, state: ThreadState
) -> messages.Message:
    """Returns the message stored with the token. Raises Problem if it differs from the reply."""
    message = messages.one(connection, event.id)
    content = (state.id, reply.body, reply.private, list(reply.files))
    if (
        message is None
        or content != _content(message)
        or not of_note(connection, event.id).issuperset(reply.mentions)
    ):
        raise Problem(409, "event_id_conflict", "Another message was sent with this token.")
    return message


def mentioned(
    connection: Connection, admin: Admin, state: ThreadState, reply: Reply
) -> list[Mentioned]:
    """Returns the mentions of a note; a reply has none. Raises Invalid."""
    if not reply.private:
        return []
    return mentioned_in(connection, admin, state.columns.desk, reply.body, reply.mentions)


def _content(message: messages.Message) -> tuple[int, str | None, bool, list[str]]:
    files = ids_of(message["attachments"])
    return message["thread_id"], message["body"], message["private"], files


def check_all_seen(
    connection: Connection, admin: Admin, thread_id: int, seen_message_id: int
) -> None:
    unseen = messages.after(connection, thread_id, seen_message_id)
    if any(_stops_reply(message, admin) for message in unseen):
        raise Problem(
            409,
            "conversation_moved",
            "New messages have arrived that you have not seen.",
            extra={"unseen": unseen},
        )


def _stops_reply(message: messages.Message, admin: Admin) -> bool:
    if message["role"] == "client":
        return True
    by_another = message["author"] is None or message["author"]["id"] != admin.id
    return message["role"] == "admin" and not message["private"] and by_another
