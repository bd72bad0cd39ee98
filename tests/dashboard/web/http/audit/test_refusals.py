"""Refused access is in the log: who asked for what, and from where."""

import logging

import pytest

from dashboard.db.accounts import admin_desks
from dashboard.rate_limits import REFUSED_LINES_PER_CALLER
from dashboard.wsgi_keys import TARGET
from tests.dashboard.web.admin.calls import API
from tests.drivers.application import ORIGIN


@pytest.fixture
def lines(caplog):
    """What is logged of refusals, from now on."""
    caplog.set_level(logging.INFO, "dashboard.refused")
    return lambda: [each.message for each in caplog.records if each.name == "dashboard.refused"]


def test_a_call_of_supervisors_that_an_admin_made_is_logged(mai, lines):
    me = mai.get(f"{API}/me").json["id"]
    assert mai.get(f"{API}/accounts").status_code == 403
    assert lines() == [
        f"GET /admin/api/accounts refused to admin {me} at 127.0.0.1: forbidden",
    ]


def test_a_thread_of_another_desk_is_logged_like_one_that_is_not(dashboard, mai, lines):
    dashboard.database.write(lambda connection: admin_desks.add(connection, "billing", 0))
    dashboard.happens("thread.handoff", "t-1", desk="billing")
    me = mai.get(f"{API}/me").json["id"]
    for id in (1, 99):
        assert mai.get(f"{API}/threads/{id}/messages").status_code == 404
    route = "/admin/api/threads/<int:thread_id>/messages"
    assert lines() == [
        f"GET {route} {{'thread_id': {id}}} refused to admin {me} at 127.0.0.1: not_found"
        for id in (1, 99)
    ]


def test_who_is_not_signed_in_and_another_page_are_logged(dashboard, mai, lines):
    client = dashboard.client()
    assert client.get(f"{API}/me").status_code == 401
    headers = {"Origin": "https://evil.example"}
    assert mai.post(f"{API}/views", json={}, headers=headers).status_code == 403
    assert [line.partition(" refused to ")[2] for line in lines()] == [
        "nobody at 127.0.0.1: unauthorized",
        "nobody at 127.0.0.1: csrf_failed",
    ]


def test_a_wrong_key_of_a_chatbot_is_logged_without_the_key(dashboard, lines):
    key = f"lu_aaaaaaaaaa_{'a' * 43}"
    headers = {"Authorization": f"Bearer {key}"}
    answer = dashboard.client().get("/api/v1/threads/someone", headers=headers)
    assert answer.status_code == 401
    [line] = lines()
    assert line.endswith("refused to nobody at 127.0.0.1: unauthorized")
    assert key[:8] not in line and "someone" not in line


def test_a_socket_without_a_session_is_logged(dashboard, lines):
    headers = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Origin": ORIGIN,
    }
    answer = dashboard.client().get(
        "/socket.io/?EIO=4&transport=websocket",
        headers=headers,
        environ_overrides={TARGET: "/socket.io/?EIO=4&transport=websocket"},
    )
    assert answer.status_code == 401
    assert lines() == ["a socket refused to nobody at 127.0.0.1: unauthorized"]


def test_a_call_under_a_foreign_name_is_logged(dashboard, lines):
    answer = dashboard.client().get("/", base_url="http://evil.example")
    assert answer.status_code == 400
    assert lines() == ["GET / refused to nobody at 127.0.0.1: untrusted_host"]


def test_an_ordinary_mistake_is_no_refusal_of_access(dashboard, mai, lines):
    dashboard.say("t-1")
    assert mai.get(f"{API}/threads/1/messages?limit=x").status_code == 422
    assert dashboard.client().get("/nothing").status_code == 404
    assert lines() == []


def test_a_caller_cannot_fill_the_log(mai, lines):
    for _ in range(REFUSED_LINES_PER_CALLER.size + 5):
        mai.get(f"{API}/accounts")
    assert len(lines()) == REFUSED_LINES_PER_CALLER.size
