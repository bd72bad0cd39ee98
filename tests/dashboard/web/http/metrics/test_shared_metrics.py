"""The metrics of several workers as one: each has its own registry, here without processes."""

import json
import os
import re

import pytest
from prometheus_client.parser import text_string_to_metric_families

from dashboard.web.http import metrics as metrics_module
from dashboard.web.http.metrics import (
    EndedWorkers,
    Family,
    Metrics,
    Sample,
    WorkerFiles,
    added,
)


class Server:
    """Workers that share a folder."""

    def __init__(self, folder):
        self.folder = folder
        self.ended = EndedWorkers(folder)
        self._number = 0

    def worker(self, **gauges):
        """Makes a worker; `gauges` is name=(number, adding)."""
        self._number += 1
        metrics = Metrics()
        metrics.name = str(self._number)
        for name, (number, adding) in gauges.items():
            metrics.watch(name, "A gauge.", lambda number=number: number, adding)
        metrics.share(WorkerFiles(self.folder, metrics.name))
        metrics.write()
        return metrics

    def end(self, worker):
        self.ended.add(worker.name)


@pytest.fixture
def server(tmp_path):
    return Server(tmp_path)


def numbers(metrics):
    """Returns sample to number, by name and labels as they are written."""
    lines = metrics.text().decode().splitlines()
    return {
        name: float(number)
        for name, _, number in (line.rpartition(" ") for line in lines if line[0] != "#")
    }


CREATED = 'lineup_events_total{status="created"}'


def test_counters_of_all_workers_are_summed_at_each(server):
    one, other = server.worker(), server.worker()
    one.count_event("created", 3)
    other.count_event("created", 4)
    other.count_event("duplicate")
    for each in (one, other):
        each.write()
    for each in (one, other):
        found = numbers(each)
        assert found[CREATED] == 7
        assert found['lineup_events_total{status="duplicate"}'] == 1


def test_a_worker_answers_with_its_newest_numbers_and_shows_them_to_the_others(server):
    """Once a number was shown, no worker answers with a smaller one."""
    one, other = server.worker(), server.worker()
    one.count_event("created", 5)
    assert numbers(one)[CREATED] == 5
    assert numbers(other)[CREATED] == 5


def test_counts_kept_elsewhere_are_summed(server):
    one, other = server.worker(), server.worker()
    for metrics, number in ((one, 2), (other, 5)):
        metrics.watch_count("list_repairs", "Repairs.", lambda number=number: number)
        metrics.write()
    assert numbers(one)["lineup_list_repairs_total"] == 7


def test_histograms_are_summed_bucket_by_bucket(server):
    one, other = server.worker(), server.worker()
    for metrics in (one, one, other):
        with metrics.time_accepting():
            pass
        metrics.write()
    found = numbers(other)
    assert found["lineup_accept_seconds_count"] == 3
    assert found['lineup_accept_seconds_bucket{le="+Inf"}'] == 3
    assert found['lineup_accept_seconds_bucket{le="2.5"}'] == 3
    assert found["lineup_accept_seconds_sum"] > 0


@pytest.mark.parametrize(
    ("adding", "shown"), [("sum", 7), ("max", 5), ("min", 2), ("once", {"1": 2, "2": 5})]
)
def test_a_gauge_says_what_it_is_in_several_workers(server, adding, shown):
    """Sockets are summed; the length of a list in Redis is the same in each worker."""
    workers = [server.worker(gauge=(2, adding)), server.worker(gauge=(5, adding))]
    for each in workers:
        expected = shown[each.name] if adding == "once" else shown
        assert numbers(each)["lineup_gauge"] == expected


def test_where_workers_differ_the_one_that_answers_says_how_they_are_added():
    """H34: as while workers of a new release replace older ones."""
    old = Family("lineup_length", "A length.", "gauge", "sum", [Sample("lineup_length", {}, 5)])
    new = old._replace(adding="once", samples=[Sample("lineup_length", {}, 2)])
    assert [each.samples[0].value for each in added([[new], [old]])] == [2]
    assert [each.samples[0].value for each in added([[old], [new]])] == [7]


def test_gauges_that_are_taken_once_are_read_for_answers_alone(server):
    """They ask Redis, so no worker reads them once a second."""
    reads = []
    worker = server.worker()
    worker.watch("length", "A length.", lambda: reads.append(1) or 3, "once")
    worker.write()
    assert reads == []
    assert numbers(worker)["lineup_length"] == 3 and reads == [1]


def test_what_a_worker_counted_outlives_it_and_its_gauges_do_not(server):
    one, other = server.worker(sockets=(2, "sum")), server.worker(sockets=(5, "sum"))
    one.count_event("created", 3)
    other.count_event("created", 4)
    other.write()
    server.end(other)
    found = numbers(one)
    assert (found[CREATED], found["lineup_sockets"]) == (7, 2)
    successor = server.worker(sockets=(1, "sum"))
    successor.count_event("created")
    found = numbers(successor)
    assert (found[CREATED], found["lineup_sockets"]) == (8, 3)


def test_a_worker_that_is_replaced_again_and_again_leaves_one_file(server):
    lasting = server.worker()
    for _ in range(200):
        worker = server.worker()
        worker.count_event("created")
        worker.write()
        server.end(worker)
    assert numbers(lasting)[CREATED] == 200
    assert sorted(path.name for path in server.folder.iterdir()) == [
        "ended.json",
        "worker-1.json",
    ]
    assert len(json.loads((server.folder / "ended.json").read_text())[0]) < 200


def test_a_worker_that_ended_before_it_counted_anything_is_nothing(server):
    server.ended.add("77")
    assert numbers(server.worker())["lineup_accept_seconds_count"] == 0


def test_an_end_between_two_reads_counts_once(server, monkeypatch):
    """A reader still has a worker's file when its numbers are added to those of ended workers."""
    one, other = server.worker(), server.worker()
    other.count_event("created", 4)
    other.write()
    read = metrics_module._read_ended
    ended = []

    def ends_first(folder):
        if not ended:
            ended.append(other)
            server.end(other)
        return read(folder)

    monkeypatch.setattr(metrics_module, "_read_ended", ends_first)
    assert numbers(one)[CREATED] == 4
    assert ended, "the worker ended while its numbers were read"


def test_a_full_disk_hides_no_numbers(server, monkeypatch):
    one = server.worker()
    one.count_event("created", 3)

    def full(*ignored):
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert numbers(one)[CREATED] == 3


def test_the_text_is_that_of_prometheus(server):
    """Every metric has type and help; times of creation have no sum, and are left out."""
    one, other = server.worker(sockets=(2, "sum")), server.worker(sockets=(5, "sum"))
    for each in (one, other):
        each.count_event("created")
        each.count_answer("POST", 201)
    text = one.text().decode()
    families = {each.name: each for each in text_string_to_metric_families(text)}
    assert {each.type for each in families.values()} == {"counter", "gauge", "histogram"}
    assert all(each.documentation for each in families.values())
    assert not re.search("_created", text)
