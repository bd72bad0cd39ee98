"""Tags of threads: the texts that are tags, and the result of adding and removing tags."""

import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import NamedTuple

import regex

from scoring.conditions.folding import plain

#: Tags of a thread, and characters of a tag.
TAGS_MAX = 20
TAG_LENGTH_MAX = 32
_UPPER_CASE = ("Lu", "Lt")
_OTHERS = ("Ll", "Lm", "Lo", "Mn", "Mc", "Nd")

#: Unicode's scripts by their ISO 15924 codes.
_SCRIPTS = (
    "Latn Cyrl Grek Arab Hebr Thai Deva Adlm Aghb Ahom Armi Armn Avst Bali Bamu Bass Batk Beng Bhks"
    " Bopo Brah Brai Bugi Buhd Cakm Cans Cari Cham Cher Chrs Copt Cpmn Cprt Diak Dogr Dsrt Dupl"
    " Egyp Elba Elym Ethi Geor Glag Gong Gonm Goth Gran Gujr Guru Hang Hani Hano Hatr Hira Hluw"
    " Hmng Hmnp Hung Ital Java Kali Kana Kawi Khar Khmr Khoj Kits Knda Kthi Lana Laoo Lepc Limb"
    " Lina Linb Lisu Lyci Lydi Mahj Maka Mand Mani Marc Medf Mend Merc Mero Mlym Modi Mong Mroo"
    " Mtei Mult Mymr Nagm Nand Narb Nbat Newa Nkoo Nshu Ogam Olck Orkh Orya Osge Osma Ougr Palm"
    " Pauc Perm Phag Phli Phlp Phnx Plrd Prti Rjng Rohg Runr Samr Sarb Saur Sgnw Shaw Shrd Sidd"
    " Sind Sinh Sogd Sogo Sora Soyo Sund Sylo Syrc Tagb Takr Tale Talu Taml Tang Tavt Telu Tfng"
    " Tglg Thaa Tibt Tirh Tnsa Toto Ugar Vaii Vith Wara Wcho Xpeo Xsux Yezi Yiii Zanb"
)
#: Scripts that may stand in one tag, the commonest first.
_WRITTEN_TOGETHER = (
    *("Latn", "Latn+Hani+Hira+Kana", "Latn+Hani+Hang", "Latn+Hani+Bopo"),
    *_SCRIPTS.split(),
)

Tags = frozenset[str]
#: The time of a write in milliseconds, and the id of its event.
Stamp = tuple[int, str]


def is_tag_character(character: str) -> bool:
    """Whether a character may stand in a tag, in upper or lower case: a letter of any script with
    its marks, a digit, `-`."""
    return character == "-" or unicodedata.category(character) in (*_UPPER_CASE, *_OTHERS)


def folded(text: str) -> str:
    """Returns the tag that a text means: in lower case, composed, in one width.

    A character stays as it is if its plain form may not stand in a tag.
    """
    forms = [(character, plain(character)) for character in text]
    parts = (form if form and all(map(is_tag_character, form)) else one for one, form in forms)
    return unicodedata.normalize("NFC", "".join(parts).lower())


def is_tag(text: str) -> bool:
    """Whether a text is a tag, as it is stored."""
    categories = [unicodedata.category(character) for character in text]
    return (
        0 < len(text) <= TAG_LENGTH_MAX
        and text == folded(text)
        and categories[0] not in ("Mn", "Mc")
        and all(category in _OTHERS or text[at] == "-" for at, category in enumerate(categories))
    )


@lru_cache(maxsize=10_000)
def mixes_scripts(tag: str) -> bool:
    """Whether a tag has letters of scripts that are not written together, such as Latin `p` and
    Cyrillic `р`, which look alike.

    Scripts are taken from Unicode's Script_Extensions. Han goes with kana, with Bopomofo and with
    Hangul, and each of these with Latin: "highly restrictive" in Unicode Technical Standard 39.
    """
    return not any(_written_in(scripts).fullmatch(tag) for scripts in _WRITTEN_TOGETHER)


@cache
def _written_in(scripts: str) -> "regex.Pattern[str]":
    names = ("Common", "Inherited", *scripts.split("+"))
    return regex.compile("[" + "".join(r"\p{scx=%s}" % name for name in names) + "]+")  # noqa: UP031


class TagChange(NamedTuple):
    """The tags that one event adds and removes; `stamp` is its time in ms and its id."""

    stamp: Stamp
    add: Tags
    remove: Tags

    def of(self, tags: Tags) -> Tags:
        """Returns the tags after the change, if nothing later has changed the same tags."""
        return (tags - self.remove) | self.add


def tags_after(changes: Iterable[TagChange]) -> Tags:
    """Returns the tags after all changes, in any order: the last writer of each tag wins."""
    tags: Tags = frozenset()
    for change in sorted(changes, key=lambda change: change.stamp):
        tags = change.of(tags)
    return tags


class LastWriters:
    """The stamp of each tag's last known write: for changes that may come late."""

    def __init__(self, changes: Iterable[TagChange]):
        self._stamps: dict[str, Stamp] = {}
        for change in changes:
            self.add(self.winning(change))

    def winning(self, change: TagChange) -> TagChange:
        """Returns the change without the tags that were written later."""
        stamps, stamp = self._stamps, change.stamp
        lost = {tag for tag in change.add | change.remove if stamps.get(tag, stamp) > stamp}
        return TagChange(stamp, change.add - lost, change.remove - lost)

    def add(self, won: TagChange) -> None:
        """Records a change that `winning` returned."""
        self._stamps |= dict.fromkeys(won.add | won.remove, won.stamp)
