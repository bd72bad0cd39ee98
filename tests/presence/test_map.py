"""Every requirement, defect and case has a test here or a reason in README.md."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
README = HERE / "README.md"
CASES = (1, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 15, 16, 17, 18, 20, 21, 22, 23, 24, 25, 26, 28, 29,
         30, 32, 33, 34, 36, 37, 38)  # fmt: skip
NUMBERS = (
    [f"R{number}" for number in range(1, 99)]
    + [f"B{number}" for number in range(1, 42)]
    + [f"T{number}" for number in CASES]
)


def numbers_in(text: str) -> set[str]:
    found = set(re.findall(r"\b[RBT]\d+\b", text))
    for letter, first, last in re.findall(r"\b([RBT])(\d+)–\1?(\d+)\b", text):
        found |= {f"{letter}{number}" for number in range(int(first), int(last) + 1)}
    return found


def proven() -> dict[str, list[str]]:
    """Number -> the tests whose docstring names it."""
    found: dict[str, list[str]] = defaultdict(list)
    for file in sorted(HERE.rglob("test_*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for number in numbers_in(ast.get_docstring(node) or ""):
                    found[number].append(f"{file.stem}::{node.name}")
    return found


def left() -> dict[str, list[str]]:
    """Number that README.md leaves to other folders -> the tests it names (`file::test`)."""
    found: dict[str, list[str]] = {}
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \| [^|]{10,} \|$", README.read_text(), re.MULTILINE)
    for numbers, tests in rows:
        named = re.findall(r"`([^`]+::[^`]+)`", tests)
        found |= dict.fromkeys(numbers_in(numbers), named)
    return found


def names_in(file: Path) -> set[str]:
    """The names of the tests of a Python or JavaScript file."""
    text = file.read_text()
    if file.suffix == ".mjs":
        return set(re.findall(r'^test\("([^"]+)"', text, re.MULTILINE))
    return {node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)}


def test_every_number_is_proven_here_or_left_with_a_reason() -> None:
    assert set(NUMBERS) - set(proven()) - left().keys() == set()


def test_what_is_left_is_not_proven_after_all() -> None:
    assert left().keys() & set(proven()) == set()


@pytest.mark.parametrize("test", sorted({test for tests in left().values() for test in tests}))
def test_a_test_that_the_map_names_exists(test: str) -> None:
    file, _, name = test.partition("::")
    assert name in names_in(ROOT / file)
