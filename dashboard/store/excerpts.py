"""What of a long text is shown where words were found in it, and where they stand there."""

from collections.abc import Sequence
from typing import NamedTuple

from dashboard.store.words import Term, Word, placed

EXCERPT_MAX = 140
#: How much is shown before the first word that was found.
_BEFORE_MAX = 40
_CUT = "…"


class Excerpt(NamedTuple):
    """`marks` are [from, to) in code points."""

    text: str
    marks: list[tuple[int, int]]


def excerpt(text: str, terms: Sequence[Term]) -> Excerpt:
    """The surroundings of what was found first, on one line."""
    standing = placed(text)
    found = sorted({range for term in terms for range in _ranges(standing, term)})
    first = found[0][0] if found else 0
    start, end = _window(text, standing, first)
    head, tail = (_CUT if start else ""), (_CUT if end < len(text) else "")
    shown = head + _on_one_line(text[start:end]) + tail
    marks = [(low - start, min(high, end) - start) for low, high in found if start <= low < end]
    return Excerpt(shown, [(low + len(head), high + len(head)) for low, high in _joined(marks)])


def _on_one_line(text: str) -> str:
    return "".join(" " if each.isspace() else each for each in text)


def _ranges(standing: Sequence[Word], term: Term) -> list[tuple[int, int]]:
    """Where the words of a term stand next to each other."""
    last = len(term.words) - 1
    return [
        (standing[at].start, standing[at + last].end)
        for at in range(len(standing) - last)
        if all(standing[at + place].text == term.words[place] for place in range(last))
        and _ends(standing[at + last].text, term)
    ]


def _ends(word: str, term: Term) -> bool:
    wanted = term.words[-1]
    return word.startswith(wanted) if term.open_end else word == wanted


def _window(text: str, standing: Sequence[Word], first: int) -> tuple[int, int]:
    """From and to: whole words, as many as there is room for."""
    if len(text) <= EXCERPT_MAX:
        return 0, len(text)
    start = 0
    if first > _BEFORE_MAX:
        start = min(word.start for word in standing if word.start >= first - _BEFORE_MAX)
    most = start + EXCERPT_MAX
    if most >= len(text):
        return start, len(text)
    ends = [word.end for word in standing if first < word.end <= most]
    return start, max(ends, default=most)


def _joined(marks: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Marks without overlaps, in order."""
    made: list[tuple[int, int]] = []
    for low, high in marks:
        if made and low <= made[-1][1]:
            made[-1] = made[-1][0], max(high, made[-1][1])
        else:
            made.append((low, high))
    return made
