"""The runner of the tests: what passes, fails, and passes the second time only."""

import json
from pathlib import Path

import pytest

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
