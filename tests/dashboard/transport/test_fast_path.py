"""Messages are written at once where the socket is free, and queued where it is not."""

import gc
import weakref
from queue import Queue
from types import SimpleNamespace

import pytest
from engineio.packet import MESSAGE, PING, Packet
from socketio.manager import Manager

from dashboard.transport.emitter import Message
from dashboard.transport.fast_path import FastPath
from dashboard.transport.packets import NAMESPACE, EncodedJson


class Engine:
    """Engine.IO's side of a socket: messages to send wait in a queue."""

    def __init__(self):
        self.queue, self.closed = Queue(), False

    def send(self, packet):
        self.queue.put(packet)


class FastPathDriver:
    """A fast path over a WebSocket that takes data at once, or does not."""

    def __init__(self):
        self.offered, self.free = [], True
        manager = Manager()
        manager.basic_enter_room("sid", NAMESPACE, None, eio_sid="engine")
        self.engine = Engine()
        self.websocket = SimpleNamespace(offer=self._offer)
        self.eio = SimpleNamespace(sockets={"engine": self.engine})
        self.path = FastPath(SimpleNamespace(manager=manager, eio=self.eio), "sid", self.websocket)

    def _offer(self, messages):
        if self.free:
            self.offered += [message.decode() for message in messages]
        return self.free

    def queued(self):
        return [self.engine.queue.get().encode() for _ in range(self.engine.queue.qsize())]


def frame(number, acknowledged=lambda: None):
    return Message("list:order", EncodedJson(f'{{"n":{number}}}'), acknowledged)


@pytest.fixture
def driver():
    return FastPathDriver()


def test_a_message_is_written_at_once(driver):
    driver.path.send([Message("pages:totals", EncodedJson('{"filter":"all"}'))])
    assert driver.offered == ['42/admin,["pages:totals",{"filter":"all"}]']
    assert driver.queued() == []


def test_messages_behind_a_queued_one_are_queued(driver):
    driver.free = False
    driver.path.send([frame(1)])
    driver.free = True
    driver.path.send([frame(2), Message("pages:totals", EncodedJson("{}"))])
    assert driver.offered == []
    assert driver.queued() == [
        '42/admin,1["list:order",{"n":1}]',
        '42/admin,2["list:order",{"n":2}]',
        '42/admin,["pages:totals",{}]',
    ]


def test_packets_of_socket_io_keep_their_order_with_messages(driver):
    answer = Packet(MESSAGE, "3/admin,7[]")
    driver.engine.send(answer)
    assert driver.offered == ["43/admin,7[]"]
    driver.free = False
    driver.path.send([frame(1)])
    driver.free = True
    driver.engine.send(answer)
    assert driver.queued() == ['42/admin,1["list:order",{"n":1}]', "43/admin,7[]"]


def test_pings_go_through_the_queue(driver):
    driver.engine.send(Packet(PING))
    assert driver.offered == []
    assert driver.queued() == ["2"]


def test_an_acknowledgement_calls_its_callback_once(driver):
    calls = []
    driver.path.send([frame(1, lambda: calls.append(1))])
    assert driver.websocket.intercept("43/admin,1[]")
    assert driver.websocket.intercept("43/admin,1[]")
    assert calls == [1]


def test_an_acknowledged_number_is_used_again(driver):
    calls = []
    for name in "ab":
        driver.path.send([frame(1, lambda name=name: calls.append(name))])
    assert driver.websocket.intercept("43/admin,1[]")
    for name in "cd":
        driver.path.send([frame(2, lambda name=name: calls.append(name))])
    numbers = [text.partition("[")[0].rpartition(",")[2] for text in driver.offered]
    assert numbers == ["1", "2", "1", "3"]
    for number in (2, 3, 1):
        assert driver.websocket.intercept(f"43/admin,{number}[]")
    assert calls == ["a", "b", "d", "c"]


def test_a_message_is_sent_in_utf_8(driver):
    driver.path.send([Message("thread:message", EncodedJson('{"body":"Chào"}'))])
    driver.free = False
    driver.path.send([Message("thread:message", EncodedJson('{"body":"Chào"}'))])
    assert driver.offered == driver.queued() == ['42/admin,["thread:message",{"body":"Chào"}]']


_TOO_LONG = f"43/admin,1{'0' * 20}[]"
_OTHERS = "43/admin,2[2] 43/admin,1[ 43/admin,[] 43/other,1[] 42/admin,1[] 43/admin,1[]x 43[] 3"


@pytest.mark.parametrize("message", ["", _TOO_LONG, *_OTHERS.split()])
def test_other_messages_are_left_to_socket_io(driver, message):
    driver.path.send([frame(1, lambda: pytest.fail("not acknowledged"))])
    assert not driver.websocket.intercept(message)


def test_an_acknowledgement_is_one_whatever_it_carries(driver):
    calls = []
    driver.path.send([frame(1, lambda: calls.append(1))])
    assert driver.websocket.intercept('43/admin,1["ok",{"a":[]}]')
    assert not driver.websocket.intercept('43/admin,1["ok"]'), "it is known once"
    assert calls == [1]


def test_nothing_is_sent_to_a_closed_socket(driver):
    driver.engine.closed = True
    driver.path.send([frame(1)])
    assert driver.offered == driver.queued() == []


def test_a_closed_path_is_freed_without_the_garbage_collector(driver):
    left = [weakref.ref(driver.engine), weakref.ref(driver.path)]
    gc.disable()
    try:
        driver.path.close()
        del driver.path, driver.engine, driver.eio
        assert [each() for each in left] == [None, None]
    finally:
        gc.enable()
