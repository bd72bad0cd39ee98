"""The runner of the tests: tests that pass, fail, and pass only the second time."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tools.testing import temporary_files
from tools.testing.everything import TABLE, run_everything
from tools.testing.gate import SECOND_CHANCES_MAX, run_gate
from tools.testing.report import Result, is_complete, results

UNSTEADY = """
def test_steady(): pass
def test_unsteady(tmp_path_factory):
    import pathlib
    seen = pathlib.Path("seen")
    assert seen.exists() or seen.touch()
"""
ALWAYS = "def test_wrong(): assert 1 == 2\n"
SLOW = "import pytest\n@pytest.mark.slow\ndef test_slow(): assert False\n"
MANY = f"""
import pytest
@pytest.mark.parametrize("number", range({SECOND_CHANCES_MAX + 1}))
def test_wrong(number): assert False
"""


def report(id: str, outcome: str, longrepr: object = None, when: str = "call") -> dict[str, object]:
    line = {"$report_type": "TestReport", "nodeid": id, "outcome": outcome, "when": when}
    return line | {"duration": 1.5, "longrepr": longrepr}


def written(path: Path, *lines: dict[str, object]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_a_result_adds_up_set_up_call_and_teardown(tmp_path):
    crash = {"reprcrash": {"message": "AssertionError: 1 == 2\nmore"}}
    log = written(
        tmp_path / "log",
        report("a", "passed", when="setup"),
        report("a", "failed", crash),
        report("a", "passed", when="teardown"),
        report("b", "skipped", ["file.py", 3, "Skipped: no server"], when="setup"),
        {"$report_type": "CollectReport", "nodeid": "c.py", "outcome": "failed", "longrepr": "bad"},
    )
    assert list(results([log]).values()) == [
        Result("a", "failed", 4.5, "AssertionError: 1 == 2"),
        Result("b", "skipped", 1.5, "no server"),
        Result("c.py", "failed", 0.0, "bad"),
    ]


@pytest.mark.parametrize(("status", "complete"), [(0, True), (1, True), (2, False), (None, False)])
def test_a_run_that_was_cut_off_is_not_complete(tmp_path, status, complete):
    end = {"$report_type": "SessionFinish", "exitstatus": status}
    log = written(tmp_path / "log", report("a", "passed"), *([end] if status is not None else []))
    with log.open("a") as file:
        file.write('{"$report_type": "Test')
    assert is_complete(log) is complete
    assert not is_complete(tmp_path / "missing")


def test_files_of_tests_are_in_memory_and_deleted_at_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(temporary_files, "MEMORY", tmp_path)
    monkeypatch.setattr(temporary_files, "ROOM_BYTES", 0)
    with temporary_files.in_memory() as variables:
        folder = Path(variables["TMPDIR"])
        assert folder.parent == tmp_path
        assert folder.stat().st_mode & 0o777 == 0o755
        (folder / "file").touch()
    assert not folder.exists()


@pytest.mark.parametrize(("name", "room"), [("missing", 0), ("", 2**62)])
def test_without_room_in_memory_files_of_tests_are_where_they_were(
    tmp_path, monkeypatch, name, room
):
    monkeypatch.setattr(temporary_files, "MEMORY", tmp_path / name)
    monkeypatch.setattr(temporary_files, "ROOM_BYTES", room)
    with temporary_files.in_memory() as variables:
        assert variables == {**os.environ}


@pytest.mark.slow  # each starts pytest with workers
@pytest.mark.parametrize(
    ("source", "code", "said"),
    [
        (UNSTEADY, 0, "UNSTEADY test_it.py::test_unsteady\n"),
        (ALWAYS, 1, "FAILED test_it.py::test_wrong\n"),
        (MANY, 1, "6 tests failed; more than 5 end the run\n"),
        (SLOW, 5, ""),
    ],
    ids=["unsteady", "always", "many", "slow"],
)
def test_what_fails_once_is_unsteady_and_what_fails_twice_is_red(
    tmp_path, capsys, source, code, said
):
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = slow\n")
    (tmp_path / "test_it.py").write_text(source)
    assert run_gate(["-p", "no:cacheprovider"], root=tmp_path) == code
    assert capsys.readouterr().out.endswith(said)


CONFTEST = """
import hypothesis
hypothesis.settings.register_profile("all")
"""
PARTS = """
import pathlib, pytest
@pytest.fixture(autouse=True)
def count(request):
    with pathlib.Path("ran").open("a") as file:
        file.write(request.node.name + "\\n")
