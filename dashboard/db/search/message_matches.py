"""Finds messages that contain all terms of a query, in all threads or in one; makes excerpts."""

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from typing import NamedTuple

import regex
from sqlalchemy import Connection, String, TextClause, bindparam, text

from dashboard.db.accounts.admin_desks import Desks
from dashboard.db.search.search_index import POSITIONS_MISSING_QUERY, matching, message_text
from dashboard.db.search.words import Term, Word, places, words_with_positions
from dashboard.db.threads import messages

_NEWEST = {
    "sqlite": text(
        "SELECT events.thread_id, events.id, events.ranked_at, 0 FROM"
        " (SELECT rowid AS id FROM message_search WHERE words MATCH :query"
        "  ORDER BY rowid DESC LIMIT :most) AS found JOIN events ON events.id = found.id"
    ),
    # MATERIALIZED: otherwise the planner may scan all messages by id, assuming a frequent word.
    "postgresql": text(
        "WITH found AS MATERIALIZED"
        " (SELECT id, words @@ CAST(:unsure AS tsquery) AS is_unsure"
        "  FROM message_search WHERE words @@ CAST(:query AS tsquery))"
        " SELECT events.thread_id, events.id, events.ranked_at, newest.is_unsure FROM"
        " (SELECT id, is_unsure FROM found ORDER BY id DESC LIMIT :most) AS newest"
        " JOIN events ON events.id = newest.id"
    ),
}
#: The same queries for threads at some desks.
_NEWEST_AT = {
    "sqlite": text(
        "SELECT events.thread_id, events.id, events.ranked_at, 0"
        " FROM message_search CROSS JOIN events ON events.id = message_search.rowid"
        " CROSS JOIN threads ON threads.id = events.thread_id"
        " WHERE words MATCH :query AND threads.desk IN :desks"
        " ORDER BY message_search.rowid DESC LIMIT :most"
    ).bindparams(bindparam("desks", type_=String, expanding=True)),
    "postgresql": text(
        "WITH found AS MATERIALIZED"
        " (SELECT id, words @@ CAST(:unsure AS tsquery) AS is_unsure"
        "  FROM message_search WHERE words @@ CAST(:query AS tsquery))"
        " SELECT events.thread_id, events.id, events.ranked_at, found.is_unsure"
        " FROM found JOIN events ON events.id = found.id"
        " JOIN threads ON threads.id = events.thread_id WHERE threads.desk IN :desks"
        " ORDER BY events.id DESC LIMIT :most"
    ).bindparams(bindparam("desks", type_=String, expanding=True)),
}
_IN_THREAD_POSTGRES = text(
    "SELECT events.thread_id, events.id, events.ranked_at, words @@ CAST(:unsure AS tsquery)"
    " FROM events JOIN message_search ON message_search.id = events.id"
    " WHERE events.thread_id = :thread_id AND words @@ CAST(:query AS tsquery)"
)
_IN_THREAD_SQLITE = (
    "SELECT events.thread_id, events.id, events.ranked_at, 0"
    " FROM events CROSS JOIN message_search ON message_search.rowid = events.id"
    " WHERE events.thread_id = :thread_id AND events.role IS NOT NULL"
)


class MessageMatch(NamedTuple):
    """A message that matches; `at` is the time that orders conversations, in ms."""

    thread_id: int
    id: int
    at: int


def newest(
    connection: Connection, terms: Sequence[Term], most: int, desks: Desks = None
) -> tuple[list[MessageMatch], bool]:
    """Returns the matches among the newest `most` that the index gives, and whether these are all;
    only in threads at these desks, None: at any."""
    dialect = connection.dialect.name
    # One more than the limit shows whether there are more.
    parameters: dict[str, object] = {"query": matching(dialect, terms), "most": most + 1}
    statement = _NEWEST[dialect]
    if desks is not None:
        statement, parameters["desks"] = _NEWEST_AT[dialect], [*desks]
    if dialect == "postgresql":
        parameters["unsure"] = POSITIONS_MISSING_QUERY
    candidates = connection.execute(statement, parameters).all()
    return _sure(connection, candidates, terms), len(candidates) <= most


def in_thread(connection: Connection, thread_id: int, terms: Sequence[Term]) -> list[MessageMatch]:
    """Returns all matches in a thread, in the order of the conversation."""
    if not terms:
        return []
    if connection.dialect.name == "postgresql":
        parameters = {
            "thread_id": thread_id,
            "query": matching("postgresql", terms),
            "unsure": POSITIONS_MISSING_QUERY,
        }
        candidates = connection.execute(_IN_THREAD_POSTGRES, parameters).all()
    else:
        candidates = connection.execute(*_in_thread_sqlite(thread_id, terms)).all()
    return sorted(_sure(connection, candidates, terms), key=lambda match: (match.at, match.id))


def _in_thread_sqlite(
    thread_id: int, terms: Sequence[Term]
) -> tuple[TextClause, dict[str, int | str]]:
    """Returns the statement with its parameters.

    It reads the indexed words of the thread's messages: the index itself would be asked once a
    message, or for the messages of all threads.
    """
    phrases = {
        f"term_{at}": f" {' '.join(term.words)}{'' if term.open_end else ' '}"
        for at, term in enumerate(terms)
    }
    conditions = (f" AND instr(' ' || message_search.words || ' ', :{name})" for name in phrases)
    return text(_IN_THREAD_SQLITE + "".join(conditions)), {"thread_id": thread_id, **phrases}


