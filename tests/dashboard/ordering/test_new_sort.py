"""A new built-in sort is one declaration and a migration, as CONTRIBUTING.md says."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent, indent

import pytest
from sqlalchemy import text

from dashboard.cli.main import main
from dashboard.db import migrate
from dashboard.db.database import Database
from scoring.sorts import SORTS
from tests.repository import ROOT, files_of_the_project

NAME = "longest_quiet"
TIER = 2**42
TIMEOUT_SECONDS = 60
#: Compares Redis with SQL before and after the step that `serve` runs once a second.
CHECK_TICK_CHECK = """
from dashboard.cli.context import read_settings
from dashboard.cli.main import main
from dashboard.cli.web_process import open_web_services
assert main(["check"]) == 1
with open_web_services(read_settings()) as services:
    assert services.reconciler.tick()
assert main(["check"]) == 0
"""


class Checkout:
    """A copy of this repository, to be changed; commands run in it."""

    def __init__(self, folder: Path):
        self.folder = folder
        for path in files_of_the_project():
            copy = folder / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)

    def run(self, *arguments: str) -> str:
        """Runs Python with these arguments and returns what it printed."""
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder,
            env=os.environ | {"PYTHONPATH": str(self.folder)},
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def edit(self, path: Path, old: str, new: str) -> None:
        source = path.read_text(encoding="utf-8")
        assert source.count(old) == 1, f"{path} has {old!r} {source.count(old)} times"
        path.write_text(source.replace(old, new), encoding="utf-8")


@pytest.fixture
def checkout(tmp_path: Path, empty_url: str, redis_server, monkeypatch) -> Checkout:
    """A checkout whose database and Redis hold threads in the sorts of today."""
    redis_server.client().flushall()
    monkeypatch.setenv("LINEUP_DATABASE_URL", empty_url)
    monkeypatch.setenv("LINEUP_REDIS_URL", redis_server.url)
    for command in ("seed --threads 40", "rebuild", "check"):
        assert main(command.split()) == 0, command
    return Checkout(tmp_path / "checkout")


def documented() -> list[str]:
    """The declaration and the `upgrade` of CONTRIBUTING.md."""
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = guide.partition("## A new built-in sort\n")[2].partition("\n## ")[0]
    return [dedent(code) for code in re.findall(r"```python\n(.*?)```", section, re.S)]


def declare(checkout: Checkout, declaration: str) -> None:
    end = "    ),\n}\n#: Built-in sorts without stored scores, as saved sorts are.\n"
    entry = "    ),\n" + indent(declaration.rstrip() + "\n", " " * 4)
    checkout.edit(checkout.folder / "scoring/sorts.py", end, entry + end.removeprefix("    ),\n"))


def add_migration(checkout: Checkout, upgrade: str) -> None:
    checkout.run("-m", "alembic", "revision", "--autogenerate", "-m", f"Sort {NAME}")
    number = f"{int(migrate.head()) + 1:04d}"
    path = checkout.folder / f"migrations/versions/{number}_sort_{NAME}.py"
    source = path.read_text(encoding="utf-8")
    [generated] = re.findall(r"^def upgrade.*?(?=^def downgrade)", source, re.S | re.M)
    assert f"score_{NAME}" in generated and f"ix_threads_{NAME}" in generated
    checkout.edit(path, generated, f"{upgrade}\n\n")


@pytest.mark.slow
@pytest.mark.real_redis
def test_a_sort_that_is_declared_and_migrated_is_a_list(checkout, empty_url, redis_server):
    declaration, upgrade = documented()
    declare(checkout, declaration)
    add_migration(checkout, upgrade)

    checked = checkout.run("-c", CHECK_TICK_CHECK)
    # The list of Snoozed in this sort; the lists are searched for it first.
    assert re.search(rf"^Redis does not hold the order: .* q:\w+:{NAME}\.$", checked, re.MULTILINE)
    checkout.run("-m", "alembic", "check")

    database = Database(empty_url)
    query = f"SELECT id, closed, recent_at, score_{NAME} FROM threads ORDER BY score_{NAME}, id"
    with database.read() as connection:
        rows = connection.execute(text(query)).all()
    database.close()
    assert {bool(row.closed) for row in rows} == {False, True}
    for id, closed, recent_at, score in rows:
        assert score == (2 * TIER - 1 - recent_at if closed else recent_at), id
    redis = redis_server.client()
    for view, is_closed in (("arrival", False), ("history", True)):
        found = redis.zrange(f"{{lineup:{view}}}|{NAME}", 0, -1, withscores=True)
        expected = [(row.id, row[3]) for row in rows if bool(row.closed) == is_closed]
        assert [(int(member), int(score)) for member, score in found] == expected
    assert NAME not in SORTS, "the sort is declared in the copy alone"
