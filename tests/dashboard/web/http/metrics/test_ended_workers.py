"""The counts of ended workers, when the folder of the workers is full, cleaned or gone."""

import logging
import os
import shutil

import pytest

from dashboard.web.http import metrics as metrics_module
from dashboard.web.http.metrics import (
    RETRY_SECONDS,
    REWRITE_SECONDS,
    EndedWorkers,
    Metrics,
    WorkerFiles,
)


class Server:
    """The process that runs the workers, and one lasting worker, which answers."""

    def __init__(self, folder):
        self.folder, self.now = folder, 1_000.0
        self.ended = EndedWorkers(folder, lambda: self.now)
        self.lasting = Metrics()
        self.lasting.share(WorkerFiles(folder, "lasting"))

    def run_and_end(self, name, count=1):
        """Starts and ends a worker that counts so many events."""
        metrics = Metrics()
        metrics.share(WorkerFiles(self.folder, name))
        metrics.count_event("created", count)
        metrics.write()
        self.ended.add(name)

    def pass_time(self, seconds):
        self.now += seconds
        self.ended.keep()

    @property
    def counted(self):
        """Returns the count that the lasting worker reports for all workers together."""
        lines = self.lasting.text().decode().splitlines()
        created = [line for line in lines if line.startswith('lineup_events_total{status="cr')]
        return sum(float(line.rpartition(" ")[2]) for line in created)


@pytest.fixture
def server(tmp_path):
    return Server(tmp_path / "workers")


@pytest.fixture
def full(monkeypatch):
    """A disk that takes nothing for ended workers until `undo`."""
    replace = os.replace

    def fails(source, target):
        if target.name == "ended.json":
            raise OSError("no space left on device")
        replace(source, target)

    monkeypatch.setattr(metrics_module.os, "replace", fails)
    return monkeypatch


@pytest.fixture(autouse=True)
def folder(server):
    server.folder.mkdir()
    return server.folder


def test_a_full_disk_lowers_no_counter_and_is_logged_once(server, full, caplog):
    """Even if more workers end than names are remembered, as in a crash loop."""
    for number in range(1, 101):
        server.run_and_end(str(number))
        assert server.counted == number
        server.pass_time(1)
    assert [each.levelno for each in caplog.records] == [logging.ERROR]
    full.undo()
    server.pass_time(RETRY_SECONDS)
    assert server.counted == 100
    assert sorted(each.name for each in server.folder.iterdir() if each.suffix == ".json") == [
        "ended.json",
        "worker-lasting.json",
    ]
    server.run_and_end("101")
    assert server.counted == 101


@pytest.mark.parametrize("what", ["the file", "the folder"])
def test_what_was_removed_is_written_again_with_all_that_is_known(server, what):
    server.run_and_end("1", 5)
    if what == "the file":
        (server.folder / "ended.json").unlink()
    else:
        shutil.rmtree(server.folder)
    server.pass_time(0.2)
    assert server.counted == 5
    server.run_and_end("2", 3)
    assert server.counted == 8
    assert server.folder.stat().st_mode & 0o777 == 0o700 or what == "the file"


def test_a_worker_that_ends_in_a_removed_folder_ends_nothing_else(server, caplog):
    shutil.rmtree(server.folder)
    server.folder.touch()
    server.ended.add("1")
    assert [each.levelno for each in caplog.records] == [logging.ERROR]
    server.folder.unlink()
    server.pass_time(RETRY_SECONDS)
    server.run_and_end("2", 3)
    assert server.counted == 3


def test_what_a_worker_left_damaged_counts_nothing_and_stops_nothing(server):
    (server.folder / "worker-1.json").write_text("[[")
    server.ended.add("1")
    server.run_and_end("2", 3)
    assert server.counted == 3


def test_the_file_is_written_again_before_it_looks_forgotten(server):
    """Also if no worker ends for days: systemd-tmpfiles removes files older than ten days."""
    server.run_and_end("1", 5)
    path = server.folder / "ended.json"
    os.utime(path, (0, 0))
    server.pass_time(REWRITE_SECONDS / 2)
    assert path.stat().st_mtime == 0
    server.pass_time(REWRITE_SECONDS / 2)
    assert path.stat().st_mtime > 0 and server.counted == 5
