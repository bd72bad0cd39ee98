"""The installed Engine.IO, Socket.IO and redis-py have every undocumented name that is used."""

import logging
from functools import partial

import pytest
import redis
from engineio import packet as engine_packet
from engineio.socket import Socket
from flask import Flask
from redis import connection as redis_connection
from redis.backoff import NoBackoff
from redis.retry import Retry
from socketio import Server, packet
from socketio.manager import Manager

from dashboard.errors import StartError
from dashboard.transport import internals, redis_parser
from dashboard.transport.emitter import Message
from dashboard.transport.fast_path import EmitPath, FastPath
from dashboard.transport.packets import NAMESPACE, EncodedJson, SplicingJson, StrictPacket
from dashboard.transport.redis_parser import Parser, parser_options
from dashboard.transport.sockets import Driver, Sockets


@pytest.fixture
def server():
    return Server(async_mode="threading", serializer=StrictPacket, json=SplicingJson)


def connected(server):
    """An Engine.IO socket under a connected socket of the namespace, and the latter's id."""
    engine_socket = Socket(server.eio, "engine")
    server.eio.sockets["engine"] = engine_socket
    sid = server.manager.connect("engine", NAMESPACE)
    return engine_socket, sid


def queued(engine_socket):
    texts = [engine_socket.queue.get().encode() for _ in range(engine_socket.queue.qsize())]
    assert all(text.startswith("4") for text in texts)
    return texts


def test_no_name_of_engine_io_and_socket_io_is_missing(server):
    assert internals.missing_names(server) == []


def test_the_engine_socket_is_found_by_the_id_of_the_socket(server):
    engine_socket, sid = connected(server)
    assert internals.engine_socket(server, sid) is engine_socket
    assert engine_socket.queue.empty() and engine_socket.closed is False


def test_what_socket_io_sends_goes_through_the_send_method_of_the_engine_socket(server):
    engine_socket, sid = connected(server)
    sent = []
    engine_socket.send = sent.append
    server.emit("event", {"a": 1}, to=sid, namespace=NAMESPACE)
    assert [each.packet_type for each in sent] == [engine_packet.MESSAGE]
    assert sent[0].encode() == '42/admin,["event",{"a":1}]'


def test_upgrades_open_a_websocket_of_the_driver(server):
    driven = []

    def driver(handler, engine_server):
        driven.append((handler, engine_server))
        return lambda environ, start_response: ["driven"]

    own = server.eio._async
    internals.replace_driver(server, driver)
    environ = {"HTTP_CONNECTION": "Upgrade", "HTTP_UPGRADE": "websocket"}
    answer = Socket(server.eio, "engine").handle_get_request(environ, None)
    assert answer == ["driven"]
    assert callable(driven[0][0]) and driven[0][1] is server.eio
    assert own["websocket"] is not driver, "the library's module was changed"


def test_packets_have_the_attributes_that_are_checked():
    decoded = packet.Packet(encoded_packet='2/admin,7["event",1]')
    assert (decoded.packet_type, decoded.namespace) == (packet.EVENT, NAMESPACE)
    assert (decoded.id, decoded.data) == (7, ["event", 1])
    assert packet.Packet.uses_binary_events is True
    assert {packet.CONNECT, packet.DISCONNECT, packet.EVENT, packet.ACK} == {0, 1, 2, 3}


def test_the_environ_of_a_socket_can_be_read(server):
    _, sid = connected(server)
    server.environ["engine"] = {"key": "value"}
    assert server.get_environ(sid, NAMESPACE) == {"key": "value"}


def attached(caplog):
    sockets = Sockets("threading", lambda hashes: dict.fromkeys(hashes, "admin"))
    with caplog.at_level(logging.WARNING):
        sockets.attach(Flask("test"))
    return sockets, [record.getMessage() for record in caplog.records]


