"""Every case of README.md has a test that says its number, or a reason why it has none."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
TESTS = HERE.parent
README = (HERE / "README.md").read_text(encoding="utf-8")
CASES = [
    *(f"D{number}" for number in (1, 2, 3, 5)),
    *(f"E{number}" for number in (1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 13)),
    *(f"F{number}" for number in (1, 2, 3, 6, 7, 8, 9)),
]
#: Faults have numbers, too: only what is called a case is one.
_CALLED = re.compile(r"\b[Cc]ases? ((?:[D-F]\d+(?:, | and )?)+)")
_TITLE = re.compile(r'^test\("([^"]+)"', re.MULTILINE)


def numbers_in(text: str) -> set[str]:
    return {number for called in _CALLED.findall(text) for number in re.findall(r"\w\d+", called)}


def told() -> Iterator[tuple[str, str]]:
    """(file, what is said of it) of every test."""
    for file in sorted(TESTS.rglob("test_*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield file.name, ast.get_docstring(node) or ""
    for file in sorted(TESTS.rglob("*.test.mjs")):
        for title in _TITLE.findall(file.read_text(encoding="utf-8")):
            yield file.name, title


def proven() -> dict[str, list[str]]:
    """Case -> the files with tests that say its number."""
    found: dict[str, list[str]] = defaultdict(list)
    for file, text in told():
        for number in numbers_in(text):
            found[number].append(file)
    return found


def listed() -> tuple[list[str], list[str]]:
    """What must be, and what is left to others, each with a sentence."""
    tables = README.split("| left to others | why |")
    rows = re.compile(r"^\| ([D-F]\d+) \| [^|]{10,} \|$", re.MULTILINE)
    return rows.findall(tables[0]), rows.findall(tables[1])


def test_every_case_is_proven_or_left_with_a_reason() -> None:
    must_be, left = listed()
    assert must_be == CASES
    assert set(CASES) - set(proven()) - set(left) == set()


def test_what_is_left_is_not_proven_after_all_and_no_number_is_made_up() -> None:
    _, left = listed()
    found = set(proven())
    assert set(left) & found == set()
    assert found <= set(CASES)
