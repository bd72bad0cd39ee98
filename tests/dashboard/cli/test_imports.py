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
    made = subprocess.run(
        [sys.executable, "-c", _RUN],
        input=json.dumps(lines),
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "LINEUP_DATABASE_URL": database.url},
        capture_output=True,
        text=True,
        check=True,
    )
    ended, loaded = json.loads(made.stdout.splitlines()[-1])
    assert set(ended) == codes
    assert unneeded & set(loaded) == set()


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
