"""The files of this repository, for the tests that read them all."""

import ast
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: Written by the benchmarks, and committed.
_RESULTS = ROOT / "bench" / "results"


def files_of_the_project() -> list[Path]:
    """Every file that is committed or could be: what git does not ignore."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [ROOT / line for line in listed.stdout.splitlines() if (ROOT / line).is_file()]


def written_files(*suffixes: str) -> Iterator[Path]:
    """Every file with one of these suffixes (such as ".md") that a person wrote."""
    for path in files_of_the_project():
        if path.suffix in suffixes and _RESULTS not in path.parents:
            yield path


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """Every node of a Python file, the module first; several tests ask for the same."""
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def every_test() -> Iterator[tuple[Path, ast.FunctionDef, bool]]:
    """(file, function, whether it is marked `slow`) of every test in Python."""
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        module = nodes_of(path)[0]
        assert isinstance(module, ast.Module)
        marks = [node for node in module.body if isinstance(node, ast.Assign)]
        is_slow_file = any(
            ast.unparse(mark.targets[0]) == "pytestmark" and _is_slow(mark.value) for mark in marks
        )
        for node in module.body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield path, node, is_slow_file or any(map(_is_slow, node.decorator_list))


def _is_slow(mark: ast.expr) -> bool:
    """Whether a decorator, or a value of `pytestmark`, marks the tests that it covers as slow."""
    each = mark.elts if isinstance(mark, ast.List) else [mark]
    return any(ast.unparse(one) == "pytest.mark.slow" for one in each)
