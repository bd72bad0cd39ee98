"""Requests for sockets are refused before the upgrade, unless every part is right."""

from unittest.mock import MagicMock

import pytest

from dashboard.web.http.origins import Origins
from dashboard.web.server.gate import Gate

RIGHT = {
    "REQUEST_METHOD": "GET",
    "PATH_INFO": "/socket.io/",
    "QUERY_STRING": "EIO=4&transport=websocket",
    "HTTP_HOST": "localhost:5000",
    "HTTP_ORIGIN": "http://localhost:5000",
    "HTTP_UPGRADE": "websocket",
    "HTTP_CONNECTION": "Upgrade",
    "HTTP_SEC_WEBSOCKET_VERSION": "13",
    "HTTP_SEC_WEBSOCKET_KEY": "dGhlIHNhbXBsZSBub25jZQ==",
}


def passed(**changes: str) -> bool:
    app, start_response = MagicMock(), MagicMock()
    given = {name: value for name, value in {**RIGHT, **changes}.items() if value}
    given |= {"wsgi.url_scheme": "http", "REMOTE_ADDR": "127.0.0.1"}
    Gate(app, Origins((), 5000), MagicMock())(given, start_response)
    assert app.called != start_response.called
    assert app.called or start_response.call_args.args[0][:3] in ("400", "403", "404")
    return app.called


def test_a_request_that_is_right_passes():
    assert passed()


@pytest.mark.parametrize("origin", ["", "null", "http://evil.example", "http://localhost:5001"])
def test_a_socket_of_another_page_is_refused(origin):
    """S1."""
    assert not passed(HTTP_ORIGIN=origin)


def test_a_socket_under_another_host_is_refused():
    """S1, bad input 83: rebound DNS."""
    assert not passed(HTTP_HOST="evil.example")


@pytest.mark.parametrize(
    "changes",
    [
        {"QUERY_STRING": "EIO=4&transport=websocket&sid=x"},
        {"QUERY_STRING": "EIO=4&transport=websocket&j=0"},
        {"QUERY_STRING": "EIO=3&transport=websocket"},
        {"QUERY_STRING": "EIO=4&transport=polling"},
        {"REQUEST_METHOD": "POST"},
        {"HTTP_UPGRADE": ""},
        {"HTTP_SEC_WEBSOCKET_KEY": ""},
        {"HTTP_SEC_WEBSOCKET_VERSION": "8"},
    ],
    ids=str,
)
def test_only_websockets_of_today_pass(changes):
    """S4, S5."""
    assert not passed(**changes)
