"""Types of fields of requests: texts, ids, times, and what a text shows."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import regex
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    StrictInt,
    WithJsonSchema,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import PydanticCustomError

from dashboard.errors import quoted

#: Characters that leave no mark: white space, those that Unicode calls default ignorable
#: (zero-width characters, joiners, bidirectional controls, fillers, tags, variation selectors), and
#: those blank by name or purpose: Braille blank, interlinear marks, hieroglyph controls and blanks,
#: a null notehead, and the Khitan filler.
_UNSEEN = (
    r"\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}"
    r"\u2800\uFFF9-\uFFFB\U00013430-\U0001343F\U00013441\U00013442\U0001D159\U00016FE4"
)
_SEEN = regex.compile(f"[^{_UNSEEN}]")
#: The same without the blank that separates words.
_HIDDEN = regex.compile(f"(?! )[{_UNSEEN}]")


def shows_something(text: str) -> bool:
    """Whether a character of the text leaves a mark on the screen."""
    return _SEEN.search(text) is not None


def hides_something(text: str) -> bool:
    """Whether a character of the text, other than a blank, leaves no mark on the screen."""
    return _HIDDEN.search(text) is not None


YEAR_MIN = 2000
YEAR_MAX = 2100

_PATTERN = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))",
    re.ASCII,
)
_EPOCH = datetime(1970, 1, 1)
_MILLISECOND = timedelta(milliseconds=1)
_FIRST_MS = int(datetime(YEAR_MIN, 1, 1, tzinfo=UTC).timestamp() * 1000)
_END_MS = int(datetime(YEAR_MAX + 1, 1, 1, tzinfo=UTC).timestamp() * 1000)
_MINUTE_MS = 60_000


class TimestampError(ValueError):
    """The text is not a timestamp with an offset in the form of RFC 3339."""


class TimestampRangeError(ValueError):
    """The timestamp lies outside of the accepted years."""


def parse(text: str) -> int:
    """Returns milliseconds since 1970. Finer digits are cut off; -00:00 is UTC.

    A leap second, 23:59:60 UTC at the end of a month, is the second that follows it. Raises
    TimestampError and TimestampRangeError.
    """
    match = _PATTERN.fullmatch(text) if len(text) <= 64 else None
    if match is None:
        raise TimestampError
    year, month, day, hour, minute, second, fraction, sign, hours, minutes = match.groups()
    offset = _offset_minutes(sign, hours, minutes)
    leap = second == "60"
    if year == "0000":
        raise TimestampRangeError
    try:
        local = datetime(
            int(year), int(month), int(day), int(hour), int(minute), 59 if leap else int(second)
        )
    except ValueError:
        raise TimestampError from None
    ms = (local - _EPOCH) // _MILLISECOND - offset * _MINUTE_MS
    if not _FIRST_MS <= ms < _END_MS:
        raise TimestampRangeError
    if leap:
        ms = _after_leap_second(ms)
    return ms + int(fraction[:3].ljust(3, "0")) if fraction else ms


def _offset_minutes(sign: str | None, hours: str, minutes: str) -> int:
    if sign is None:
        return 0
    if int(hours) > 23 or int(minutes) > 59:
        raise TimestampError
    offset = 60 * int(hours) + int(minutes)
    return offset if sign == "+" else -offset


def _after_leap_second(ms_at_59: int) -> int:
    following = _EPOCH + timedelta(milliseconds=ms_at_59 + 1000)
    if (following.day, following.hour, following.minute, following.second) != (1, 0, 0, 0):
        raise TimestampError
    return ms_at_59 + 1000


ID_MAX = 128
BODY_MAX = 20_000
NAME_MAX = 200
URL_MAX = 2_048
LOCALE_MAX = 35
ATTACHMENTS_MAX = 10
DESK_MAX = 32
ATTRIBUTES_MAX = 30
ATTRIBUTE_NAME_MAX = 40
ATTRIBUTE_MAX = 300
NOTE_MAX = 2_000
REASON_MAX = 500
#: The largest whole number that every JSON reader holds exactly.
INTEGER_MAX = 2**53 - 1

_ID = re.compile(rf"[A-Za-z0-9._:-]{{1,{ID_MAX}}}")
#: Programs remove these from a URL before they send it.
_PATH_SEGMENTS = frozenset({".", ".."})
#: A language tag (BCP 47), or the locale of an operating system or of Facebook, such as pt_BR or
#: sr_RS.UTF-8@latin.
_LOCALE = re.compile(
    r"[A-Za-z]{2,8}([_-][A-Za-z0-9]{1,8})*(\.[A-Za-z0-9_-]{1,16})?(@[A-Za-z]{1,16})?"
)
#: POSIX modifiers that name the script of a language, to their codes of ISO 15924.
_SCRIPTS = {"latin": "Latn", "cyrillic": "Cyrl", "devanagari": "Deva", "arabic": "Arab"}
_SCRIPT_LENGTH = 4
_DESK = re.compile(rf"[a-z0-9-]{{1,{DESK_MAX}}}")
_MEDIA_TYPE = re.compile(r"[A-Za-z0-9!#$&^_.+-]{1,63}/[A-Za-z0-9!#$&^_.+-]{1,63}")
#: The same for JSON schemas.
ID_PATTERN = r"^(?!\.\.?$)[A-Za-z0-9._:-]+$"
#: Control characters but \t, \n and \r, and lone surrogates, which UTF-8 cannot encode.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_SPACE = re.compile(r"\s")
#: The same for JSON schemas; JSON in UTF-8 holds no surrogates.
LINE_PATTERN = r"^[^\u0000-\u001f\u007f-\u009f]*$"
TEXT_PATTERN = r"^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$"


def _drop_null_defaults(schema: JsonSchemaValue) -> None:
    for member in schema.get("properties", {}).values():
        if member.get("default", "") is None:
            del member["default"]


def _drop_defaults(schema: JsonSchemaValue) -> None:
    for member in schema.get("properties", {}).values():
        member.pop("default", None)


def _open_schema(schema: JsonSchemaValue) -> None:
    """Allows additional members in the published schema: later versions may add some."""
    schema.pop("additionalProperties", None)


class Strict(BaseModel):
    """A JSON object with known members, each of exactly its type.

    Its schema has no null as a default: a generated client sends the defaults, and null often says
    more than a member that is left out.
    """

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, json_schema_extra=_drop_null_defaults
    )


class Partial(Strict):
    """A JSON object that changes the members it names; omitted members stay as they are.

    Its schema has no defaults at all: sending them would change omitted members.
    """

    model_config = ConfigDict(json_schema_extra=_drop_defaults)

    def changes(self) -> dict[str, object]:
        """Returns the members that were sent."""
        return {name: getattr(self, name) for name in self.model_fields_set}


class Answer(BaseModel):
    """A JSON object with exactly these members.

    Answers with many rows are built as plain dictionaries, for speed; the tests validate each one
    against its model, and the OpenAPI document is generated from the models.
    """

    model_config = ConfigDict(strict=True, extra="forbid", json_schema_extra=_open_schema)


class Person(Answer):
    """An admin."""

    id: int
    name: str


class Queue(Answer):
    """A queue, by the name of its view."""

    id: int
    name: str


Milliseconds = Annotated[int, Field(description="Milliseconds since 1970 (UTC).")]

_LINE_BREAKS = re.compile(r"[\t\n\r]")


def fault(code: str, detail: str) -> PydanticCustomError:
    """Returns a refusal with one of the codes of docs/protocol.md, "Errors"."""
    return PydanticCustomError(code, "{detail}", {"detail": detail})


def check_characters(text: str) -> str:
    """Returns the text; refuses one with a control character or a lone surrogate."""
    found = _FORBIDDEN.search(text)
    if found is None:
        return text
    name = f"U+{ord(found[0]):04X}"
    if "\ud800" <= found[0] <= "\udfff":
        raise fault("invalid_unicode", f"holds a lone surrogate, {name}")
    raise fault("forbidden_character", f"holds the control character {name}")


def check_length(text: str, most: int) -> str:
    if len(text) > most:
        raise fault("too_long", f"has {len(text)} characters; the limit is {most}")
    return text


#: Set while something is read that was accepted before, when ids and texts had fewer rules.
_WAS_ACCEPTED: ContextVar[bool] = ContextVar("_WAS_ACCEPTED", default=False)


@contextmanager
def accepted_before() -> Iterator[None]:
    """Accepts the ids `.` and `..`, and texts that show nothing, as earlier releases did."""
    token = _WAS_ACCEPTED.set(True)
    try:
        yield
    finally:
        _WAS_ACCEPTED.reset(token)


def was_accepted(text: str) -> bool:
    """Whether a text that shows nothing is taken nevertheless."""
    return text != "" and _WAS_ACCEPTED.get()


def is_id(text: str) -> bool:
    return _ID.fullmatch(text) is not None and text not in _PATH_SEGMENTS


def check_id(text: str) -> str:
    """Returns an id as the sender gave it; ids are compared exactly, with their case."""
    if is_id(text):
        return text
    check_length(check_characters(text), ID_MAX)
    if text in _PATH_SEGMENTS:
        if _WAS_ACCEPTED.get():
            return text
        raise fault("invalid_id", f"{quoted(text)} is not an id: URLs drop it")
    raise fault("invalid_id", f"{quoted(text)} is not an id: 1 to {ID_MAX} of A-Z a-z 0-9 . _ : -")


def check_customer(text: str) -> str:
    """Returns SOURCE/ID, the name of a source and the id of a customer there."""
    parts = check_characters(text).split("/")
    if len(parts) == 2 and all(map(is_id, parts)):
        return text
    raise fault("invalid_id", f"{quoted(text)} is not SOURCE/ID, such as shop/c-7")


def is_desk_name(text: str) -> bool:
    return _DESK.fullmatch(text) is not None


def check_desk_name(text: str) -> str:
    """Returns the name of a desk, whether or not that desk exists."""
    if is_desk_name(text):
        return text
    check_length(check_characters(text), DESK_MAX)
    raise fault("unknown_value", f"{quoted(text, 60)} is not a desk: 1 to {DESK_MAX} of a-z 0-9 -")


def check_text(text: str) -> str:
    """Returns a message's text unchanged; the message decides whether it may be empty."""
    return check_length(check_characters(text), BODY_MAX)


