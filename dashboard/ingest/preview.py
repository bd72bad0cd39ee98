"""Which message of a thread its row shows, and how much of it."""

from collections.abc import Mapping
from typing import Any

import regex

from dashboard.db.threads.last_writer import Stamp, wins
from dashboard.ingest.schema import ParsedEvent

PREVIEW_MAX = 140
#: What the customer wrote is shown before anything of others, however new: an admin who looks down
#: the list reads questions, not "I am passing you on to our team". Where no customer has written,
#: an admin's message is shown before those of the chatbot and the system.
_RANKS = {"client": 2, "admin": 1}
_GRAPHEME = regex.compile(r"\X")


def cut(text: str, most: int = PREVIEW_MAX) -> str:
    """The beginning of a text, at most `most` code points, cut between grapheme clusters.

    A single cluster that is longer than `most` is cut.
    """
    if len(text) <= most:
        return text
    end = 0
    # One code point more than the limit shows whether the last cluster ends there.
    for character in _GRAPHEME.finditer(text, 0, most + 1):
        if character.end() > most:
            break
        end = character.end()
    return text[: end or most]


def is_shown_next(columns: Mapping[str, Any], role: str, stamp: Stamp) -> bool:
    """Whether a public message takes the place of the one that the thread's row shows.

    Messages of the customer come before those of admins, and these before all others; of equals
    the newest wins. So messages in any order of arrival end in the same preview.
    """
    known, new = _RANKS.get(columns["preview_role"], 0), _RANKS.get(role, 0)
    return new > known if new != known else wins(columns["stamps"], "preview", stamp)


def columns_of(event: ParsedEvent, ranked_at: int, event_id: int) -> dict[str, Any]:
    """The columns of a thread whose preview is this message."""
    text = event.body or next((entry["name"] for entry in event.attachments if entry["name"]), "")
    return {
        "preview_role": event.role,
        "preview_body": cut(text),
        "preview_at": ranked_at,
        "preview_event_id": event_id,
    }
