"""Thousands of dashboards ask for their lists at once, as after a restart of the server. (F56)"""

import threading

import fakeredis
import pytest

from dashboard.live.live_lists import READS_AT_ONCE
from dashboard.transport.caller import Caller
from tests.dashboard.live.model import Worker
from tests.dashboard.ordering.order import Order
from tests.support import SettableClock, wait_until

ARRIVAL = {"view": "arrival", "sort": "arrival"}
DASHBOARDS = 5 * READS_AT_ONCE


@pytest.fixture
def order(database):
    opened = Order(database, fakeredis.FakeRedis(), SettableClock())
    for number in range(3):
        opened.post(f"t-{number}")
    opened.tick()
    return opened


class Calls:
    """Calls of many sockets at once, and their answers."""

    def __init__(self, worker: Worker, calls):
        self.answers: list = []
        self._worker = worker
        self._threads = [
            threading.Thread(target=self._call, args=[number, *call], daemon=True)
            for number, call in enumerate(calls)
        ]
        for thread in self._threads:
            thread.start()

    def _call(self, number, name, fields):
        self.answers.append(self._worker.call(Caller(f"socket-{number}", 1), name, fields))

    def end(self):
        for thread in self._threads:
            thread.join(30)
        assert len(self.answers) == len(self._threads), "every call is answered"


def test_so_many_lists_are_read_at_once_and_the_others_wait(order, monkeypatch):
    """Other work that needs Redis, such as placing events, has the other connections."""
    worker = Worker(order)
    counting, gate = threading.Lock(), threading.Event()
    reading = most = 0
    read_head = order.ranking.head

    def head(*arguments):
        nonlocal reading, most
        with counting:
            reading += 1
            most = max(most, reading)
        assert gate.wait(30)
        with counting:
            reading -= 1
            return read_head(*arguments)

    monkeypatch.setattr(order.ranking, "head", head)
    calls = Calls(worker, [("list:open", ARRIVAL | {"limit": 3})] * DASHBOARDS)
    wait_until(lambda: reading == READS_AT_ONCE, what="the first ones")
    gate.set()
    calls.end()
    assert most == READS_AT_ONCE
    assert {len(answer["ids"]) for answer in calls.answers} == {3}


def test_while_redis_is_away_sql_reads_a_list_once_for_all_who_wait_for_it(order, monkeypatch):
    """Each of two lists: for the first callers, and for all who came meanwhile."""
    worker = Worker(order)
    worker.broadcaster.status.read_failed()
    gate, reads = threading.Event(), worker.broadcaster._reads
    read, listed = [], reads.listed

    def slowly_listed(list, *arguments):
        read.append(list.view)
        assert gate.wait(30)
        return listed(list, *arguments)

    monkeypatch.setattr(reads, "listed", slowly_listed)
    names = [ARRIVAL | {"view": view, "limit": 3} for view in ("arrival", "not_respond")]
    calls = Calls(worker, [("list:open", names[number % 2]) for number in range(DASHBOARDS)])
    wait_until(lambda: read != [])
    gate.set()
    calls.end()
    assert len(read) <= 6, "not once for each of them"
    assert all(answer["late"] and len(answer["rows"]) == 3 for answer in calls.answers)


def test_a_list_from_sql_has_what_was_stored_before_it_was_asked_for(order):
    worker = Worker(order)
    worker.broadcaster.status.read_failed()
    for number in range(3, 6):
        order.post(f"t-{number}")
        answer = worker.call(Caller("socket", 1), "list:open", ARRIVAL | {"limit": 500})
        assert len(answer["ids"]) == number + 1
