"""Tags in requests: each in the form in which it is stored, none of them named twice."""

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, Field, WithJsonSchema

from dashboard.errors import quoted
from dashboard.validation.field_errors import field_error
from dashboard.validation.fields import check_characters, check_length, fault
from dashboard.validation.visible import hides_something
from scoring.conditions.tags import TAG_LENGTH_MAX, TAGS_MAX, folded, is_tag

#: As far as JSON schemas say it: of ASCII these alone; which others are letters is not said.
TAG_PATTERN = r"^[^\u0000-,./:-`{-\u007f]+$"


def check_tag(text: str) -> str:
    """A tag, composed (NFC): 1 to 32 letters of any script in lower case, digits and `-`."""
    tag = unicodedata.normalize("NFC", check_characters(text))
    check_length(tag, TAG_LENGTH_MAX)
    if is_tag(tag) and not hides_something(tag):
        return tag
    if tag != folded(tag) and is_tag(folded(tag)):
        raise fault("invalid_tag", f"{quoted(tag)} is not in lower case")
    raise fault("invalid_tag", f"{quoted(tag)} is no tag: 1 to {TAG_LENGTH_MAX} letters, digits, -")


Tag: Any = Annotated[
    str,
    AfterValidator(check_tag),
    WithJsonSchema(
        {
            "type": "string",
            "minLength": 1,
            "maxLength": TAG_LENGTH_MAX,
            "pattern": TAG_PATTERN,
            "description": "Letters of any script in lower case, digits and hyphens.",
            "examples": ["refund", "đổi-trả"],
        }
    ),
]
TagList: Any = Annotated[list[Tag], Field(max_length=TAGS_MAX)]


def check_change(add: Sequence[str], remove: Sequence[str], pointer: str = "") -> None:
    """Raises Invalid where no tag is named, or one of them twice; `pointer`: where both stand."""
    if not add and not remove:
        raise field_error(f"{pointer}/add", "missing_field", "is missing, and so is “remove”")
    seen: set[str] = set()
    for where, tag in _named(add, remove):
        if tag in seen:
            detail = f"names the tag {quoted(tag)} once more"
            raise field_error(f"{pointer}/{where}", "duplicate_tag", detail)
        seen.add(tag)


def _named(add: Sequence[str], remove: Sequence[str]) -> Iterator[tuple[str, str]]:
    for name, tags in (("add", add), ("remove", remove)):
        for at, tag in enumerate(tags):
            yield f"{name}/{at}", tag