def test_quick(): pass
@pytest.mark.skip(reason="no server")
def test_skipped(): pass
@pytest.mark.real_redis
def test_server():
    import os
    with pathlib.Path("ran").open("a") as file:
        file.write(os.environ["LINEUP_TEST_SERVER"] + "\\n")
@pytest.mark.slow
def test_slow(): pass
@pytest.mark.slow
@pytest.mark.cpu_bound
def test_cpu_bound(): pass
@pytest.mark.slow
def test_unsteady():
    seen = pathlib.Path("seen")
    assert seen.exists() or seen.touch()
"""
WRONG = (
    PARTS
    + """
@pytest.mark.slow
def test_wrong(): assert 1 == 2
"""
)


def project(root: Path, source: str) -> Path:
    subprocess.run(["git", "init", "-q", root], check=True)
    (root / ".gitignore").write_text("build\nran\nseen\n__pycache__\n")
    (root / "pytest.ini").write_text("[pytest]\nmarkers = \n  slow\n  cpu_bound\n  real_redis\n")
    (root / "conftest.py").write_text(CONFTEST)
    (root / "test_it.py").write_text(source)
    return root


def ran_in(root: Path) -> list[str]:
    ran = root / "ran"
    names = sorted(ran.read_text().split()) if ran.exists() else []
    ran.unlink(missing_ok=True)
    return names


@pytest.mark.slow  # starts pytest eight times
def test_everything_runs_in_parts_and_again_when_a_file_has_changed(tmp_path, capsys):
    root = project(tmp_path, PARTS)
    options = ["-p", "no:cacheprovider"]
    every = ["test_cpu_bound", "test_quick", "test_slow", "test_unsteady"]
    every += ["test_server", "machine", "test_server", "packaged"]
    assert run_everything(options, root) == 0
    said = capsys.readouterr().out
    assert "SKIPPED test_it.py::test_skipped: no server" in said
    assert "UNSTEADY test_it.py::test_unsteady: AssertionError" in said
    assert said.endswith("4 passed, 0 failed, 1 unsteady, 1 skipped\n")
    table = json.loads((root / TABLE).read_text())
    assert table["counts"] == {"passed": 4, "failed": 0, "unsteady": 1, "skipped": 1}
    assert ran_in(root) == sorted([*every, "test_unsteady"])

    assert run_everything(options, root) == 0
    assert capsys.readouterr().out.endswith("4 passed, 0 failed, 1 unsteady, 1 skipped\n")
    assert ran_in(root) == []

    (root / "test_it.py").write_text(WRONG)
    assert run_everything(options, root) == 1
    said = capsys.readouterr().out
    assert "FAILED test_it.py::test_wrong: assert 1 == 2" in said
    assert said.endswith("5 passed, 1 failed, 0 unsteady, 1 skipped\n")
    assert ran_in(root) == sorted([*every, "test_wrong", "test_wrong"])


@pytest.mark.slow  # starts pytest six times
def test_a_part_that_breaks_off_makes_everything_red_and_runs_again(tmp_path, capsys):
    root = project(tmp_path, PARTS + "@pytest.mark.slow\ndef test_ends(): pathlib.os._exit(2)\n")
    options = ["-p", "no:cacheprovider", "-k", "slow or ends"]
    assert run_everything(options, root) == 1
    assert "BROKE OFF test_it" in capsys.readouterr().out
    assert "test_slow" in ran_in(root)
    assert run_everything(options, root) == 1
    assert "test_slow" in ran_in(root)
