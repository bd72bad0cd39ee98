"""Every import is in requirements.txt or requirements-dev.txt, with its version."""

import ast
import re
import sys
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.repository import files_of_the_project

ROOT = Path(__file__).parents[1]
#: The product needs requirements.txt alone; tests, benches and tools may need the other.
PRODUCT = ("app.py", "dashboard", "demo", "lua_scripts", "migrations", "presence", "scoring")
#: Files whose packages are installed apart: by the reader of an example, and by its slow tests.
APART = {
    "examples/connectors/langgraph/": "examples/connectors/langgraph/requirements.txt",
    "bench/judges/": "bench/judges/requirements.txt",
    "tests/live/connectors/killed_agent.py": "examples/connectors/langgraph/requirements.txt",
}
#: Modules of an example import each other by their bare names.
OWN = {"bench", "dashboard", "demo", "lineup_client", "lua_scripts", "presence", "scoring"}
OWN |= {"tests", "tools"}
#: The example's, for a program of its tests.
OWN |= {"agent", "connector"}
_NAME = re.compile(r"[A-Za-z0-9._-]+")


def normal(name: str) -> str:
    """A distribution's name as PEP 503 compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def lines_of(file: str) -> list[str]:
    lines = (line.strip() for line in (ROOT / file).read_text().splitlines())
    return [line for line in lines if line and not line.startswith(("#", "-r"))]


def required(*files: str) -> set[str]:
    return {normal(_NAME.match(line)[0]) for file in files for line in lines_of(file)}


@cache
def distributions() -> dict[str, list[str]]:
    return dict(packages_distributions())


def foreign_modules(path: Path) -> set[str]:
    """The top-level modules that a file imports and that are neither Python's nor ours."""
    beside = {sibling.stem for sibling in path.parent.glob("*.py")}
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
    ours = OWN | (beside if "examples" in path.parts else set())
    return found - ours - sys.stdlib_module_names


def is_of_the_product(path: Path) -> bool:
    return path.relative_to(ROOT).parts[0] in PRODUCT


def apart_of(path: Path) -> set[str]:
    name = path.relative_to(ROOT).as_posix()
    return required(*(file for place, file in APART.items() if name.startswith(place)))


@pytest.mark.parametrize("is_product", [True, False], ids=["product", "development"])
def test_every_import_stands_in_the_requirements(is_product):
    files = ("requirements.txt",) if is_product else ("requirements.txt", "requirements-dev.txt")
    named = required(*files)
    for path in files_of_the_project():
        if path.suffix != ".py" or is_of_the_product(path) != is_product:
            continue
        for module in foreign_modules(path):
            names = {normal(name) for name in distributions().get(module, [module])}
            known = named | apart_of(path)
            assert names & known, f"{path.relative_to(ROOT)} imports {module}; see {files[-1]}"


@pytest.mark.parametrize(
    "file", ["requirements.txt", "requirements-dev.txt", *sorted(set(APART.values()))]
)
def test_every_requirement_names_one_version(file):
    for line in lines_of(file):
        assert re.fullmatch(r"[A-Za-z0-9._-]+(\[\w+\])?==[\w.]+(; .+)?", line), line
