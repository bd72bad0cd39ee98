"""The commands `export` and `import`: files, standard input, and what they print."""

import io
import stat
from pathlib import Path
from types import SimpleNamespace

import pytest

from dashboard.cli.main import main


@pytest.fixture
def use(monkeypatch, tmp_path: Path):
    """Chooses the database of the commands; Redis is away."""
    monkeypatch.setenv("LINEUP_REDIS_URL", f"unix://{tmp_path / 'none.sock'}")

    def use(name: str) -> None:
        monkeypatch.setenv("LINEUP_DATABASE_URL", f"sqlite:///{tmp_path / name}")

    use("first.sqlite")
    return use


def test_events_are_exported_imported_and_exported_the_same(use, tmp_path, capsys, monkeypatch):
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    assert main(["seed", "--threads", "3"]) == 0
    capsys.readouterr()
    assert main(["export", str(first)]) == 0
    out, err = capsys.readouterr()
    lines = first.read_bytes().count(b"\n")
    assert (out, err) == ("", f"Exported {lines} lines.\n")
    assert stat.S_IMODE(first.stat().st_mode) == 0o600
    use("second.sqlite")
    assert main(["import", str(first)]) == 0
    events = first.read_bytes().count(b'{"event"')
    said = "%d new events, %d known ones, 0 of customers who were deleted since"
    said += " (of events that were never stored here: in the last 30 days)\n"
    assert capsys.readouterr().out == said % (events, 0)
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(first.read_bytes())))
    assert main(["import", "-"]) == 0
    assert capsys.readouterr().out == said % (0, events)
    assert main(["export", str(second)]) == 0
    assert second.read_bytes() == first.read_bytes()


def test_a_wrong_line_is_said_in_one_line(use, tmp_path, capsys):
    file = tmp_path / "x.jsonl"
    file.write_text('{"format":"lineup-events","version":1}\n{"desk":"A"}\n')
    assert main(["import", str(file)]) == 1
    said = "lineup: line 2: /desk “A” is not a desk: 1 to 32 of a-z 0-9 -.\n"
    assert capsys.readouterr() == ("", said)


@pytest.mark.real_redis
def test_an_import_into_another_database_leaves_the_lists_of_the_one_that_is_served(
    use, tmp_path, capsys, monkeypatch, redis_server
):
    """Nor do other commands touch them, until one builds the lists of its own database."""
    redis_server.client().flushall()
    monkeypatch.setenv("LINEUP_REDIS_URL", redis_server.url)
    file = str(tmp_path / "events.jsonl")
    for words in (["seed", "--threads", "3"], ["rebuild"], ["export", file], ["check"]):
        assert main(words) == 0, words
    use("second.sqlite")
    capsys.readouterr()
    commands = [
        ["seed", "--threads", "5", "--random-seed", "2"],
        ["import", file],
        ["delete-customer", "--source", "demo", "--customer", "demo-1-3-c000001"],
    ]
    said = "Redis (LINEUP_REDIS_URL, LINEUP_KEY_PREFIX) does not hold the lists of this database"
    for words in commands:
        assert main(words) == 0, words
        assert capsys.readouterr().err.count(said) == 1, words
    use("first.sqlite")
    assert main(["check"]) == 0
    assert main(["seed", "--threads", "6"]) == 0
    assert said not in capsys.readouterr().err
    assert main(["check"]) == 0
    use("second.sqlite")
    assert (main(["rebuild"]), main(["check"])) == (0, 0)


@pytest.mark.parametrize("name", ["missing.jsonl", "."])
def test_what_cannot_be_read_is_said_in_one_line(use, tmp_path, capsys, name):
    assert main(["import", str(tmp_path / name)]) == 1
    err = capsys.readouterr().err
    assert err.startswith(f"lineup: {tmp_path / name} cannot be read: ") and err.count("\n") == 1