def check_message_name(name: Any) -> str | int:
    """Returns the name of a message: the id that the chatbot gave it, or Lineup's number of it."""
    if isinstance(name, str):
        return check_id(name)
    if name is None:
        raise fault("missing_field", "is missing (null)")
    if type(name) is not int:
        raise fault("wrong_type", "must be your id of a message, or its number")
    if not 1 <= name <= INTEGER_MAX:
        raise fault("number_out_of_range", f"must be at least 1 and at most {INTEGER_MAX}")
    return name


def check_note(text: str) -> str:
    """Returns a note without blank ends; one that shows nothing is empty."""
    check_length(check_characters(text), NOTE_MAX)
    return text.strip() if shows_something(text) else ""


def check_visible(text: str) -> str:
    """Returns the text; refuses one that is empty or has only characters that leave no mark."""
    if not shows_something(text) and not was_accepted(text):
        raise fault("empty_text", "is empty")
    return text


def check_reason(text: str) -> str:
    """Returns the reason for an act; refuses one that shows nothing."""
    return check_visible(check_length(check_characters(text), REASON_MAX))


def check_line(text: str, most: int) -> str:
    """Returns a short text: visible, in one line of at most `most` characters."""
    check_visible(check_length(check_characters(text), most))
    if _LINE_BREAKS.search(text):
        raise fault("forbidden_character", "has more than one line")
    return text


