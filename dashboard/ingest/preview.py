"""Which message of a thread its row shows, and how much of it."""

import regex

from dashboard.db.threads.last_writer import Stamp, wins
from dashboard.db.threads.thread_state import ThreadColumns
from dashboard.ingest.schema import ParsedEvent
from scoring.facts import ThreadEvent

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


def is_shown_next(columns: ThreadColumns, role: str, stamp: Stamp) -> bool:
    """Whether a public message takes the place of the one that the thread's row shows.

    Messages of the customer come before those of admins, and these before all others; of equals
    the newest wins. So messages in any order of arrival end in the same preview.
    """
    known, new = _RANKS.get(columns.preview_role or "", 0), _RANKS.get(role, 0)
    return new > known if new != known else wins(columns.stamps, "preview", stamp)


def show(columns: ThreadColumns, event: ParsedEvent, kept: ThreadEvent) -> None:
    """Makes the thread's row show this message, which is kept as `kept`."""
    text = event.body or next((entry["name"] for entry in event.attachments if entry["name"]), "")
    columns.preview_role = event.role
    columns.preview_body = cut(text)
    columns.preview_at = kept.ranked_at
    columns.preview_event_id = kept.id
