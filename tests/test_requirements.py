"""Every requirement that code or tests cite by its code stands in docs/requirements."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.repository import ROOT, written_files

REQUIREMENTS = ROOT / "docs" / "requirements"
#: Families that need the word "case" in front; without it, B and F mean something else.
CASES = "cases.md"
BAD_INPUTS = "bad-inputs.md"

_ROW = re.compile(r"^\| ([A-Z]?\d{1,3}) \| (.+) \|$", re.MULTILINE)
#: A code: not part of a word, a path, a time (T10:00) or a longer number (E402).
_CODE = r"[ABCDEFHINOPQRSTW][1-9]\d?(?!\w|[:-]\d)"
_BARE = re.compile(rf"(?<![\w+./#-])({_CODE})")
_CASES = re.compile(rf"\b[Cc]ases? ({_CODE}(?:(?:,| and|,? to) {_CODE})*)")
_BAD_INPUT = re.compile(r"\b[Bb]ad inputs? (\d{1,3})\b")
#: In JavaScript, Lua and Markdown codes are cited in brackets; these name keys such as F6, too.
_BRACKETS = re.compile(r"\(([^()\n]*)\)")
_CODE_SPAN = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
#: Begins a comment or a test's title.
_SCRIPT_PROSE = re.compile(r"\s*(//|--|\*|test\()")
_FIRST_CELL = re.compile(r"^\| ([^|]+) \|", re.MULTILINE)


def defined(name: str) -> list[str]:
    """The codes that one file of docs/requirements explains, in its order."""
    return [code for code, _ in _ROW.findall((REQUIREMENTS / name).read_text(encoding="utf-8"))]


def families() -> list[str]:
    return sorted(path.name for path in REQUIREMENTS.glob("*.md"))


def python_prose(source: str) -> Iterator[str]:
    """The docstrings of a module: comments hold `noqa` codes of the same shape."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""


def script_prose(source: str) -> Iterator[str]:
    """Returns the text in brackets in comments and test titles of JavaScript and Lua."""
    for line in source.splitlines():
        prose = _SCRIPT_PROSE.match(line)
        if prose:
            yield from _BRACKETS.findall(line[prose.end() :])


def markdown_prose(source: str) -> Iterator[str]:
    """Returns first cells of tables, and text in brackets; no code spans."""
    text = _CODE_SPAN.sub("", source)
    yield from _FIRST_CELL.findall(text)
    yield from _BRACKETS.findall(text)
    yield from (found.group(0) for found in _CASES.finditer(text))


READERS = {
    ".py": python_prose,
    ".js": script_prose,
    ".mjs": script_prose,
    ".lua": script_prose,
    ".md": markdown_prose,
}


def codes_in(text: str) -> set[tuple[str, str]]:
    """Returns (file of docs/requirements or "" for any, code) of each citation in a piece of prose.

    From a range such as A1 to A24 it takes the two ends, because numbers between may be missing.
    """
    found = {(BAD_INPUTS, number) for number in _BAD_INPUT.findall(text)}
    for listed in _CASES.findall(text):
        found |= {(CASES, code) for code in _BARE.findall(listed)}
    return found | {("", code) for code in _BARE.findall(_CASES.sub("", text))}


def citing_files() -> list[Path]:
    return [path for path in written_files(*READERS) if REQUIREMENTS not in path.parents]


@pytest.fixture(scope="module")
def known() -> dict[str, set[str]]:
    """File of docs/requirements -> its codes; "" -> all codes with a letter."""
    found = {name: set(defined(name)) for name in families()}
    return found | {"": {code for codes in found.values() for code in codes if code[0].isalpha()}}


def test_every_cited_code_stands_in_the_requirements(known):
    unknown = {
        f"{path.relative_to(ROOT)}: {code} in {name or 'any file'}"
        for path in citing_files()
        for text in READERS[path.suffix](path.read_text(encoding="utf-8"))
        for name, code in codes_in(text)
        if code not in known[name]
    }
    assert not unknown


def test_a_file_explains_each_code_once():
    for name in families():
        twice = [code for code, count in Counter(defined(name)).items() if count > 1]
        assert not twice, f"{name}: {twice}"


def test_no_code_outside_of_cases_is_explained_in_two_files(known):
    counts = Counter(
        code for name, codes in known.items() if name not in ("", CASES) for code in codes
    )
    assert [code for code, count in counts.items() if count > 1] == []


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("Half of a batch is bad (F45).", {("", "F45")}),
        ("R38, R47, case E9: also in the row.", {("", "R38"), ("", "R47"), (CASES, "E9")}),
        ("Cases E1, E3: within a second.", {(CASES, "E1"), (CASES, "E3")}),
        ("R84 to R86, B41", {("", "R84"), ("", "R86"), ("", "B41")}),
        ("Bad input 62, F25", {(BAD_INPUTS, "62"), ("", "F25")}),
        ("noqa: E402, 2026-11-20T10:00, C0 controls, UTF-8, ISO-8859-1, U+F1", set()),
    ],
)
def test_citations_are_distinguished_from_other_words(text, codes):
    assert codes_in(text) == codes