def check_name(text: str) -> str:
    check_length(check_characters(text), NAME_MAX)
    return check_visible(text)


def check_locale(text: str) -> str:
    """Returns a language tag as it was given; turns another locale into a language tag."""
    check_length(check_characters(text), LOCALE_MAX)
    if not _LOCALE.fullmatch(text):
        raise fault("unknown_value", f"{quoted(text, 60)} is not a language tag such as en-GB")
    return text if text.replace("-", "").isalnum() else _language_tag(text)


def _language_tag(locale: str) -> str:
    """Returns a locale's language tag: zh-Hans-CN for zh_Hans_CN, sr-Latn-RS for sr_RS@latin."""
    name, _, modifier = locale.partition("@")
    language, *parts = name.partition(".")[0].replace("_", "-").split("-")
    script = _SCRIPTS.get(modifier.lower())
    if script and not any(len(part) == _SCRIPT_LENGTH and part.isalpha() for part in parts):
        parts.insert(0, script)
    cased = (
        part.title()
        if len(part) == _SCRIPT_LENGTH and part.isalpha()
        else part.upper()
        if len(part) < _SCRIPT_LENGTH
        else part.lower()
        for part in parts
    )
    return "-".join([language.lower(), *cased])


def check_url(text: str) -> str:
    check_length(check_characters(text), URL_MAX)
    try:
        parts = urlsplit(text)
        good = parts.scheme == "https" and bool(parts.hostname) and not _SPACE.search(text)
    except ValueError:
        good = False
    if not good:
        raise fault("unknown_value", f"{quoted(text, 60)} is not an https address")
    return text


