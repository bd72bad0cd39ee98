"""The `alembic` command works from a checkout, and revisions do not import the product."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import text

from dashboard.db import migrate
from dashboard.db.database import Database

ROOT = Path(__file__).resolve().parents[3]
REVISIONS = sorted((ROOT / "migrations/versions").glob("*.py"))
ALLOWED_IMPORTS = {*sys.stdlib_module_names, "alembic", "regex", "sqlalchemy"}
TIMEOUT_SECONDS = 120


class Checkout:
    """A copy of `alembic.ini` and `migrations/`, with the product on the import path."""

    def __init__(self, folder: Path):
        self.folder = folder
        shutil.copy(ROOT / "alembic.ini", folder)
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "migrations", folder / "migrations", ignore=ignored)

    def alembic(self, *arguments: str, url: str | None = None) -> str:
        """Runs a command and returns its standard output."""
        variables = {"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]}
        variables["LINEUP_HOME"] = str(self.folder)
        if url is not None:
            variables["LINEUP_DATABASE_URL"] = url
        done = subprocess.run(
            [sys.executable, "-m", "alembic", *arguments],
            cwd=self.folder,
            env=variables,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def new_revisions(self) -> list[Path]:
        known = {path.name for path in REVISIONS}
        found = sorted((self.folder / "migrations/versions").glob("*.py"))
        return [path for path in found if path.name not in known]


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    (tmp_path / "checkout").mkdir()
    return Checkout(tmp_path / "checkout")


def body_of(path: Path, function: str) -> str:
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return "\n".join(ast.unparse(statement) for statement in node.body)
    raise AssertionError(f"{path} has no {function}()")


def test_without_an_address_the_command_upgrades_the_default_sqlite_file(checkout):
    checkout.alembic("upgrade", "head")
    database = Database(f"sqlite:///{checkout.folder / 'instance/lineup.sqlite'}")
    with database.read() as connection:
        assert migrate.revision(connection) == migrate.head()
    migrate.bring_to_head(database)
    database.close()


def test_autogenerate_at_head_makes_an_empty_revision_with_the_next_number(checkout, empty_url):
    checkout.alembic("upgrade", "head", url=empty_url)
    checkout.alembic("revision", "--autogenerate", "-m", "Nothing changed", url=empty_url)
    [path] = checkout.new_revisions()
    assert path.name == f"{int(migrate.head()) + 1:04d}_nothing_changed.py"
    assert body_of(path, "upgrade") == body_of(path, "downgrade") == "pass"
    assert migrate.head() in checkout.alembic("current", url=empty_url)


def test_autogenerate_finds_a_column_that_the_models_do_not_have(checkout, empty_url):
    checkout.alembic("upgrade", "head", url=empty_url)
    database = Database(empty_url)
    database.write(lambda c: c.execute(text("ALTER TABLE admins ADD COLUMN nickname TEXT")))
    database.close()
    checkout.alembic("revision", "--autogenerate", "-m", "Drop it", url=empty_url)
    [path] = checkout.new_revisions()
    assert body_of(path, "upgrade") == "op.drop_column('admins', 'nickname')"
    assert "op.add_column('admins'" in body_of(path, "downgrade")


@pytest.mark.parametrize("path", REVISIONS, ids=lambda path: path.stem)
def test_a_revision_imports_nothing_of_the_product(path):
    """A revision does the same whatever the product's code becomes."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = [node.module or ""]
        else:
            continue
        assert {name.partition(".")[0] for name in modules} <= ALLOWED_IMPORTS
