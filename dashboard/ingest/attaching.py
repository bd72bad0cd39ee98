"""Attaches files that an admin uploaded to the message that the admin writes."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection

from dashboard.db import files
from dashboard.errors import FieldError, Invalid
from dashboard.files.addresses import OWN_PATH
from dashboard.files.store import ID

#: A file of a message as it is stored: `url`, `type` and `name`.
Attachment = dict[str, Any]


def taken(
    connection: Connection, thread_id: int, admin_id: int, ids: Sequence[str]
) -> list[Attachment]:
    """Returns the attachments of a message with these files, which stay locked.

    Raises Invalid for each that the admin has not uploaded for this thread, or that is in a message
    already.
    """
    # A text that cannot be the id of a file may be one that a database refuses.
    possible = [id for id in ids if ID.fullmatch(id)]
    found = files.take(connection, thread_id, admin_id, possible)
    wrong = [
        FieldError(f"/files/{at}", "unknown_file", f"“files/{at}” is no file that waits for this.")
        for at, id in enumerate(ids)
        if id not in found or id in ids[:at]
    ]
    if wrong:
        raise Invalid(wrong)
    return [{"url": OWN_PATH + id, "type": found[id].type, "name": found[id].name} for id in ids]


def ids_of(attachments: Sequence[Attachment]) -> list[str]:
    """Returns the ids of the files among a message's attachments."""
    urls = (each["url"] for each in attachments)
    return [url.removeprefix(OWN_PATH) for url in urls if url.startswith(OWN_PATH)]
