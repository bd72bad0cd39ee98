"""Workers are started, restarted and replaced one after another; here without processes."""

import itertools
import logging
import shutil
import signal
from dataclasses import replace

import pytest

from dashboard.cli import serve
from dashboard.cli.serve import RESTART_SECONDS, START_SECONDS, STOP_SECONDS
from dashboard.cli.worker import WorkerPart
from dashboard.web.http.metrics import Metrics, WorkerFiles
from tests.dashboard.cli.workers.driver import Service


@pytest.fixture
def service(tmp_path):
    return Service(3, tmp_path)


def test_all_workers_have_one_listener_and_names_of_their_own(service):
    assert [each.part.listener for each in service.started] == [5, 5, 5]
    assert [each.name for each in service.started] == ["1", "2", "3"]


def test_a_worker_that_ended_is_started_again_after_a_pause(service):
    service.started[1].exit_code = 1
    service.look(3)
    assert len(service.started) == 3
    service.pass_time(RESTART_SECONDS)
    assert [each.name for each in service.running] == ["1", "3", "4"]


def test_a_worker_that_cannot_be_started_is_tried_again(service):
    service.started[1].exit_code = 1
    service.cannot_start = True
    service.look()
    service.pass_time(RESTART_SECONDS)
    service.cannot_start = False
    service.pass_time(RESTART_SECONDS)
    assert len(service.running) == 3


def test_workers_are_replaced_one_after_another_and_each_new_one_is_ready_first(service):
    """H33: at each moment as many serve as should."""
    service.hang_up()
    names = [{"1", "2", "3"}]
    for old in service.started[:3]:
        service.look(3)
        new = service.started[-1]
        assert not old.stopped, "the new one is not ready"
        assert len(service.running) == 4
        new.ready = True
        service.look(3)
        assert old.stopped and len(service.serving) == 3
        names.append({each.name for each in service.serving})
        assert service.started[-1] is new, "the old one has not ended"
        old.exit_code = 0
        service.look()
    assert names == [{"1", "2", "3"}, {"4", "2", "3"}, {"4", "5", "3"}, {"4", "5", "6"}]
    service.look(5)
    service.pass_time(10 * START_SECONDS)
    assert len(service.started) == 6 and len(service.running) == 3


@pytest.mark.parametrize("how", ["it ends", "it takes too long", "it cannot be started"])
def test_where_a_new_worker_does_not_start_the_old_ones_go_on(service, caplog, how):
    """H33: as where new code is broken."""
    service.cannot_start = how == "it cannot be started"
    service.hang_up()
    service.look()
    if how == "it ends":
        service.started[-1].exit_code = 1
    service.pass_time(START_SECONDS + 1 if how == "it takes too long" else 0)
    service.look(3)
    assert [each.name for each in service.running] == ["1", "2", "3"] and service.serving
    assert not any(each.stopped for each in service.started[:3])
    assert [each.levelno for each in caplog.records] == [logging.ERROR]
    service.cannot_start = False
    service.hang_up()
    service.look()
    assert len(service.running) == 4, "the next SIGHUP tries again"


def test_a_worker_that_does_not_end_in_time_is_killed_and_the_next_is_replaced(service):
    service.hang_up()
    service.look()
    service.make_ready()
    service.look()
    old = service.started[0]
    assert old.stopped
    service.pass_time(STOP_SECONDS - 1)
    assert not old.killed and len(service.started) == 4
    service.pass_time(2)
    assert old.killed
    service.look(2)
    assert len(service.started) == 5


def test_a_second_hangup_replaces_also_what_the_first_has_replaced(service):
    service.hang_up()
    service.look()
    service.make_ready()
    service.look()
    service.started[0].exit_code = 0
    service.hang_up()
    for _ in range(30):
        service.look()
        service.make_ready()
        for each in service.running:
            each.exit_code = 0 if each.stopped else None
    assert len(service.running) == 3
    assert {each.name for each in service.running}.isdisjoint({"1", "2", "3", "4"})


