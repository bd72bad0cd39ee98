"""What a search finds within one thread, with the matches marked in its messages."""

from typing import Any

from sqlalchemy import Connection

from dashboard.db.search import message_matches
from dashboard.db.search.excerpts import marks
from dashboard.db.search.search_index import message_text
from dashboard.db.search.words import terms
from dashboard.db.threads import messages

#: Messages that are listed, the newest ones.
MATCHES_MAX = 1_000
#: Marks in one message.
MARKS_MAX = 200


def find(connection: Connection, thread_id: int, query: str) -> dict[str, Any]:
    """The messages of the thread that contain all terms of the query, as dashboards get them.

    In the order of the conversation, and the number of all of them.
    """
    query_terms = terms(query)
    found = message_matches.in_thread(connection, thread_id, query_terms)
    listed = found[-MATCHES_MAX:]
    texts = {
        id: message_text(message["body"], message["attachments"])
        for id, message in messages.several(connection, [match.id for match in listed]).items()
    }
    matches = [
        {"id": match.id, "at": match.at, "marks": marks(texts[match.id], query_terms, MARKS_MAX)}
        for match in listed
        if match.id in texts
    ]
    return {"matches": matches, "total": len(found)}
