"""Which type a file has, by its content alone."""

import codecs
import re
from pathlib import Path

import puremagic
import regex

#: What is none of the types below.
UNKNOWN = "application/octet-stream"
TEXT = "text/plain"
PDF = "application/pdf"
#: Types that no program runs when it opens them; all others are told as `UNKNOWN`. Pictures are
#: among them only after they were encoded anew.
_PASSIVE = re.compile(
    r"(audio|video)/[a-z0-9.+-]+|application/(pdf|zip|gzip|x-gzip|x-7z-compressed|msword|rtf"
    r"|vnd\.(ms-(excel|powerpoint)|openxmlformats-officedocument\.[a-z.]+"
    r"|oasis\.opendocument\.[a-z]+))"
)
#: Shorter signatures fit by chance.
_SIGNATURE_MIN_BYTES = 3
_HEAD_BYTES = 64 * 1024
_NO_TEXT = regex.compile(r"[^\P{Cc}\t\n\r\f]")


def type_of(path: Path, name: str) -> str:
    """The type of a file that is no picture.

    Its name only chooses between types that begin alike, such as documents that are archives.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
        if _is_text(head):
            return PDF if head.startswith(b"%PDF-") else TEXT
        file.seek(0)
        try:
            matches = puremagic.magic_stream(file, filename=name)
        except (puremagic.PureError, ValueError):
            return UNKNOWN
    for match in matches:
        is_certain = len(match.byte_match) >= _SIGNATURE_MIN_BYTES
        if is_certain and _PASSIVE.fullmatch(match.mime_type):
            return match.mime_type
    return UNKNOWN


def _is_text(head: bytes) -> bool:
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return _NO_TEXT.search(text) is None