def test_a_worker_that_dies_while_its_successor_starts_is_not_started_twice(service):
    service.hang_up()
    service.look()
    service.started[0].exit_code = -9
    service.look()
    service.pass_time(10 * RESTART_SECONDS)
    assert len(service.running) == 3
    service.make_ready()
    service.look(3)
    assert "4" in {each.name for each in service.serving}


def test_what_replaced_workers_have_counted_counts_on(service, tmp_path):
    """H34"""
    for each in service.started:
        metrics = Metrics()
        metrics.share(WorkerFiles(tmp_path, each.name))
        metrics.count_event("created", 10)
        metrics.write()
    service.hang_up()
    service.look()
    service.make_ready()
    service.look()
    service.started[0].exit_code = 0
    service.started[1].exit_code = 1
    service.look(2)
    left = Metrics()
    left.share(WorkerFiles(tmp_path, "new"))
    assert b'lineup_events_total{status="created"} 30.0' in left.text()


def left(folder):
    """The workers that are marked as ready in the folder."""
    return sorted(path.name for path in folder.glob("ready-*"))


def test_who_has_ended_does_not_say_any_more_that_it_is_ready(service, tmp_path):
    for each in service.started:
        each.part.announce()
    service.started[0].exit_code = 0
    service.look()
    assert left(tmp_path) == ["ready-2", "ready-3"]


def test_without_the_folder_of_temporary_files_workers_go_on_and_are_started(service, tmp_path):
    """As where somebody cleans `/tmp`: the folder is there again before the next one is started."""
    service.started[1].exit_code = 1
    service.look()
    shutil.rmtree(tmp_path)
    # A worker becomes ready at the worst moment.
    service.started[0].part.announce()
    service.pass_time(RESTART_SECONDS)
    assert [each.name for each in service.running] == ["1", "3", "4"]
    service.started[-1].part.announce()
    assert left(tmp_path) == ["ready-4"]


def test_a_folder_that_cannot_be_written_ends_nothing(service, tmp_path):
    shutil.rmtree(tmp_path)
    tmp_path.touch()
    for worker in service.started[:2]:
        worker.exit_code = 1
    service.hang_up()
    service.look(3)
    service.pass_time(RESTART_SECONDS)
    assert [each.name for each in service.running] == ["3", "4", "5"]


def end_of(service, monkeypatch, step):
    """Runs the shutdown; calls `step(number)` at each check for ended workers."""
    numbers = itertools.count()

    def sleep(seconds):
        service.now += seconds
        step(next(numbers))

    monkeypatch.setattr(serve.time, "sleep", sleep)
    service.workers._stop(signal.SIGTERM, None)
    service.workers._end()


def test_at_the_end_the_port_is_closed_and_all_workers_are_stopped(service, monkeypatch):
    def step(number):
        for each in service.running:
            each.exit_code = 0

    service.hang_up()
    service.look()
    end_of(service, monkeypatch, step)
    assert not service.listener.is_open
    assert len(service.started) == 4 and all(each.stopped for each in service.started)
    assert not any(each.killed for each in service.started)


def test_a_second_signal_ends_what_hangs(service, monkeypatch):
    """H33"""
    ended_at = service.now + STOP_SECONDS

    def step(number):
        if number == 1:
            service.started[2].exit_code = 0
        elif number == 3:
            assert service.started[2].is_reaped, "also behind one that hangs"
            service.workers._stop(signal.SIGTERM, None)

    end_of(service, monkeypatch, step)
    assert [each.killed for each in service.started] == [True, True, False]
    assert service.now < ended_at


def test_what_hangs_is_killed_when_its_time_is_over(service, monkeypatch):
    """H33"""
    end_of(service, monkeypatch, lambda number: None)
    assert all(each.killed for each in service.started)


def test_a_part_is_what_the_command_line_says():
    part = WorkerPart("7", "/run/a folder", 5, 1234)
    assert WorkerPart.from_option(part.to_option()) == part
    older = '{"name": "7", "folder": "/run/a folder", "listener": 5}'
    assert WorkerPart.from_option(older) == replace(part, parent=None), "after an update and SIGHUP"
