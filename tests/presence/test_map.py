"""Every requirement, defect and case has a test here or a reason in README.md."""

import ast
import re
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).parent
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
    for file in sorted(HERE.glob("test_*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for number in numbers_in(ast.get_docstring(node) or ""):
                    found[number].append(f"{file.stem}::{node.name}")
    return found


def left() -> set[str]:
    """Numbers that README.md leaves to others, each with its reason."""
    rows = re.findall(r"^\| ([^|]+) \| [^|]{10,} \|$", README.read_text(), re.MULTILINE)
    return {number for row in rows for number in numbers_in(row)}


def test_every_number_is_proven_here_or_left_with_a_reason() -> None:
    assert set(NUMBERS) - set(proven()) - left() == set()


def test_what_is_left_is_not_proven_after_all() -> None:
    assert left() & set(proven()) == set()