def test_with_all_names_messages_take_the_fast_path_and_nothing_is_logged(caplog):
    sockets, warnings = attached(caplog)
    assert warnings == []
    server = sockets.socketio.server
    _, sid = connected(server)
    assert isinstance(sockets._path(sid, Driver()), FastPath)


def missing_manager_name(monkeypatch):
    monkeypatch.delattr(Manager.__mro__[1], "eio_sid_from_sid")


def missing_socket_attribute(monkeypatch):
    construct = Socket.__init__

    def without_queue(self, *arguments):
        construct(self, *arguments)
        del self.queue

    monkeypatch.setattr(Socket, "__init__", without_queue)


@pytest.mark.parametrize(
    ("remove", "name"),
    [
        (missing_manager_name, "manager.eio_sid_from_sid"),
        (missing_socket_attribute, "Socket.queue"),
    ],
)
def test_without_a_name_messages_are_emitted_after_one_warning(monkeypatch, caplog, remove, name):
    remove(monkeypatch)
    sockets, warnings = attached(caplog)
    assert len(warnings) == 1 and name in warnings[0]
    assert isinstance(sockets._path("sid", None), EmitPath)
    assert isinstance(sockets._path("sid", Driver()), EmitPath)


def test_emitted_messages_are_queued_in_order_with_their_callbacks(server):
    engine_socket, sid = connected(server)
    calls = []
    data = EncodedJson('{"n":1}')
    messages = [Message("list:order", data, lambda: calls.append(1)), Message("totals", data)]
    EmitPath(server, sid).send(messages)
    assert queued(engine_socket) == [
        '42/admin,1["list:order",{"n":1}]',
        '42/admin,["totals",{"n":1}]',
    ]
    server.manager.trigger_callback(sid, 1, [])
    assert calls == [1]


def test_without_the_driver_of_engine_io_nothing_is_served(server):
    server.eio._async = {}
    with pytest.raises(StartError, match="install another"):
        internals.replace_driver(server, Driver())


@pytest.fixture
def fresh_parser(monkeypatch):
    """The parser as it is in a new process."""
    monkeypatch.setattr(Parser, "is_usable", True)
    redis_parser._warn_once.cache_clear()


def client_with(url, options):
    pool = redis.BlockingConnectionPool.from_url(url, retry=Retry(NoBackoff(), 0), **options)
    return redis.Redis.from_pool(pool)


def polls_of(looks):
    def poll():
        looks.append(1)
        return redis_parser.select.poll()

    return poll


def test_no_name_of_redis_py_is_missing(redis_server, fresh_parser, caplog):
    looks = []
    options = parser_options(polls_of(looks))
    assert isinstance(options["parser_class"], partial)
    with client_with(redis_server.url, options) as client:
        client.ping()
        client.ping()
    assert Parser.is_usable and looks and not caplog.records
    assert issubclass(Parser, redis_connection.DefaultParser)


@pytest.mark.parametrize("name", redis_parser.PARSER_NAMES)
def test_without_a_method_the_default_parser_is_used_after_one_warning(
    redis_server, fresh_parser, monkeypatch, caplog, name
):
    monkeypatch.setattr(redis_parser, "_Default", type("Renamed", (), {}))
    assert parser_options(polls_of([])) == {} == parser_options(polls_of([]))
    [warning] = caplog.records
    assert name in warning.getMessage()


@pytest.mark.parametrize("name", redis_parser.CONNECTED_NAMES)
def test_without_an_attribute_the_ordinary_check_is_used_after_one_warning(
    redis_server, fresh_parser, monkeypatch, caplog, name
):
    looks = []
    names = (*redis_parser.CONNECTED_NAMES, f"{name}_renamed")
    monkeypatch.setattr(redis_parser, "CONNECTED_NAMES", names)
    with client_with(redis_server.url, parser_options(polls_of(looks))) as client:
        assert client.set("parser", 1) and client.get("parser") == b"1"
        client.connection_pool.disconnect()
        assert client.get("parser") == b"1"
    assert not looks
    [warning] = caplog.records
    assert f"{name}_renamed" in warning.getMessage()
