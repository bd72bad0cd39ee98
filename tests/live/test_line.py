"""The short way to a socket: at once where it is free, in its turn where not."""

import gc
import weakref
from queue import Queue
from types import SimpleNamespace

import pytest
from engineio.packet import MESSAGE, PING, Packet
from socketio.manager import Manager

from dashboard.live.line import Line
from dashboard.live.outlet import Message
from dashboard.live.packets import NAMESPACE, Fragment


class Engine:
    """Engine.IO's side of a socket: what is sent waits in a queue."""

    def __init__(self):
        self.queue, self.closed = Queue(), False

    def send(self, packet):
        self.queue.put(packet)


class World:
    """A line over a WebSocket that takes what it is offered, or does not."""

    def __init__(self):
        self.offered, self.free = [], True
        manager = Manager()
        manager.basic_enter_room("sid", NAMESPACE, None, eio_sid="engine")
        self.engine = Engine()
        self.websocket = SimpleNamespace(offer=self._offer)
        self.eio = SimpleNamespace(sockets={"engine": self.engine})
        self.line = Line(SimpleNamespace(manager=manager, eio=self.eio), "sid", self.websocket)

    def _offer(self, messages):
        if self.free:
            self.offered += messages
        return self.free

    def queued(self):
        return [self.engine.queue.get().encode() for _ in range(self.engine.queue.qsize())]


def frame(number, acknowledged=lambda: None):
    return Message("list:order", Fragment(f'{{"n":{number}}}'), acknowledged)


@pytest.fixture
def world():
    return World()


def test_what_is_pushed_goes_out_at_once(world):
    world.line.send([Message("pages:totals", Fragment('{"filter":"all"}'))])
    assert world.offered == ['42/admin,["pages:totals",{"filter":"all"}]']
    assert world.queued() == []


def test_what_finds_others_before_it_takes_its_turn(world):
    world.free = False
    world.line.send([frame(1)])
    world.free = True
    world.line.send([frame(2), Message("pages:totals", Fragment("{}"))])
    assert world.offered == []
    assert world.queued() == [
        '42/admin,1["list:order",{"n":1}]',
        '42/admin,2["list:order",{"n":2}]',
        '42/admin,["pages:totals",{}]',
    ]


def test_what_socket_io_sends_keeps_its_order_with_what_is_pushed(world):
    answer = Packet(MESSAGE, "3/admin,7[]")
    world.engine.send(answer)
    assert world.offered == ["43/admin,7[]"]
    world.free = False
    world.line.send([frame(1)])
    world.free = True
    world.engine.send(answer)
    assert world.queued() == ['42/admin,1["list:order",{"n":1}]', "43/admin,7[]"]


def test_pings_go_through_the_queue_which_they_keep_alive(world):
    world.engine.send(Packet(PING))
    assert world.offered == []
    assert world.queued() == ["2"]


def test_an_acknowledgement_is_heard_once(world):
    heard = []
    world.line.send([frame(1, lambda: heard.append(1))])
    assert world.websocket.settles("43/admin,1[]")
    assert world.websocket.settles("43/admin,1[]")
    assert heard == [1]


_TOO_LONG = f"43/admin,1{'0' * 20}[]"
_OTHERS = "43/admin,1[2] 43/admin,1[ 43/admin,[] 43/other,1[] 42/admin,1[] 43/admin,1[]x 43[] 3"


@pytest.mark.parametrize("message", ["", _TOO_LONG, *_OTHERS.split()])
def test_whatever_else_comes_goes_the_way_of_all(world, message):
    world.line.send([frame(1, lambda: pytest.fail("not acknowledged"))])
    assert not world.websocket.settles(message)


def test_nothing_goes_to_a_socket_that_was_closed(world):
    world.engine.closed = True
    world.line.send([frame(1)])
    assert world.offered == world.queued() == []


def test_nothing_of_a_closed_line_waits_for_a_collection(world):
    left = [weakref.ref(world.engine), weakref.ref(world.line)]
    gc.disable()
    try:
        world.line.close()
        del world.line, world.engine, world.eio
        assert [each() for each in left] == [None, None]
    finally:
        gc.enable()
