"""The layout that CONTRIBUTING.md describes holds."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("scoring", "presence", "dashboard")

#: Each room and the rooms that it may import; from CONTRIBUTING.md, "Who imports whom".
MAY_IMPORT = {
    "scoring": set(),
    "presence": set(),
    "base": {"scoring", "presence"},
    "store": {"base", "scoring", "presence"},
    "intake": {"store", "base", "scoring", "presence"},
    "delivery": {"intake", "store", "base", "scoring", "presence"},
    "attendance": {"intake", "store", "base", "scoring", "presence"},
    "live": {"attendance", "intake", "store", "base", "scoring", "presence"},
    "web": {"delivery", "attendance", "intake", "store", "base", "scoring", "presence"},
    "commands": {"delivery", "attendance", "intake", "store", "base", "scoring", "presence"},
}
ROOMS = {"demo": "commands"}


def python_files() -> list[Path]:
    return [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]


def room_of(module: str) -> str | None:
    """The room of a module name; None for what is not ours."""
    parts = module.split(".")
    if parts[0] not in (*PACKAGES, "app"):
        return None
    if parts[0] != "dashboard":
        return parts[0]
    is_room = len(parts) > 1 and (ROOT / "dashboard" / parts[1]).is_dir()
    return ROOMS.get(parts[1], parts[1]) if is_room else "base"


def imports_of(path: Path) -> Iterator[tuple[str, int, bool]]:
    """(module, line, whether inside a function) of every import of ours in a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inside = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from ((name, node.lineno, id(node) in inside) for name in names)


@pytest.mark.parametrize("path", python_files(), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_down(path):
    room = room_of(".".join(path.relative_to(ROOT).with_suffix("").parts))
    for module, line, inside in imports_of(path):
        assert not inside, f"{path}:{line} imports inside a function"
        target = room_of(module)
        assert target in MAY_IMPORT[room] | {room, None}, f"{path}:{line} {room} imports {module}"


def test_scoring_and_presence_know_no_web_and_no_sql():
    for path in python_files():
        if path.relative_to(ROOT).parts[0] in ("scoring", "presence"):
            for module, line, _ in imports_of(path):
                assert module.split(".")[0] not in ("flask", "sqlalchemy"), f"{path}:{line}"


def test_every_module_says_what_it_is():
    for path in python_files():
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), path


def test_every_lua_script_says_what_it_takes():
    for path in (*(ROOT / "scoring").rglob("*.lua"), *(ROOT / "presence").rglob("*.lua")):
        assert path.read_text(encoding="utf-8").startswith("-- "), path


def settings_in_code() -> set[str]:
    return set(re.findall(r"LINEUP_[A-Z_]+", (ROOT / "dashboard/config.py").read_text()))


def test_every_setting_stands_in_the_readme_and_the_other_way_round():
    assert settings_in_code() == set(
        re.findall(r"LINEUP_[A-Z_]+", (ROOT / "README.md").read_text())
    )


def test_every_command_stands_in_the_readme_and_the_other_way_round():
    source = (ROOT / "dashboard/commands/parser.py").read_text()
    commands = set(re.findall(r'command\(\s*"([a-z-]+)"', source))
    readme = (ROOT / "README.md").read_text()
    assert commands == set(re.findall(r"`app\.py ([a-z-]+)", readme))


def test_every_make_target_in_the_readme_exists():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"`make ([a-z-]+)", (ROOT / "README.md").read_text())) <= targets
