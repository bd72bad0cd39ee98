"""Tags in requests: each in its stored form, none of them twice."""

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, Field, WithJsonSchema

from dashboard.errors import quoted
from dashboard.validation.field_errors import field_error
from dashboard.validation.fields import check_characters, check_length, fault, hides_something
from scoring.conditions.fields import FIELDS
from scoring.conditions.folding import plain
from scoring.conditions.tags import TAG_LENGTH_MAX, TAGS_MAX, folded, is_tag, mixes_scripts

#: As much as a JSON schema can say: which ASCII characters are refused. It cannot name letters.
TAG_PATTERN = r"^[^\u0000-,./:-`{-\u007f]+$"


def check_tag(text: str) -> str:
    """Returns a tag, composed (NFC): 1 to 32 lower-case letters of any script, digits and `-`."""
    composed = unicodedata.normalize("NFC", check_characters(text))
    check_length(composed, TAG_LENGTH_MAX)
    tag = folded(composed)
    if not is_tag(tag) or hides_something(composed):
        detail = f"{quoted(composed)} is not a tag: 1 to {TAG_LENGTH_MAX} letters, digits, -"
        raise fault("invalid_tag", detail)
    if plain(composed) != plain(composed).lower():
        raise fault("invalid_tag", f"{quoted(composed)} is not in lower case")
    return composed


def check_new_tag(text: str) -> str:
    """Returns a tag as `check_tag` does; refuses query words and mixed scripts."""
    tag = check_tag(text)
    if folded(tag) in FIELDS["tag"].words:
        detail = f"{quoted(tag)} is a word of the condition language: it finds threads without"
        raise fault("invalid_tag", f"{detail} tags")
    if mixes_scripts(folded(tag)):
        detail = f"{quoted(tag)} mixes letters of several scripts, which look alike"
        raise fault("invalid_tag", detail)
    return tag


def _tag(check: Callable[[str], str]) -> Any:
    schema = {
        "type": "string",
        "minLength": 1,
        "maxLength": TAG_LENGTH_MAX,
        "pattern": TAG_PATTERN,
        "description": "Letters of any script in lower case, digits and hyphens.",
        "examples": ["refund", "đổi-trả"],
    }
    return Annotated[str, AfterValidator(check), WithJsonSchema(schema)]


_Tag: Any = _tag(check_tag)
_NewTag: Any = _tag(check_new_tag)
#: Tags to add.
NewTags: Any = Annotated[list[_NewTag], Field(max_length=TAGS_MAX)]
#: Tags to remove, and tags of an export: a thread may have tags that are refused today.
Tags: Any = Annotated[list[_Tag], Field(max_length=TAGS_MAX)]


def check_change(add: Sequence[str], remove: Sequence[str], pointer: str = "") -> None:
    """Raises Invalid if no tag is named or one is named twice; `pointer` is their object."""
    if not add and not remove:
        raise field_error(f"{pointer}/add", "missing_field", "is missing, and so is “remove”")
    seen: set[str] = set()
    for where, tag in _named(add, remove):
        if folded(tag) in seen:
            detail = f"repeats the tag {quoted(tag)}"
            raise field_error(f"{pointer}/{where}", "duplicate_tag", detail)
        seen.add(folded(tag))


def _named(add: Sequence[str], remove: Sequence[str]) -> Iterator[tuple[str, str]]:
    for name, tags in (("add", add), ("remove", remove)):
        for at, tag in enumerate(tags):
            yield f"{name}/{at}", tag