def _sure(
    connection: Connection,
    candidates: Collection[tuple[int, int, int, bool]],
    terms: Sequence[Term],
) -> list[MessageMatch]:
    """Returns the matches among candidates (thread id, id, time, unsure); reads unsure ones."""
    unsure = [id for _, id, _, is_unsure in candidates if is_unsure]
    wrong = {
        id
        for id, message in messages.several(connection, unsure).items()
        if not _contains(message_text(message["body"], message["attachments"]), terms)
    }
    return [MessageMatch(thread, id, at) for thread, id, at, _ in candidates if id not in wrong]


def _contains(text: str, terms: Sequence[Term]) -> bool:
    words = words_with_positions(text)
    return all(places(words, term) for term in terms)


#: Code points of an excerpt, without the ellipses.
EXCERPT_MAX = 140
#: Columns shown before the first match; ideographs and kana take two.
_BEFORE_MAX = 24
_CUT = "…"
_GRAPHEME = regex.compile(r"\X")

#: A match, [from, to) in code points, and the number of its term.
Match = tuple[int, int, int]


class Excerpt(NamedTuple):
    """An excerpt; `marks` are the matches as [from, to) in code points of `text`."""

    text: str
    marks: list[tuple[int, int]]


def excerpt(text: str, terms: Sequence[Term]) -> Excerpt:
    """Returns the part of a text with the most terms, on one line; of equal parts the first.

    Neither its ends nor its marks are within a grapheme cluster, unless one cluster is longer than
    the excerpt.
    """
    words = words_with_positions(text)
    matches = _matches(words, terms)
    start, end = _window(text, words, matches)
    head, tail = (_CUT if start else ""), (_CUT if end < len(text) else "")
    shown = head + _on_one_line(text[start:end]) + tail
    spans = [(max(low, start), min(high, end)) for low, high, _ in matches]
    clusters = _clusters(text, start, end)
    whole = _merged([_widened(clusters, low, high) for low, high in spans if low < high])
    by = len(head) - start
    return Excerpt(shown, [(low + by, min(high, end) + by) for low, high in whole])


def marks(text: str, terms: Sequence[Term], most: int) -> list[tuple[int, int]]:
    """Returns the first `most` matches in the whole text, without overlaps and in order."""
    spans = _merged([match[:2] for match in _matches(words_with_positions(text), terms)])[:most]
    if not spans:
        return []
    clusters = _clusters(text, 0, spans[-1][1])
    return _merged([_widened(clusters, low, high) for low, high in spans])


def _matches(words: Sequence[Word], terms: Sequence[Term]) -> list[Match]:
    return sorted(
        (low, high, number)
        for number, term in enumerate(dict.fromkeys(terms))
        for low, high in places(words, term)
    )


def _on_one_line(text: str) -> str:
    return "".join(" " if character.isspace() else character for character in text)


def _window(text: str, words: Sequence[Word], matches: Sequence[Match]) -> tuple[int, int]:
    """Returns [from, to) of the excerpt: as many whole words as fit."""
    if len(text) <= EXCERPT_MAX:
        return 0, len(text)
    first, last = _richest(matches)
    start = _start(text, words, first, last)
    most = start + EXCERPT_MAX
    if most >= len(text):
        return start, len(text)
    ends = [word.end for word in words if first < word.end <= most]
    end = _boundary(text, start, max(ends, default=most))
    return start, end if end > start else most


def _richest(matches: Sequence[Match]) -> tuple[int, int]:
    """Returns [from, to) of matches that fit, with the most terms; then with the most matches."""
    best, best_key = (0, 0), (0, 0)
    counts: dict[int, int] = {}
    first = 0
    for last, (_, high, number) in enumerate(matches):
        counts[number] = counts.get(number, 0) + 1
        while first < last and high - matches[first][0] > EXCERPT_MAX:
            dropped = matches[first][2]
            counts[dropped] -= 1
            if not counts[dropped]:
                del counts[dropped]
            first += 1
        key = (len(counts), last - first + 1)
        if key > best_key:
            best, best_key = (matches[first][0], high), key
    return best


def _start(text: str, words: Sequence[Word], first: int, last: int) -> int:
    """Returns the start of an excerpt that shows [first, last): at a word, some columns before."""
    room = max(0, EXCERPT_MAX - (last - first))
    lowest, columns = first, 0
    while lowest > 0 and first - lowest < room:
        columns += 2 if unicodedata.east_asian_width(text[lowest - 1]) in "WF" else 1
        if columns > _BEFORE_MAX:
            break
        lowest -= 1
    if lowest == 0:
        return 0
    begin = min((word.start for word in words if lowest <= word.start <= first), default=first)
    # Grapheme clusters never extend over the end of a line.
    whole = _boundary(text, max(text.rfind("\n", 0, begin), 0), begin)
    return whole if first - whole < EXCERPT_MAX // 2 else begin


def _boundary(text: str, start: int, at: int) -> int:
    """Returns the last place at or before `at` between two grapheme clusters, or `start`."""
    end = start
    for cluster in _GRAPHEME.finditer(text, start):
        if cluster.end() > at:
            break
        end = cluster.end()
    return end


def _clusters(text: str, start: int, end: int) -> list[int]:
    """Returns the places between clusters from `start` to the first one at or after `end`."""
    places_between = [start]
    for cluster in _GRAPHEME.finditer(text, start):
        places_between.append(cluster.end())
        if cluster.end() >= end:
            break
    return places_between


def _widened(clusters: Sequence[int], low: int, high: int) -> tuple[int, int]:
    """Widens a mark to whole grapheme clusters."""
    return clusters[bisect_right(clusters, low) - 1], clusters[bisect_left(clusters, high)]


def _merged(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Merges overlapping marks; returns them in order."""
    merged: list[tuple[int, int]] = []
    for low, high in spans:
        if merged and low <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(high, merged[-1][1])
        else:
            merged.append((low, high))
    return merged
