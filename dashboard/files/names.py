"""Names of files as senders give them, made safe to show, to send and to save."""

import unicodedata

import regex

#: Longest name that is kept, in characters; the end with the extension stays.
NAME_MAX = 120
_EXTENSION_MAX = 16
#: Controls, characters that show nothing or turn the direction of a text, and what no file system
#: takes in a name.
_UNSAFE = regex.compile(r'[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}"*:<>?|]+')
_BLANKS = regex.compile(r"\s+")
_FALLBACK = "file"


def clean(name: str) -> str:
    """The last part of a path without what is unsafe in it, in at most `NAME_MAX` characters."""
    last = unicodedata.normalize("NFC", name).replace("\\", "/").rpartition("/")[2]
    safe = _BLANKS.sub(" ", _UNSAFE.sub("", last)).strip(". ")
    if len(safe) > NAME_MAX:
        stem, dot, extension = safe.rpartition(".")
        end = dot + extension if stem and len(extension) <= _EXTENSION_MAX else ""
        safe = safe[: NAME_MAX - len(end)].rstrip(". ") + end
    return safe or _FALLBACK
