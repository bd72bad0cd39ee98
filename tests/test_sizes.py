"""Files and functions stay small enough to be read at once."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.repository import ROOT, files_of_the_project, nodes_of

FILE_LINES_MAX = 500
FUNCTION_LINES_MAX = 40
FOLDERS = (
    *("scoring", "presence", "lua_scripts", "dashboard", "demo", "tests", "bench", "tools"),
    *("migrations", "static"),
)
SUFFIXES = (".py", ".lua", ".js", ".mjs")


def measured_files() -> Iterator[Path]:
    yield ROOT / "app.py"
    for path in files_of_the_project():
        if path.suffix in SUFFIXES and path.relative_to(ROOT).parts[0] in FOLDERS:
            yield path


def definitions(path: Path) -> Iterator[tuple[str, ast.AST]]:
    """(qualified name, node) of each class and function of a Python file."""

    def walk(node: ast.AST, prefix: str) -> Iterator[tuple[str, ast.AST]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{prefix}{child.name}", child
                yield from walk(child, f"{prefix}{child.name}.")
            else:
                yield from walk(child, prefix)

    yield from walk(nodes_of(path)[0], "")


def lines_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


def too_long() -> set[str]:
    """Names of the files and functions that are over a limit."""
    found = set()
    for path in measured_files():
        file = path.relative_to(ROOT).as_posix()
        if len(path.read_text(encoding="utf-8").splitlines()) > FILE_LINES_MAX:
            found.add(file)
        for name, node in definitions(path) if path.suffix == ".py" else ():
            if isinstance(node, ast.ClassDef):
                continue
            assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            if lines_of(node) > FUNCTION_LINES_MAX:
                found.add(f"{file}::{name}")
    return found


def test_nothing_is_longer_than_its_limit():
    assert too_long() == set()
