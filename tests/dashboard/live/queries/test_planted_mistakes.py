"""The test of all readers finds each of these mistakes, planted in a copy of the sources (H31)."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.repository import ROOT

#: 150 examples missed three of ten mistakes, which show only in rare cases. A run ends at once when
#: it has found one.
EXAMPLES = 600
FOLDERS = ("dashboard", "lua_scripts", "migrations", "presence", "scoring", "static/js", "tests")


class Mistake(NamedTuple):
    """A text in a file, and the mistake that is planted in its place."""

    file: str
    right: str
    wrong: str


MISTAKES = {
    "a time condition is true a millisecond late": Mistake(
        "scoring/conditions/index.py", "axis.mask(now_ms - at)", "axis.mask(now_ms - at - 1)"
    ),
    "time passes a threshold unnoticed": Mistake(
        "scoring/conditions/index.py", "in (*self._since, *self._until)", "in self._until"
    ),
    "a language is compared as a whole": Mistake(
        "scoring/conditions/nodes.py", "range(1, len(parts) + 1)", "(len(parts),)"
    ),
    "days are those of UTC": Mistake(
        "scoring/conditions/resolve.py",
        "day_begins_ms(days.first, self._timezone)",
        "day_begins_ms(days.first, __import__('datetime').UTC)",
    ),
    "SQL forgets who has no language": Mistake(
        "dashboard/db/conditions.py",
        "*conditions)\n    return and_(column.is_not(None), or_(*conditions))\n\n\ndef _tagged",
        "*conditions)\n    return or_(*conditions)\n\n\ndef _tagged",
    ),
    "SQL begins a span a millisecond late": Mistake(
        "dashboard/db/conditions.py", "column <= now - low", "column < now - low"
    ),
    "Redis takes an older revision": Mistake(
        "scoring/lua/place.lua", "if revision >= held or", "if revision >= 0 or"
    ),
    "Redis does not log who leaves": Mistake(
        "scoring/lua/place.lua",
        "if moved > 0 or (enters",
        "if enters and moved > 0 or (enters",
    ),
    "a worker does not see the lists that another one added": Mistake(
        "dashboard/db/lists/query_lists.py",
        "if lists is None or lists.version != version:",
        "if lists is None:",
    ),
    "the page keeps who left": Mistake(
        "static/js/core/list/order.js",
        "if (was !== undefined) this.#remove(was, id);",
        "if (was !== undefined && now !== undefined) this.#remove(was, id);",
    ),
}


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of all that the machine runs."""
    copy = tmp_path_factory.mktemp("planted")
    for folder in FOLDERS:
        ignored = shutil.ignore_patterns("__pycache__", "build", "vendor")
        shutil.copytree(ROOT / folder, copy / folder, ignore=ignored)
    (copy / "node_modules").symlink_to(ROOT / "node_modules")
    for file in ("alembic.ini", "pyproject.toml", "package.json"):
        shutil.copy(ROOT / file, copy)
    return copy


def run(sources: Path, examples: int) -> subprocess.CompletedProcess[str]:
    module = "tests.dashboard.live.queries.planted"
    return subprocess.run(
        [sys.executable, "-m", module, str(examples)], cwd=sources, capture_output=True, text=True
    )


@pytest.mark.parametrize("name", MISTAKES)
def test_what_a_mistake_replaces_stands_there_once(name):
    file, right, _ = MISTAKES[name]
    assert (ROOT / file).read_text(encoding="utf-8").count(right) == 1


@pytest.mark.slow
@pytest.mark.cpu_bound
def test_without_a_mistake_nothing_is_found(sources):
    result = run(sources, examples=20)
    assert result.returncode == 0, result.stderr


@pytest.mark.slow
@pytest.mark.cpu_bound
@pytest.mark.parametrize("name", MISTAKES)
def test_each_mistake_is_found(sources, name):
    file, right, wrong = MISTAKES[name]
    path = sources / file
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(right, wrong), encoding="utf-8")
    try:
        result = run(sources, EXAMPLES)
    finally:
        path.write_text(text, encoding="utf-8")
    assert result.returncode == 1 and "AssertionError" in result.stderr, result.stderr[-2000:]
