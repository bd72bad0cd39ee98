"""Who may not have a socket is told so before the upgrade."""

import json

import pytest
import requests
import websocket

from tests.live_server import cookie_of

pytestmark = [pytest.mark.live, pytest.mark.real_redis]
UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}


def knock(desk, query="EIO=4&transport=websocket", drop=(), path="/socket.io/", **headers):
    """Asks for a socket with plain HTTP; the answer where it is refused."""
    given = UPGRADE | {"Origin": desk.server.url, "Cookie": cookie_of(desk.mai)} | headers
    for name in drop:
        del given[name]
    answer = requests.get(f"{desk.server.url}{path}?{query}", headers=given, timeout=10)
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
def test_only_websockets_of_protocol_4_are_served(desk, query):
    assert knock(desk, query) == (400, "websocket_only")


@pytest.mark.parametrize("name", ["Connection", "Upgrade", "Sec-WebSocket-Key"])
def test_half_an_upgrade_is_none(desk, name):
    assert knock(desk, drop=[name]) == (400, "websocket_only")


def test_an_old_websocket_is_refused(desk):
    assert knock(desk, **{"Sec-WebSocket-Version": "8"}) == (400, "websocket_only")


def test_polling_posts_are_refused(desk):
    headers = {"Origin": desk.server.url, "Cookie": cookie_of(desk.mai)}
    url = f"{desk.server.url}/socket.io/?EIO=4&transport=polling"
    assert requests.post(url, data="9x", headers=headers, timeout=10).status_code == 400


@pytest.mark.parametrize("origin", ["null", "http://evil.example", "http://localhost:1", ""])
def test_pages_of_others_are_refused(desk, origin):
    assert knock(desk, Origin=origin) == (403, "csrf_failed")


def test_no_page_at_all_is_refused(desk):
    assert knock(desk, drop=["Origin"]) == (403, "csrf_failed")


def test_a_forged_forwarded_host_is_not_believed(desk):
    evil = {"X-Forwarded-Host": "evil.example", "X-Forwarded-For": "1.2.3.4"}
    assert knock(desk, Origin="http://evil.example", **evil) == (403, "csrf_failed")


def test_another_host_is_refused(desk):
    assert knock(desk, Host="evil.example") == (400, "untrusted_host")


def test_without_a_cookie_there_is_no_socket(desk):
    assert knock(desk, drop=["Cookie"]) == (401, "unauthorized")


@pytest.mark.parametrize("token", ["x", "", "a" * 43, "a" * 5000, "%00", "' OR 1=1--"])
def test_a_cookie_of_nobody_is_refused(desk, token):
    assert knock(desk, Cookie=f"lineup_session={token}") == (401, "unauthorized")


def test_a_tampered_cookie_is_refused(desk):
    name, _, value = cookie_of(desk.mai).partition("=")
    changed = ("A" if value[0] != "A" else "B") + value[1:]
    assert knock(desk, Cookie=f"{name}={changed}") == (401, "unauthorized")


def test_the_refusal_comes_instead_of_the_upgrade(desk):
    with pytest.raises(websocket.WebSocketBadStatusException) as raised:
        websocket.create_connection(
            desk.server.url.replace("http", "ws") + "/socket.io/?EIO=4&transport=websocket",
            origin=desk.server.url,
        )
    assert raised.value.status_code == 401
    assert json.loads(raised.value.resp_body)["code"] == "unauthorized"


def test_no_extension_is_offered(desk):
    with_deflate = {"Sec-WebSocket-Extensions": "permessage-deflate"}
    opened = websocket.create_connection(
        desk.server.url.replace("http", "ws") + "/socket.io/?EIO=4&transport=websocket",
        origin=desk.server.url,
        cookie=cookie_of(desk.mai),
        header=with_deflate,
    )
    assert "sec-websocket-extensions" not in opened.getheaders()
    opened.close()


def test_a_page_of_another_protocol_is_told_to_load_anew(desk):
    raw = desk.raw()
    raw.send('40/admin,{"protocol":0}')
    answer = raw.recv()
    assert answer.startswith("44/admin,")
    assert json.loads(answer.removeprefix("44/admin,"))["data"]["code"] == "protocol_mismatch"
    raw.send('40/admin,{"protocol":1}')
    assert raw.recv().startswith("40/admin,")
    raw.close()
