"""A hostile sender's variants of a valid request."""

import copy
from collections.abc import Iterator, Sequence
from typing import Any

#: The gate sends one of so many spoiled forms. It is no divisor of the number of texts: so each
#: text is tried at some places, and each place with some texts.
STEP = 13

TEXTS = [
    "",
    " ",
    "\0",
    "a\0b",
    "\ud800",
    "c-\udfff",
    "\u200b",
    "\ufeff",
    "\u202e",
    "\U000e0041",
    ".",
    "..",
    "../..",
    "//",
    "//[::1",
    "https://[::1",
    "http://[fe80::1%25",
    "https://\uff45\ufffe.example/",
    "https://a.example:99999/",
    "%",
    "%00",
    "%ff%fe",
    "é",
    "e\u0301",
    "ﬁ",
    "\uffff",
    "*",
    "'",
    '"',
    "\\",
    "$1",
    "{{7*7}}",
    "NaN",
    "-1",
    "1e400",
    "0x10",
    "٣",
    "9" * 30,
    "9" * 5000,
    "1_0",
    "null",
    "x" * 300,
    "1,2,",
    ",",
    "W10",
    "WzFlNDAwLDEsMSwxLCJ4Il0",
    "2026-02-30T00:00:00Z",
    "9999-12-31T23:59:59-23:59",
    "0000-01-01T00:00:00Z",
    "2100-12-31T23:59:60Z",
]
#: Texts that one database takes and another refuses.
STORED_TEXTS = ["\0", "a\0b", "\ud800", "%00", "\uffff", "e\u0301", "9" * 30, "x" * 300]
VALUES: list[Any] = [
    None,
    True,
    -1,
    0,
    2**53,
    2**63,
    -(2**63) - 1,
    2**100,
    1.5,
    float("inf"),
    float("nan"),
    [],
    {},
    [[]],
    [None],
    [1, [2]],
    {"a": {"b": []}},
    {"\ud800": 1},
    {"\0": 1},
    [{}],
    ["\ud800"],
    [float("inf"), 1, 1, 1, "x"],
]


def spoiled_bodies(body: Any, texts: Sequence[str] = TEXTS) -> Iterator[Any]:
    """The body with one of its values replaced, or with one member more."""
    if isinstance(body, dict):
        for text in ("\ud800", "\0", "__proto__", "", "x" * 5_000):
            yield body | {text: 1}
    for place in _places(body):
        for value in [*texts, *VALUES]:
            yield _replaced(body, place, value)


def spoiled_paths(path: str, texts: Sequence[str] = TEXTS) -> Iterator[str]:
    """The path with one of its parts replaced, as the text before any encoding."""
    parts = path.split("{")
    plain = path.replace("{", "").replace("}", "")
    for at in range(1, len(parts)):
        before = "".join(parts[:at]).replace("}", "")
        rest = parts[at].partition("}")[2] + "".join(parts[at + 1 :]).replace("}", "")
        for text in texts:
            yield before + text + rest
    yield plain + "/"
    yield "/" + plain
    yield plain.replace("/", "//")


def _places(value: Any) -> Iterator[tuple[Any, ...]]:
    yield ()
    children: Any = ()
    if isinstance(value, dict):
        children = value.items()
    elif isinstance(value, list):
        children = enumerate(value)
    for key, child in children:
        for place in _places(child):
            yield (key, *place)


def _replaced(body: Any, place: tuple[Any, ...], value: Any) -> Any:
    if not place:
        return value
    made = copy.deepcopy(body)
    inner = made
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return made