def check_media_type(text: str) -> str:
    check_characters(text)
    if not _MEDIA_TYPE.fullmatch(text):
        raise fault("unknown_value", f"{quoted(text, 60)} is not a media type such as image/png")
    return text


def read_timestamp(text: str) -> int:
    check_characters(text)
    try:
        return parse(text)
    except TimestampRangeError:
        raise fault(
            "timestamp_out_of_range",
            f"{quoted(text, 60)} is not in the years {YEAR_MIN} to {YEAR_MAX}",
        ) from None
    except TimestampError:
        raise fault(
            "invalid_timestamp",
            f"{quoted(text, 60)} is not an RFC 3339 timestamp with an offset, "
            "such as 2026-11-20T10:00:00Z",
        ) from None


def _string(check: Callable[[str], Any], **schema: Any) -> Any:
    return Annotated[str, AfterValidator(check), WithJsonSchema({"type": "string"} | schema)]


def _line(most: int) -> Any:
    return _string(
        lambda text: check_line(text, most), minLength=1, maxLength=most, pattern=LINE_PATTERN
    )


Id = _string(check_id, minLength=1, maxLength=ID_MAX, pattern=ID_PATTERN)
Customer = _string(check_customer, maxLength=2 * ID_MAX + 1, examples=["shop/c-7"])
Body = _string(check_text, maxLength=BODY_MAX, pattern=TEXT_PATTERN)
VisibleBody = _string(
    lambda text: check_visible(check_text(text)),
    minLength=1,
    maxLength=BODY_MAX,
    pattern=TEXT_PATTERN,
)
Name = _string(check_name, minLength=1, maxLength=NAME_MAX, pattern=TEXT_PATTERN)
Locale = _string(
    check_locale,
    maxLength=LOCALE_MAX,
    pattern=f"^{_LOCALE.pattern}$",
    description="A language tag (BCP 47); POSIX locales such as pt_BR.UTF-8 are turned into one.",
    examples=["vi", "en-GB"],
)
Url = _string(check_url, format="uri", pattern="^https://", maxLength=URL_MAX)
Attributes: Any = Annotated[
    dict[_line(ATTRIBUTE_NAME_MAX), _line(ATTRIBUTE_MAX)],  # type: ignore[misc]
    Field(
        max_length=ATTRIBUTES_MAX,
        description="What admins should know about the customer, such as a plan or the number of "
        "orders; shown in the order of the names. An https address becomes a link.",
        examples=[{"Plan": "Pro", "Account": "https://shop.example/customers/7"}],
    ),
]
Reason = _string(check_reason, minLength=1, maxLength=REASON_MAX, pattern=TEXT_PATTERN)
NoteText = _string(check_note, maxLength=NOTE_MAX, pattern=TEXT_PATTERN)
DeskName = _string(check_desk_name, pattern=f"^{_DESK.pattern}$", examples=["main"])
MediaType = _string(check_media_type, pattern=f"^{_MEDIA_TYPE.pattern}$", examples=["image/png"])
Timestamp = _string(read_timestamp, format="date-time", examples=["2026-11-20T10:00:00.123Z"])
MemberStatus = Annotated[StrictInt, Field(ge=-1, le=5)]
ThreadId = Annotated[StrictInt, Field(ge=1, le=INTEGER_MAX)]
AdminId = Annotated[StrictInt, Field(ge=1, le=INTEGER_MAX)]
MessageId = Annotated[StrictInt, Field(ge=1, le=INTEGER_MAX)]
MessageName: Any = Annotated[
    Any,
    PlainValidator(check_message_name),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "minLength": 1, "maxLength": ID_MAX, "pattern": ID_PATTERN},
                {"type": "integer", "minimum": 1, "maximum": INTEGER_MAX},
            ],
            "description": "A message of the thread: the id that you gave it, as a text; or its "
            "`id` in Lineup, as a number, which admins' messages have alone.",
            "examples": ["m-17", 311],
        }
    ),
]
Role = Literal["client", "admin", "bot", "system"]
Priority = Literal["urgent", "high", "normal", "low"]
ReceiptState = Literal["delivered", "read", "failed"]
