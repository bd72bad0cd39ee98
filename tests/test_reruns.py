"""A test is run again after a failure only where it says why."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent
REASON_LENGTH_MIN = 20


def marks() -> Iterator[tuple[Path, ast.Attribute, ast.Call | None]]:
    """(file, mark, its call or None) of every `pytest.mark.NAME` in the tests."""
    for path in sorted(ROOT.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        calls = {
            id(node.func): node
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "pytest.mark":
                yield path, node, calls.get(id(node))


def reason_of(call: ast.Call | None) -> str:
    values = [each.value for each in call.keywords if each.arg == "reason"] if call else []
    return str(values[0].value) if values and isinstance(values[0], ast.Constant) else ""


def test_every_rerun_has_a_reason() -> None:
    for path, mark, call in marks():
        if mark.attr == "rerun":
            reason = reason_of(call)
            assert len(reason) >= REASON_LENGTH_MIN, f"{path}:{mark.lineno} has no reason"


def test_no_test_is_rerun_in_another_way() -> None:
    used = [path for path, mark, _ in marks() if mark.attr == "flaky"]
    assert used == [ROOT / "conftest.py"]
