"""A socket that is not allowed is refused before the upgrade."""

import json
import socket

import pytest
import requests
import websocket

from dashboard.protocol import PROTOCOL
from tests.servers.lineup import cookie_of

UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}


def knock(lineup, query="EIO=4&transport=websocket", drop=(), path="/socket.io/", **headers):
    """Asks for a socket with plain HTTP; returns the refusal."""
    given = UPGRADE | {"Origin": lineup.server.url, "Cookie": cookie_of(lineup.mai)} | headers
    for name in drop:
        del given[name]
    answer = requests.get(f"{lineup.server.url}{path}?{query}", headers=given, timeout=10)
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json()["status"] == answer.status_code
    return answer.status_code, answer.json()["code"]


@pytest.mark.parametrize(
    "query",
    [
        "EIO=4&transport=polling",
        "EIO=4",
        "EIO=3&transport=websocket",
        "transport=websocket",
        "EIO=4&transport=websocket&j=0",
        "EIO=4&transport=websocket&sid=abc",
        "EIO=4&EIO=3&transport=websocket",
    ],
)
def test_only_websockets_of_protocol_4_are_served(lineup, query):
    assert knock(lineup, query) == (400, "websocket_only")


def test_nothing_else_is_said_to_who_may_not_open_a_socket(lineup):
    """Not even that the request is no WebSocket, or is of another protocol."""
    polling = "EIO=3&transport=polling"
    assert knock(lineup, polling, drop=["Cookie"]) == (401, "unauthorized")
    assert knock(lineup, polling, Origin="https://evil.example") == (403, "csrf_failed")


@pytest.mark.parametrize("name", ["Connection", "Upgrade", "Sec-WebSocket-Key"])
def test_half_an_upgrade_is_none(lineup, name):
    assert knock(lineup, drop=[name]) == (400, "websocket_only")


@pytest.mark.parametrize(
    "path",
    [
        *("//socket.io/", "/socket.io%2f", "/socket%2eio/", "/%73ocket.io/", "/socket.io/x"),
        *("/socket.io", "///socket.io/", "/socket.io//", "/socket.io/./"),
    ],
)
def test_the_path_has_one_spelling(lineup, path):
    """H18: a server in front might read others differently, so none reaches the sockets."""
    headers = [f"{name}: {value}" for name, value in UPGRADE.items()]
    own = [f"Origin: {lineup.server.url}", f"Cookie: {cookie_of(lineup.mai)}"]
    with socket.create_connection(("127.0.0.1", lineup.server.port), timeout=10) as connection:
        line = f"GET {path}?EIO=4&transport=websocket HTTP/1.1"
        host = f"Host: 127.0.0.1:{lineup.server.port}"
        connection.sendall("\r\n".join([line, host, *headers, *own, "", ""]).encode())
        assert connection.recv(4096).startswith(b"HTTP/1.1 404 ")


@pytest.mark.parametrize("payload", [b"\x03\xe8\xff\xfe", b"\x03", b"\x00\x01"])
def test_the_close_of_a_malformed_close_has_no_words_of_the_implementation(lineup, payload):
    """H18"""
    raw = lineup.raw_socket()
    raw.send(payload, opcode=websocket.ABNF.OPCODE_CLOSE)
    answer = raw.recv_frame()
    while answer.opcode != websocket.ABNF.OPCODE_CLOSE:
        answer = raw.recv_frame()
    assert len(answer.data) == 2, answer.data


def test_the_close_after_a_text_that_is_no_utf_8_has_no_words(lineup):
    """H18"""
    raw = lineup.raw_socket()
    raw.send(b"4\xff\xfe", opcode=websocket.ABNF.OPCODE_TEXT)
    answer = raw.recv_frame()
    while answer.opcode != websocket.ABNF.OPCODE_CLOSE:
        answer = raw.recv_frame()
    assert answer.data == (1007).to_bytes(2)


def test_an_old_websocket_is_refused(lineup):
    assert knock(lineup, **{"Sec-WebSocket-Version": "8"}) == (400, "websocket_only")


def test_polling_posts_are_refused(lineup):
    headers = {"Origin": lineup.server.url, "Cookie": cookie_of(lineup.mai)}
    url = f"{lineup.server.url}/socket.io/?EIO=4&transport=polling"
    assert requests.post(url, data="9x", headers=headers, timeout=10).status_code == 400


@pytest.mark.parametrize("origin", ["null", "http://evil.example", "http://localhost:1", ""])
def test_pages_of_others_are_refused(lineup, origin):
    assert knock(lineup, Origin=origin) == (403, "csrf_failed")


def test_no_page_at_all_is_refused(lineup):
    assert knock(lineup, drop=["Origin"]) == (403, "csrf_failed")


def test_a_forged_forwarded_host_is_not_believed(lineup):
    evil = {"X-Forwarded-Host": "evil.example", "X-Forwarded-For": "1.2.3.4"}
    assert knock(lineup, Origin="http://evil.example", **evil) == (403, "csrf_failed")


def test_another_host_is_refused(lineup):
    assert knock(lineup, Host="evil.example") == (400, "untrusted_host")


def test_without_a_cookie_there_is_no_socket(lineup):
    assert knock(lineup, drop=["Cookie"]) == (401, "unauthorized")


@pytest.mark.parametrize("token", ["x", "", "a" * 43, "a" * 5000, "%00", "' OR 1=1--"])
def test_an_invalid_cookie_is_refused(lineup, token):
    assert knock(lineup, Cookie=f"lineup_session={token}") == (401, "unauthorized")


def test_a_tampered_cookie_is_refused(lineup):
    name, _, value = cookie_of(lineup.mai).partition("=")
    changed = ("A" if value[0] != "A" else "B") + value[1:]
    assert knock(lineup, Cookie=f"{name}={changed}") == (401, "unauthorized")


def test_the_refusal_comes_instead_of_the_upgrade(lineup):
    with pytest.raises(websocket.WebSocketBadStatusException) as raised:
        websocket.create_connection(
            lineup.server.url.replace("http", "ws") + "/socket.io/?EIO=4&transport=websocket",
            origin=lineup.server.url,
        )
    assert raised.value.status_code == 401
    assert json.loads(raised.value.resp_body)["code"] == "unauthorized"


def test_no_extension_is_offered(lineup):
    with_deflate = {"Sec-WebSocket-Extensions": "permessage-deflate"}
    opened = websocket.create_connection(
        lineup.server.url.replace("http", "ws") + "/socket.io/?EIO=4&transport=websocket",
        origin=lineup.server.url,
        cookie=cookie_of(lineup.mai),
        header=with_deflate,
    )
    assert "sec-websocket-extensions" not in opened.getheaders()
    opened.close()


def test_a_page_of_another_protocol_is_asked_to_reload(lineup):
    raw = lineup.raw_socket()
    raw.send(f'40/admin,{{"protocol":{PROTOCOL - 1}}}')
    answer = raw.recv()
    assert answer.startswith("44/admin,")
    assert json.loads(answer.removeprefix("44/admin,"))["data"]["code"] == "protocol_mismatch"
    raw.send(f'40/admin,{{"protocol":{PROTOCOL}}}')
    assert raw.recv().startswith("40/admin,")
    raw.close()
