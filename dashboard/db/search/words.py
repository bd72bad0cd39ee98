"""Words of texts for the search index: folded, then split."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scoring.conditions.folding import QUOTES, plain, unmarked

#: Longer words are indexed by this prefix: PostgreSQL accepts no lexeme of 2 KB.
WORD_MAX = 64
#: Maximum number of terms of a query; further ones are ignored.
TERMS_MAX = 16

#: Scripts that put no spaces between words: Thai, Lao, Myanmar, Khmer, kana, Han, Hangul. Runs of
#: them are cut into overlapping pairs, so that any two neighbours can be found.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u3400-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
_RUN = re.compile(f"[{_UNSPACED}]+")
_PART = re.compile(rf"([{_UNSPACED}]+)|[^\W_{_UNSPACED}]+|\S")
_SPACED_PART = re.compile(r"[^\W_]+|\S")
#: A phrase with its closing quote, or a word that does not begin with a quote.
_QUERY_PART = re.compile(rf"[{QUOTES}]([^{QUOTES}]*)([{QUOTES}]?)|\S+")
#: A voiced kana may be written as two code points, which belong together.
_VOICING = "\u3099\u309a\uff9e\uff9f"
#: ASCII punctuation is indexed as private-use code points: tokenizers and query languages would
#: interpret it.
_PUNCTUATION = 0xE000


class Word(NamedTuple):
    """A word of the index, and the [start, end) of its origin in the text."""

    text: str
    start: int
    end: int


class Term(NamedTuple):
    """Words that follow each other; with `open_end` the last one is a prefix."""

    words: tuple[str, ...]
    open_end: bool


class _Folding(dict[int, str]):
    """Maps code points to their folded text; filled on first use."""

    def __missing__(self, code: int) -> str:
        self[code] = folded_text = _fold(chr(code))
        return folded_text


def _fold(character: str) -> str:
    whole = plain(character)
    if _RUN.fullmatch(whole):
        return whole
    return "".join(map(_coded, unmarked(whole)))


def _coded(text: str) -> str:
    is_punctuation = text.isascii() and text.isprintable() and not text.isalnum() and text != " "
    return chr(_PUNCTUATION + ord(text)) if is_punctuation else text


_FOLDING = _Folding()


#: The letters of a Korean syllable, as macOS writes the names of files.
_LETTERS_OF_SYLLABLE = re.compile(
    "[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?|[\uac00-\ud7a3][\u11a8-\u11c2]"
)


def folded(text: str) -> str:
    """Removes the differences that a search ignores: case, marks, widths, and variants of
    apostrophes, quotes and hyphens."""
    result = text.translate(_FOLDING)
    if "\u3099" in result or "\u309a" in result:
        result = unicodedata.normalize("NFC", result)
    return _LETTERS_OF_SYLLABLE.sub(lambda found: unicodedata.normalize("NFC", found[0]), result)


def words(text: str) -> list[str]:
    """Returns the words of a text in order, as the index holds them."""
    if text.isascii():
        # ASCII has none of the scripts without spaces, and needs no positions.
        return [word[:WORD_MAX] for word in _SPACED_PART.findall(folded(text))]
    return [word for word, _, _ in _cut(folded(text))]


def words_with_positions(text: str) -> list[Word]:
    """Returns the words of a text with their positions in it."""
    if text.isascii():
        return [Word(*part) for part in _cut(folded(text))]
    pieces: list[str] = []
    origins: list[tuple[int, int]] = []
    for start, end, piece in _characters(text):
        pieces.append(piece)
        origins += [(start, end)] * len(piece)
    return [
        Word(word, origins[start][0], origins[end - 1][1])
        for word, start, end in _cut("".join(pieces))
    ]


def terms(query: str) -> list[Term]:
    """Returns the terms of a query: words, and quoted phrases. A text must contain all of them.

    The words of a phrase stand next to each other, in their order. The query's last word may be a
    prefix, unless a quote follows it: a phrase without its closing quote is being typed.
    """
    query_terms: list[Term] = []
    is_typed = False
    for part in _QUERY_PART.finditer(query):
        term = _term(folded(part[0] if part[1] is None else part[1]))
        if term is not None:
            query_terms.append(term)
            is_typed = not part[2]
    query_terms = query_terms[:TERMS_MAX]
    if query_terms and is_typed and query_terms[-1].words[-1].isalnum():
        query_terms[-1] = query_terms[-1]._replace(open_end=True)
    return query_terms


def places(word_list: Sequence[Word], term: Term) -> list[tuple[int, int]]:
    """Returns [start, end) of each place in the text that has the words of a term in a row."""
    last = len(term.words) - 1
    return [
        (word_list[at].start, word_list[at + last].end)
        for at in range(len(word_list) - last)
        if all(word_list[at + offset].text == term.words[offset] for offset in range(last))
        and _ends(word_list[at + last].text, term)
    ]


def _ends(word: str, term: Term) -> bool:
    last = term.words[-1]
    return word.startswith(last) if term.open_end else word == last


def _term(part: str) -> Term | None:
    part_words = [word for word, _, _ in _cut(part)]
    if not part_words:
        return None
    *_, last = _PART.finditer(part)
    if last[1] and len(last[1]) > 1:
        # The index holds the last character of a run by itself; this run may go on.
        return Term(tuple(part_words[:-1]), False)
    return Term(tuple(part_words), bool(last[1]))


def _cut(text: str) -> Iterator[tuple[str, int, int]]:
    for match in _PART.finditer(text):
        start, end = match.span()
        if match[1] is None:
            yield match[0][:WORD_MAX], start, end
            continue
        for at in range(start, end):
            last = min(at + 2, end)
            yield text[at:last], at, last


def _characters(text: str) -> Iterator[tuple[int, int, str]]:
    """Yields (start, end, folded) of each character together with the marks that belong to it."""
    start, piece = 0, ""
    for at, character in enumerate(text):
        if (character in _VOICING or "\u1160" <= character <= "\u11ff") and at > start:
            piece = folded(text[start : at + 1])
            continue
        own = _FOLDING[ord(character)]
        if own or at == 0:
            if at:
                yield start, at, piece
            start, piece = at, own
    if text:
        yield start, len(text), piece
