"""The commands `backup` and `restore`: files, standard input and output, what they print."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from dashboard.cli.given_files import new_file
from dashboard.cli.main import main
from dashboard.errors import StartError
from dashboard.transfer.backups import BackupMaker, MadeBackup
from tests.servers.lineup import ROOT


@pytest.fixture
def use(monkeypatch, tmp_path: Path):
    """Chooses the database of the commands; Redis is away."""
    monkeypatch.setenv("LINEUP_REDIS_URL", f"unix://{tmp_path / 'none.sock'}")
    monkeypatch.setenv("LINEUP_FILES", str(tmp_path / "files"))

    def use(name: str) -> None:
        monkeypatch.setenv("LINEUP_DATABASE_URL", f"sqlite:///{tmp_path / name}")

    use("first.sqlite")
    return use


def test_a_backup_is_made_and_restored(use, tmp_path, capsys):
    file = tmp_path / "x.backup"
    assert main(["seed", "--threads", "3"]) == 0
    capsys.readouterr()
    assert main(["backup", str(file)]) == 0
    assert capsys.readouterr() == ("", "Copied the database and 0 files.\n")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    use("second.sqlite")
    assert main(["restore", str(file)]) == 0
    out, err = capsys.readouterr()
    assert out == "" and "with 0 files. Admins must sign in again" in err
    assert main(["seed", "--threads", "3"]) == 0
    assert capsys.readouterr().out.startswith("3 threads: 0 new events, ")
    assert main(["restore", str(file)]) == 1
    assert capsys.readouterr().err.startswith("lineup: The database is in use.")
    assert main(["restore", "--force", str(file)]) == 0


def test_a_backup_replaces_no_file_but_by_force(use, tmp_path, capsys):
    file = tmp_path / "x.backup"
    file.write_text("precious")
    assert main(["backup", str(file)]) == 1
    assert capsys.readouterr().err == f"lineup: {file} exists; --force replaces it.\n"
    assert file.read_text() == "precious"
    assert main(["backup", "--force", str(file)]) == 0
    assert file.read_bytes()[:2] == b"\x1f\x8b"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_backup_without_the_content_of_a_file_is_kept_and_exits_with_1(
    use, tmp_path, capsys, monkeypatch
):
    file = tmp_path / "x.backup"
    monkeypatch.setattr(BackupMaker, "make", lambda *given: MadeBackup(1, ["a" * 32]))
    assert main(["backup", str(file)]) == 1
    assert f"1 files are missing in LINEUP_FILES: {'a' * 32}" in capsys.readouterr().err
    assert file.exists()


@pytest.mark.slow
def test_a_backup_goes_through_a_pipe(use, tmp_path):
    main(["seed", "--threads", "3"])
    python, url = sys.executable, f"sqlite:///{tmp_path}/piped.sqlite"
    pipe = f"{python} app.py backup - | LINEUP_DATABASE_URL={url} {python} app.py restore -"
    subprocess.run(pipe, shell=True, check=True, cwd=ROOT)
    assert (tmp_path / "piped.sqlite").exists()


@pytest.mark.parametrize("name", ["missing.backup", "."])
def test_what_cannot_be_read_is_said_in_a_line(use, tmp_path, capsys, name):
    assert main(["restore", str(tmp_path / name)]) == 1
    err = capsys.readouterr().err
    assert err.startswith(f"lineup: {tmp_path / name} cannot be read: ") and err.count("\n") == 1


@pytest.mark.parametrize("name", ["no/folder/x.backup", "."])
def test_what_cannot_be_written_is_said_in_a_line(use, tmp_path, capsys, name):
    assert main(["backup", str(tmp_path / name)]) == 1
    err = capsys.readouterr().err
    assert err.startswith(f"lineup: {tmp_path / name} ") and err.count("\n") == 1


def test_of_a_file_that_failed_nothing_is_left(tmp_path):
    with pytest.raises(ZeroDivisionError), new_file(str(tmp_path / "x"), force=False) as new:
        new.out.write(b"half")
        (new.folder / "copy").write_bytes(b"copy")
        raise ZeroDivisionError
    assert [*tmp_path.iterdir()] == []


def test_a_file_that_somebody_else_makes_meanwhile_is_not_replaced(tmp_path):
    with (
        pytest.raises(StartError, match="exists; --force"),
        new_file(str(tmp_path / "x"), force=False) as new,
    ):
        new.out.write(b"mine")
        (tmp_path / "x").write_text("theirs")
    assert [path.name for path in tmp_path.iterdir()] == ["x"]
    assert (tmp_path / "x").read_text() == "theirs"


@pytest.mark.parametrize("force", [False, True])
def test_a_device_or_a_pipe_is_not_replaced_by_a_file(tmp_path, force):
    os.mkfifo(tmp_path / "pipe")
    refused = pytest.raises(StartError, match="is not a regular file; use - for standard output")
    with refused, new_file(str(tmp_path / "pipe"), force=force):
        pass
    assert (tmp_path / "pipe").is_fifo()


def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    with new_file(str(tmp_path / "link"), force=True) as new:
        new.out.write(b"new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real").read_text() == "new"


def test_a_terminal_gets_no_backup(monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    with pytest.raises(StartError, match="A terminal cannot show this"), new_file("-", force=False):
        pass
