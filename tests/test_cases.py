"""Every case and every row of hardening.md has a test, by the table in cases.md."""

import ast
import re

from tests.repository import ROOT, nodes_of

TABLE = ROOT / "tests" / "cases.md"
REQUIREMENTS = [ROOT / "docs" / "requirements" / name for name in ("cases.md", "hardening.md")]
_CODE = re.compile(r"^\| ([A-FH]\d+) \|", re.MULTILINE)
_PYTEST = re.compile(r"`(tests/[\w/]+\.py::\w+)`")
_NODE = re.compile(r"`(tests/[\w/-]+\.test\.mjs): ([^`]+)`")
_ROW = re.compile(r"^\| [A-FH]\d+ \| (.+) \|$", re.MULTILINE)


def test_every_case_has_a_row() -> None:
    codes = _CODE.findall(TABLE.read_text(encoding="utf-8"))
    required = [code for path in REQUIREMENTS for code in _CODE.findall(path.read_text("utf-8"))]
    assert sorted(codes) == sorted(required)


def test_every_row_names_tests_alone() -> None:
    for row in _ROW.findall(TABLE.read_text(encoding="utf-8")):
        for name in row.split("<br>"):
            assert _PYTEST.fullmatch(name) or _NODE.fullmatch(name), name


def test_every_pytest_node_is_there() -> None:
    for node in sorted(set(_PYTEST.findall(TABLE.read_text(encoding="utf-8")))):
        file, _, name = node.partition("::")
        tests = {each.name for each in nodes_of(ROOT / file) if isinstance(each, ast.FunctionDef)}
        assert name.startswith("test_") and name in tests, node


def test_every_node_test_has_its_title() -> None:
    for file, title in _NODE.findall(TABLE.read_text(encoding="utf-8")):
        assert f'test("{title}"' in (ROOT / file).read_text(encoding="utf-8"), (file, title)
