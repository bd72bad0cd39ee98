"""No secret, key or backup of the person who builds gets into an image or a commit."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.repository import ROOT, files_of_the_project

IGNORED = ROOT / "deploy" / "Dockerfile.dockerignore"
#: Files that docs/operations.md and docs/backup.md tell the reader to write, and similar ones.
SECRET = (
    "deploy/.env",
    "deploy/tls/desk.pem",
    "deploy/tls/desk.key",
    "deploy/backups/lineup-2026-11-25.backup",
    ".env",
    ".env.production",
    "lineup-2026-11-25.backup",
    "instance/lineup.sqlite",
    "instance/files/1",
)
#: Files that a server needs.
NEEDED = (
    "app.py",
    "alembic.ini",
    "requirements.txt",
    "package.json",
    "package-lock.json",
    "tools/setup.sh",
    "tools/vendor.mjs",
)
FOLDERS = ("dashboard", "demo", "lua_scripts", "migrations", "presence", "scoring", "static")


def as_expression(pattern):
    """A pattern of a .dockerignore: `**` is any number of folders; files below match, too."""
    parts = []
    for part in pattern.strip("/").split("/"):
        one = re.escape(part).replace(r"\*", "[^/]*").replace(r"\?", "[^/]")
        parts.append("(?:[^/]+/)*" if part == "**" else f"{one}/")
    return re.compile("".join(parts).removesuffix("/") + "(?:/.*)?")


def left_out_of_the_image(path, text=None):
    """Whether `COPY . .` leaves this out; the last of all matching patterns decides."""
    is_out = False
    for line in (text or IGNORED.read_text(encoding="utf-8")).splitlines():
        pattern = line.strip()
        is_pattern = bool(pattern) and not pattern.startswith("#")
        if is_pattern and as_expression(pattern.removeprefix("!")).fullmatch(path):
            is_out = not pattern.startswith("!")
    return is_out


@pytest.mark.parametrize(
    ("text", "path", "is_out"),
    [
        ("deploy/.env", "deploy/.env", True),
        ("deploy/.env", ".env", False),
        (".env", "deploy/.env", False),
        ("**/.env", ".env", True),
        ("**/.env", "a/b/.env", True),
        ("**/.env", "a/x.env", False),
        ("deploy/tls", "deploy/tls/desk.key", True),
        ("*.key", "deploy/tls/desk.key", False),
        ("deploy\n!deploy/tls", "deploy/tls/desk.key", False),
    ],
)
def test_patterns_are_read_as_docker_reads_them(text, path, is_out):
    assert left_out_of_the_image(path, text) is is_out


@pytest.mark.parametrize("path", SECRET)
def test_a_secret_gets_into_no_image(path):
    assert left_out_of_the_image(path)


def test_what_a_server_needs_gets_into_the_image():
    committed = {path.relative_to(ROOT).as_posix() for path in files_of_the_project()}
    needed = {path for path in committed if Path(path).parts[0] in (*FOLDERS, "templates")}
    assert len(needed) > 300
    assert [path for path in sorted({*needed, *NEEDED}) if left_out_of_the_image(path)] == []
    assert committed.issuperset(NEEDED)


@pytest.mark.parametrize("path", SECRET)
def test_a_secret_gets_into_no_commit(path):
    ignored = ("git", "check-ignore", "--quiet", "--no-index", path)
    assert subprocess.run(ignored, cwd=ROOT, check=False).returncode == 0


def test_nothing_that_is_committed_is_ignored():
    ignored = ("git", "ls-files", "--cached", "--ignored", "--exclude-standard")
    done = subprocess.run(ignored, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == ""
