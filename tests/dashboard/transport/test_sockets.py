"""Sockets while they connect, when their rights change, or if they never join."""

from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest
from socketio.exceptions import ConnectionRefusedError

from dashboard.protocol import PROTOCOL
from dashboard.transport.caller import Caller
from dashboard.transport.sockets import Sockets
from dashboard.wsgi_keys import IDENTITY


def test_a_page_of_another_protocol_is_refused():
    """F68: it is told why, and nothing is kept of it."""
    sockets = MagicMock(_connections={})
    with pytest.raises(ConnectionRefusedError) as refused:
        Sockets._connect(sockets, "1", {IDENTITY: MagicMock()}, {"protocol": PROTOCOL + 1})
    assert refused.value.error_args["data"] == {"code": "protocol_mismatch"}
    assert sockets._connections == {} and not sockets.mock_calls


def test_another_role_is_told_to_all_who_follow_sockets():
    """H15: and only if the role is another one."""
    observer = MagicMock()
    sockets = MagicMock(_calls=SimpleNamespace(observers=[observer]))
    before, after = Caller("1", 7, "supervisor"), Caller("1", 7, "admin")
    Sockets._rights_changed(sockets, SimpleNamespace(caller=before), before)
    assert not observer.on_role.called
    Sockets._rights_changed(sockets, SimpleNamespace(caller=after), before)
    observer.on_role.assert_called_once_with(after)


def test_what_never_joins_is_closed_and_what_has_joined_is_not():
    """S3, F66: a socket may stay open without joining for a limited time."""
    joined, idle = MagicMock(), MagicMock()
    now = SimpleNamespace(seconds=100.0)
    sockets = MagicMock(
        _connections={"1": SimpleNamespace(websocket=joined)},
        _driver=SimpleNamespace(open={joined, idle}),
        _unjoined_since={},
        _monotonic=lambda: now.seconds,
    )
    for seconds, is_closed in ((0, False), (5, False), (1, True)):
        now.seconds += seconds
        Sockets.close_unjoined(sockets, 6)
        assert (idle.close.called, joined.close.called) == (is_closed, False)


def test_what_a_call_begins_for_a_socket_that_closed_meanwhile_ends_with_it():
    observer, caller = MagicMock(), Caller("1", 7)
    connections = {"1": SimpleNamespace(caller=caller, is_leaving=False)}
    closes = iter((False, True))

    def answer(*_):
        if next(closes):
            connections.clear()
        return {}

    calls = SimpleNamespace(observers=[observer], answer=answer)
    sockets = MagicMock(_connections=connections, _calls=calls)
    sockets._forget = lambda *given: Sockets._forget(sockets, *given)
    Sockets._call(sockets, "thread:open", "1")
    assert not observer.on_disconnect.called
    Sockets._call(sockets, "thread:open", "1")
    observer.on_disconnect.assert_called_once_with("1", "closed")
