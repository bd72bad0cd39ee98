"""What a command does not need is not imported: each starts in less than a second."""

import json
import os
import subprocess
import sys

import pytest

from dashboard.cli.commands import COMMANDS
from tests.repository import ROOT

#: What serves the web, reads pictures or speaks to a provider of accounts.
_WEB = {"flask", "flask_socketio", "socketio", "engineio", "jinja2", "authlib", "PIL", "requests"}
#: These need the database alone.
_STORED = ("list-admins", "list-desks", "list-keys", "list-webhooks", "audit")
#: These place threads, too, or make what chatbots need.
_ORDERED = ("check", "revoke-key lu_unknown", "create-key --source shop", "export -", "backup -")
_HELP = tuple(f"{name} --help" for name in COMMANDS)

_RUN = """
import io, json, shlex, sys
from contextlib import redirect_stderr, redirect_stdout

sys.argv = ["app.py"]
import app

with redirect_stdout(io.TextIOWrapper(io.BytesIO())), redirect_stderr(io.StringIO()):
    codes = [app.main(shlex.split(line)) for line in json.loads(sys.stdin.read())]
print(json.dumps([codes, sorted({name.partition(".")[0] for name in sys.modules})]))
"""


@pytest.mark.parametrize(
    ("lines", "codes", "unneeded"),
    [
        (("--help",), {0}, {*_WEB, "redis", "sqlalchemy", "pydantic", "alembic", "demo"}),
        (_STORED, {0}, {*_WEB, "redis", "presence", "demo"}),
        ((*_HELP, *_ORDERED), {0, 1}, _WEB),
    ],
)
def test_a_command_imports_what_it_needs(lines, codes, unneeded, database):
    ended, loaded = _ended(lines, LINEUP_DATABASE_URL=database.url)
    assert set(ended) == codes
    assert unneeded & set(loaded) == set()


@pytest.mark.postgres
@pytest.mark.parametrize("mode", ["eventlet", "gevent"])
def test_a_command_ends_well_on_postgresql(mode, postgres_database, tmp_path):
    """What the patches for green threads take away from the standard library is not needed."""
    environment = {"LINEUP_DATABASE_URL": postgres_database.url, "LINEUP_ASYNC_MODE": mode}
    lines = "create-key --source shop", "backup x.backup", "restore --force x.backup", "export -"
    lines = [line.replace("x.backup", f"{tmp_path}/x.backup") for line in (*_STORED, *lines)]
    ended, _ = _ended(lines, LINEUP_FILES=f"{tmp_path}/files", **environment)
    assert set(ended) == {0}


def _ended(lines, **environment: str) -> tuple[list[int], list[str]]:
    """Runs commands in one process; returns their exit codes, and the modules loaded then."""
    made = subprocess.run(
        [sys.executable, "-c", _RUN],
        input=json.dumps(lines),
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(made.stdout.splitlines()[-1])


@pytest.mark.parametrize(
    ("name", "value"), [("LINEUP_ASYNC_MODE", "gevent\r"), ("\ufeffLINEUP_ASYNC_MODE", "Gevent")]
)
def test_the_kind_of_threads_may_come_from_a_file_that_went_through_an_editor(name, value):
    made = subprocess.run(
        [sys.executable, "-c", "import app, sys; print('gevent' in sys.modules)"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], name: value},
        capture_output=True,
        text=True,
        check=True,
    )
    assert made.stdout == "True\n"
