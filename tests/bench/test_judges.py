"""A judge agrees only if it ran, and if each of its findings has a reason that is still needed."""

import json

import pytest

from bench.judges import __main__ as command
from bench.judges import lighthouse, report
from bench.judges.accepted import ACCEPTED
from bench.judges.judge import Accepted, Finding, Judge, Verdict
from bench.processes import BenchError
from tests.servers.programs import missing

WRONG = Finding("1.2.3", "/login", "A field is | wrong.")
ROW = Accepted("suite", "1.2.*", "/log*", "Nobody reads it.")


def judge(*findings: Finding, checks: int = 5) -> Judge:
    def run(folder):
        yield Verdict("eventlet", checks, [*findings], ["a note"])

    return Judge("suite", "Looks at it.", lambda: {"suite": "1.0"}, run)


def failing(error) -> Judge:
    def run(folder):
        yield Verdict("eventlet", 5)
        error()

    return judge()._replace(run=run)


def test_a_finding_needs_a_reason():
    [problem] = report.problems(report.judged(judge(WRONG), []))
    assert problem == "eventlet: 1.2.3 at /login: A field is | wrong."
    assert report.problems(report.judged(judge(WRONG), [ROW])) == []
    assert report.problems(report.judged(judge(), [])) == []


@pytest.mark.parametrize("row", [{"judge": "other"}, {"rule": "1.2"}, {"where": "/"}])
def test_a_reason_covers_its_own_findings_alone(row):
    said = report.problems(report.judged(judge(WRONG), [ROW._replace(**row)]))
    assert said[0].startswith("eventlet: 1.2.3"), said


def test_a_reason_without_its_finding_is_stale():
    [problem] = report.problems(report.judged(judge(), [ROW]))
    assert problem == "the reason for 1.2.* at /log* matches no finding any more"
    assert report.problems(report.judged(judge(), [ROW._replace(judge="other")])) == []


def raises():
    raise BenchError("there is no node on the PATH")


@pytest.mark.parametrize("error", [raises, lambda: missing("no Chromium")])
def test_a_judge_that_cannot_run_does_not_agree(error, monkeypatch, capsys):
    monkeypatch.delenv("CI", raising=False)
    entry = report.judged(failing(error), [ROW])
    [problem] = report.problems(entry)
    assert problem.startswith("could not run: ") and "no" in problem
    assert entry["versions"] == {"suite": "1.0"}
    assert report.problems(report.judged(judge(checks=0), []))[0].startswith("could not run")


def test_the_page_has_each_finding_with_its_reason(tmp_path):
    entries = [report.judged(judge(WRONG, WRONG._replace(rule="9")), [ROW])]
    report.write(entries, {"Python": "3.11"}, tmp_path)
    page = (tmp_path / "judges.md").read_text(encoding="utf-8")
    assert "| suite | eventlet | 5 | 2 | 1 |" in page
    assert "| 1.2.3: A field is \\| wrong. | /login | eventlet | Nobody reads it. |" in page
    assert "| 9: A field is \\| wrong. | /login | eventlet | **none** |" in page
    kept = json.loads((tmp_path / "judges.json").read_text(encoding="utf-8"))
    assert kept["judges"][0]["verdicts"][0]["findings"][0]["reason"] == "Nobody reads it."


@pytest.mark.parametrize("names", [[], ["suite"]])
def test_only_a_whole_run_writes_results(names, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command, "JUDGES", {"suite": judge(WRONG)})
    monkeypatch.setattr(command.report, "RESULTS", tmp_path)
    monkeypatch.setattr("sys.argv", ["judges", *names])
    assert command.main() == 1
    assert bool([*tmp_path.iterdir()]) == (not names)
    assert "suite: eventlet: 1.2.3 at /login" in capsys.readouterr().out


def test_every_accepted_finding_names_a_judge_and_a_reason():
    assert {row.judge for row in ACCEPTED} <= command.JUDGES.keys()
    assert [row for row in ACCEPTED if len(row.reason) < 20] == []


@pytest.mark.parametrize(
    "said, tries", [(f"NO_NAVSTART. {lighthouse.AGAIN}.", lighthouse.TRIES), ("No browser.", 1)]
)
def test_lighthouse_runs_again_when_it_asks_for_it(monkeypatch, tmp_path, said, tries):
    runs = []

    def fails(*given, **named):
        runs.append(given)
        raise BenchError(said)

    monkeypatch.setattr(lighthouse, "output", fails)
    monkeypatch.setattr(lighthouse, "node", lambda: "node")
    monkeypatch.setattr(lighthouse, "chromium_path", lambda: "chromium")
    with pytest.raises(BenchError, match=said):
        lighthouse.report_of(tmp_path, "/", "", ())
    assert len(runs) == tries
