"""Tags of threads: which texts are tags, and what remains of adding and removing them."""

import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

#: Tags of a thread, and characters of a tag.
TAGS_MAX = 20
TAG_LENGTH_MAX = 32
_UPPER_CASE = ("Lu", "Lt")
_OTHERS = ("Ll", "Lm", "Lo", "Mn", "Mc", "Nd")

Tags = frozenset[str]
#: The time of a write in milliseconds, and the id of the event that wrote.
Stamp = tuple[int, str]


def is_tag_character(character: str) -> bool:
    """Whether a character may stand in a tag, in upper or lower case: a letter of any script with
    its marks, a digit, `-`."""
    return character == "-" or unicodedata.category(character) in (*_UPPER_CASE, *_OTHERS)


def folded(text: str) -> str:
    """The tag that is meant by a text: in lower case, and composed (NFC)."""
    return unicodedata.normalize("NFC", text.lower())


def is_tag(text: str) -> bool:
    """Whether a text is a tag, as it is stored."""
    categories = [unicodedata.category(each) for each in text]
    return (
        0 < len(text) <= TAG_LENGTH_MAX
        and text == folded(text)
        and categories[0] not in ("Mn", "Mc")
        and all(each in _OTHERS or text[at] == "-" for at, each in enumerate(categories))
    )


class TagChange(NamedTuple):
    """What one event adds and removes; `stamp` is its time in ms and its id."""

    stamp: Stamp
    add: Tags
    remove: Tags

    def of(self, tags: Tags) -> Tags:
        """The tags after it, where nothing later has changed the same ones."""
        return (tags - self.remove) | self.add


def tags_after(changes: Iterable[TagChange]) -> Tags:
    """The tags after all changes of a thread, given in any order: the last writer of each wins."""
    tags: Tags = frozenset()
    for change in sorted(changes, key=lambda each: each.stamp):
        tags = change.of(tags)
    return tags


class LastWriters:
    """Who wrote each tag last, as far as it is known: for changes that may come late."""

    def __init__(self, changes: Iterable[TagChange]):
        self._stamps: dict[str, Stamp] = {}
        for change in changes:
            self.add(self.winning(change))

    def winning(self, change: TagChange) -> TagChange:
        """What is left of a change without the tags that were written later."""
        stamps, stamp = self._stamps, change.stamp
        lost = {tag for tag in change.add | change.remove if stamps.get(tag, stamp) > stamp}
        return TagChange(stamp, change.add - lost, change.remove - lost)

    def add(self, won: TagChange) -> None:
        """Takes note of a change that `winning` gave."""
        self._stamps |= dict.fromkeys(won.add | won.remove, won.stamp)
