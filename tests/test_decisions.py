"""The pages on decisions, and that on one event, name files, functions and classes that exist."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.repository import ROOT

DAY = ROOT / "docs" / "a-day-in-the-code.md"
DECISIONS = ROOT / "docs" / "decisions"
PAGES = sorted(DECISIONS.glob("[0-9]*.md"))
HEADINGS = ["Context", "Decision", "Consequence", "Rejected", "Files"]
#: Words in every page on a decision, and lines in the page on one event.
WORDS_MIN, WORDS_MAX = 120, 220
DAY_LINES_MAX = 90
#: A path with a suffix, and perhaps a name in that file, such as `scoring/keys.py::Keys.of`.
_REFERENCE = re.compile(r"[\w./-]+\.[a-z]+(?:::[\w.]+)?")
_SPAN = re.compile(r"`([^`\n]+)`")


def references_in(text: str) -> list[str]:
    """The code spans of a text that name a file, with or without a name in it."""
    return [span for span in _SPAN.findall(text) if _REFERENCE.fullmatch(span)]


def files_section(text: str) -> str:
    return text.partition("## Files\n")[2]


@cache
def python_names(path: Path) -> frozenset[str]:
    """Functions, classes and values of a module; what a class defines is `Class.name`."""

    def names(body: list[ast.stmt], prefix: str) -> Iterator[str]:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                yield prefix + node.name
            if isinstance(node, ast.ClassDef):
                yield from names(node.body, f"{node.name}.")
            targets = node.targets if isinstance(node, ast.Assign) else []
            for target in [node.target] if isinstance(node, ast.AnnAssign) else targets:
                if isinstance(target, ast.Name):
                    yield prefix + target.id

    return frozenset(names(ast.parse(path.read_text(encoding="utf-8")).body, ""))


def is_in_javascript(text: str, name: str) -> bool:
    """Whether each part of `name` is declared, the second one as a method of the first."""
    owner, _, method = name.partition(".")
    kinds = "class|function|async function|const|let"
    declared = re.search(rf"^(?:export )?(?:{kinds}) {owner}\b", text, re.M)
    if declared is None:
        return False
    of_owner = text[declared.end() :].partition("\n}")[0]
    pattern = rf"^  (?:async |static |get )*{method}\("
    return not method or re.search(pattern, of_owner, re.M) is not None


def is_there(reference: str) -> bool:
    """Whether the file exists, and the name in it."""
    file, _, name = reference.partition("::")
    path = ROOT / file
    if not path.is_file():
        return False
    if not name:
        return True
    if path.suffix == ".py":
        return name in python_names(path)
    is_javascript = path.suffix in (".js", ".mjs")
    return is_javascript and is_in_javascript(path.read_text(encoding="utf-8"), name)


def test_what_the_page_on_one_event_names_is_there():
    text = DAY.read_text(encoding="utf-8")
    names = references_in(text)
    assert [span for span in _SPAN.findall(text) if span not in names] == ["list:order"]
    assert len([name for name in names if "::" in name]) > 40, "the page names hardly anything"
    assert [name for name in names if not is_there(name)] == []
    assert len(text.splitlines()) <= DAY_LINES_MAX


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_decision_names_is_there(page):
    text = page.read_text(encoding="utf-8")
    files = files_section(text)
    assert references_in(files) == _SPAN.findall(files) != []
    assert [name for name in references_in(text) if not is_there(name)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_decision_is_half_a_page_under_five_headings(page):
    text = page.read_text(encoding="utf-8")
    assert re.findall(r"^## (.+)$", text, re.M) == HEADINGS
    assert WORDS_MIN <= len(text.split()) <= WORDS_MAX


def test_the_list_of_decisions_has_each_page_once_and_in_order():
    index = (DECISIONS / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^(\d+)\. .*\]\((\S+?)\)", index, re.M)
    assert [name for _, name in listed] == [page.name for page in PAGES]
    assert [int(number) for number, _ in listed] == [int(page.name[:2]) for page in PAGES]
    assert [int(page.name[:2]) for page in PAGES] == list(range(1, len(PAGES) + 1))


@pytest.mark.parametrize(
    "wrong",
    [
        "scoring/key.py",
        "scoring/keys.py::Grup",
        "scoring/keys.py::Keys.grup",
        "scoring/keys.py::of",
        "scoring/lua/place.lua::place",
        "static/js/core/list/order.js::Ordr",
        "static/js/core/list/order.js::Order.aply",
        "static/js/core/list/order.js::Order.lowerBound",
    ],
)
def test_a_wrong_name_is_found(wrong):
    assert references_in(f"see `{wrong}`") == [wrong]
    assert not is_there(wrong)


@pytest.mark.parametrize(
    "right",
    [
        "scoring/keys.py::Keys.of",
        "scoring/keys.py::CLUSTER_GROUPS",
        "static/js/core/list/order.js::Order.apply",
        "static/js/app/socket-events.js::socketEvents",
    ],
)
def test_a_right_name_is_taken(right):
    assert is_there(right)
