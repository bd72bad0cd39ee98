"""A worker ends with the process that runs it, however early that is killed."""

import os
import signal

import pytest

from dashboard.cli import serve, worker
from dashboard.cli.main import main
from dashboard.cli.worker import WorkerPart, end_with_parent
from tests.dashboard.cli.workers.driver import Service
from tests.support import wait_until


@pytest.fixture
def killed(monkeypatch):
    """The signals that this process would have got."""
    signals = []
    monkeypatch.setattr(worker.os, "kill", lambda *signal: signals.append(signal))
    return signals


def test_a_worker_whose_parent_ended_before_it_could_look_ends(killed):
    """By then `os.getppid()` names another process."""
    end_with_parent(WorkerPart("1", "", 5, parent=os.getpid()))
    wait_until(lambda: killed)
    assert killed == [(os.getpid(), signal.SIGTERM)]


def test_a_worker_is_told_which_process_runs_it(tmp_path):
    [started] = Service(1, tmp_path).started
    assert started.part.parent == os.getpid()


def test_a_worker_looks_after_its_parent_before_it_waits_for_the_schema(monkeypatch):
    steps = []

    def open_services(*ignored, **more):
        steps.append("open the services")
        raise SystemExit

    monkeypatch.setenv("LINEUP_SECRET_KEY", "x" * 32)
    monkeypatch.setattr(serve.logs, "install", lambda *ignored: None)
    monkeypatch.setattr("dashboard.cli.web_process.open_web_services", open_services)
    monkeypatch.setattr(serve, "end_with_parent", steps.append)
    part = WorkerPart("1", "", 5, 1234)
    with pytest.raises(SystemExit):
        main(["serve", "--worker", part.to_option()])
    assert steps == [part, "open the services"]
