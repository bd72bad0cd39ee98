"""A process that stops tells its clients to reconnect: one after the other, and all of them."""

import json
from bisect import bisect_left
from types import SimpleNamespace

import pytest

from dashboard.errors import StorageUnavailable
from dashboard.transport.sockets import (
    AWAY_SECONDS_MAX,
    RETURN_SECONDS,
    RETURNS_A_SECOND,
    Sockets,
    window_of,
)


class Clients:
    """Clients of a worker; those that obey leave as soon as they are told to."""

    def __init__(self, count, obey=lambda sid: True):
        self.now = 0.0
        self.told = {}
        self.sockets = Sockets("eventlet", lambda sessions: {}, lambda: self.now)
        self.sockets.socketio = SimpleNamespace(sleep=self._sleep)
        self._obey = obey
        for number in range(count):
            path = SimpleNamespace(send=lambda messages, sid=number: self._take(sid, messages))
            self.sockets._connections[number] = SimpleNamespace(path=path)

    def _take(self, sid, messages):
        assert [each.event for each in messages] == ["server:leaving"]
        assert sid not in self.told
        self.told[sid] = self.now
        if self._obey(sid):
            del self.sockets._connections[sid]

    def _sleep(self, seconds):
        self.now += seconds

    def most_in_a_second(self):
        times = sorted(self.told.values())
        return max(bisect_left(times, at + 1, first) - first for first, at in enumerate(times))


def test_a_thousand_dashboards_do_not_come_back_in_one_instant():
    """H33"""
    clients = Clients(1_000)
    clients.sockets.send_away()
    assert len(clients.told) == 1_000
    assert clients.most_in_a_second() <= RETURNS_A_SECOND + 1
    assert [*clients.told] != sorted(clients.told), "windows of one admin are not told in a row"


def test_many_more_are_told_in_time_all_the_same():
    clients = Clients(20_000)
    clients.sockets.send_away()
    assert max(clients.told.values()) <= AWAY_SECONDS_MAX
    assert clients.most_in_a_second() <= 20_000 / AWAY_SECONDS_MAX * 1.01


def test_who_does_not_leave_is_waited_for_a_short_while():
    clients = Clients(10, obey=lambda sid: sid != 7)
    clients.sockets.send_away()
    assert [*clients.sockets._connections] == [7], "left for `close_all`"
    assert clients.now == pytest.approx(10 / RETURNS_A_SECOND + RETURN_SECONDS, abs=0.1)


def test_who_was_about_to_connect_is_told_as_well():
    clients = Clients(3)
    pause = clients.sockets.socketio.sleep

    def arrive(seconds):
        pause(seconds)
        if len(clients.told) == 3:
            path = SimpleNamespace(send=lambda messages: clients._take("late", messages))
            clients.sockets._connections.setdefault("late", SimpleNamespace(path=path))

    clients.sockets.socketio.sleep = arrive
    clients.sockets.send_away()
    assert "late" in clients.told and not clients.sockets._connections


def test_without_sockets_nothing_is_waited_for():
    clients = Clients(0)
    clients.sockets.send_away()
    assert clients.now == 0


def test_a_socket_that_closes_while_it_is_announced_is_forgotten_by_all():
    """O8: nothing is kept of it, also by those who learn of it after that."""
    sockets = Sockets("threading", lambda sessions: {})
    server = SimpleNamespace(enter_room=lambda *given, **named: None)
    sockets.socketio = SimpleNamespace(server=server)
    sockets._connections["s"] = SimpleNamespace(path=SimpleNamespace(close=lambda: None))

    class Holder:
        """Keeps the sockets that are ready until they close."""

        def __init__(self, on_ready):
            self.held, self._on_ready = set(), on_ready

        def on_ready(self, caller):
            self.held.add(caller.sid)
            self._on_ready(caller.sid)

        def on_disconnect(self, sid, reason):
            self.held.discard(sid)

    first = Holder(lambda sid: sockets._disconnect(sid, "client disconnect"))
    second = Holder(lambda sid: None)
    sockets._calls.observers = (first, second)
    sockets._make_ready(SimpleNamespace(sid="s"))
    assert not first.held and not second.held


@pytest.mark.parametrize(
    ("auth", "window"),
    [
        ({"visible": False, "idle_ms": 7}, (False, 7)),
        ({}, (True, 0)),
        (None, (True, 0)),
        ({"visible": "no", "idle_ms": -1}, (True, 0)),
        ({"visible": None, "idle_ms": True}, (True, 0)),
        ({"idle_ms": 1.5}, (True, 0)),
    ],
)
def test_a_window_says_how_it_is_when_it_connects(auth, window):
    assert window_of(auth) == window


def test_the_page_of_an_account_that_was_disabled_is_told_why_its_session_ended():
    """Also if the reason is not known: the session is over in any case."""
    told = []

    def is_disabled(admin_id):
        if admin_id == 3:
            raise StorageUnavailable()
        return admin_id == 1

    sockets = Sockets("threading", lambda sessions: {}, is_disabled=is_disabled)
    sockets.socketio = SimpleNamespace(start_background_task=lambda *given: None)
    for admin_id in (1, 2, 3):
        path = SimpleNamespace(send=lambda messages: told.extend(messages))
        caller = SimpleNamespace(sid=str(admin_id), admin_id=admin_id)
        sockets._connections[str(admin_id)] = SimpleNamespace(
            path=path, caller=caller, session=b"", is_leaving=False
        )
    sockets.check_sessions()
    reasons = [json.loads(each.data)["reason"] for each in told]
    assert reasons == ["disabled", None, None]
    assert {each.event for each in told} == {"session:ended"}
