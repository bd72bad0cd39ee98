"""Counts the product's files, imports, types, wiring and page."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.repository import ROOT, files_of_the_project

PRODUCT = ("app.py", "dashboard/", "scoring/", "presence/", "demo/", "lua_scripts/")
#: The object graph of a process, its start and stop, and modules that hand its parts to the web.
WIRING = re.compile(r"dashboard/(\w*services|background)\.py|dashboard/web/(?!probes)\w+\.py")
PART = re.compile(r"\bparts\.(\w+)")
#: A module with fewer lines and only one importer belongs in that importer.
SMALL_LINES = 100


@cache
def tracked(prefix: tuple[str, ...], suffix: str) -> tuple[str, ...]:
    """Returns the names of files that git does not ignore, with one of these prefixes."""
    names = {path.relative_to(ROOT).as_posix() for path in files_of_the_project()}
    return tuple(
        sorted(name for name in names if name.startswith(prefix) and name.endswith(suffix))
    )


def product() -> tuple[str, ...]:
    """Returns the names of the product's Python files."""
    return tracked(PRODUCT, ".py")


@cache
def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@cache
def tree_of(name: str) -> ast.Module:
    return ast.parse(text_of(name))


def lines_of(names: tuple[str, ...]) -> int:
    return sum(text_of(name).count("\n") for name in names)


def folders_of(names: tuple[str, ...]) -> int:
    return len({Path(name).parent for name in names})


def imports() -> Iterator[tuple[str, ast.Import | ast.ImportFrom]]:
    """Yields (file, statement) of each import of the product."""
    for name in product():
        for node in ast.walk(tree_of(name)):
            if isinstance(node, ast.Import | ast.ImportFrom):
                yield name, node


def import_lines() -> int:
    return sum((node.end_lineno or node.lineno) - node.lineno + 1 for _, node in imports())


def importers() -> dict[str, set[str]]:
    """Maps modules (not packages) to the product's files that import them or their names."""
    files = {
        name.removesuffix(".py").replace("/", "."): name
        for name in product()
        if not name.endswith(("__init__.py", "__main__.py")) and name != "app.py"
    }
    by_module: dict[str, set[str]] = {module: set() for module in files}
    for name, node in imports():
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        else:
            targets = [f"{node.module}.{alias.name}" for alias in node.names] + [str(node.module)]
        for target in targets:
            if target in files and files[target] != name:
                by_module[target].add(name)
    return by_module


def modules_with_one_importer() -> list[str]:
    return sorted(module for module, names in importers().items() if len(names) == 1)


def small_modules_with_one_importer() -> list[str]:
    """Returns the modules that belong in their importer."""
    return [
        module
        for module in modules_with_one_importer()
        if text_of(module.replace(".", "/") + ".py").count("\n") < SMALL_LINES
    ]


def folders_with_few_modules(least: int) -> list[str]:
    """Returns folders of the product with fewer modules; `__init__` and `__main__` do not count."""
    modules = Counter(
        str(Path(name).parent)
        for name in product()
        if not name.endswith(("__init__.py", "__main__.py"))
    )
    del modules["."]
    return sorted(folder for folder, count in modules.items() if count < least)


def wiring_lines() -> int:
    return lines_of(tuple(name for name in product() if WIRING.fullmatch(name)))


def untyped_dicts() -> int:
    return sum(text_of(name).count("dict[str, Any]") for name in product())


def page_modules() -> tuple[str, ...]:
    return tracked(("static/js/",), ".js")


def page_parts() -> int:
    """Counts the names that the page's modules take from the one object of all its parts."""
    return len({name for file in page_modules() for name in PART.findall(text_of(file))})
