"""The actor of a request in the audit log, and refused access in the log of the process."""

import logging

import pytest
from flask import Flask, g

from dashboard.db.accounts import admin_desks
from dashboard.db.accounts.admins import Admin
from dashboard.db.accounts.sessions import Identity
from dashboard.db.audit import Actor
from dashboard.rate_limits import REFUSED_LINES_PER_CALLER
from dashboard.web.http import audit
from dashboard.wsgi_keys import TARGET
from tests.dashboard.web.admin.calls import API
from tests.drivers.application import ORIGIN

APP = Flask("test")
FROM = {"environ_base": {"REMOTE_ADDR": "192.0.2.7"}, "headers": {"User-Agent": "Firefox/140.0"}}


def test_the_actor_is_the_admin_of_the_session():
    with APP.test_request_context(**FROM):
        g.identity = Identity(7, "mai@example.org", "Mai", "supervisor", b"", 2, 1, None)
        assert audit.acting() == Actor(
            "page", 7, "Mai", "mai@example.org", "192.0.2.7", "Firefox/140.0"
        )


def test_before_a_sign_in_the_actor_is_nobody_and_after_it_the_admin():
    with APP.test_request_context(**FROM):
        assert audit.signing_in() == Actor("page", None, "", None, "192.0.2.7", "Firefox/140.0")
        mai = Admin(7, "mai@example.org", "Mai", "admin")
        assert audit.signing_in(mai)[1:4] == (7, "Mai", "mai@example.org")


def test_a_request_without_an_address_or_a_browsers_name_has_an_actor():
    with APP.test_request_context(environ_base={"REMOTE_ADDR": ""}, headers={"User-Agent": ""}):
        assert audit.signing_in() == Actor("page")


@pytest.fixture
def lines(caplog):
    """Collects the logged refusals from now on."""
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
    answer = dashboard.client().get("/", base_url="http://evil.example:81")
    assert answer.status_code == 400
    [line] = lines()
    assert line.startswith("GET / refused to nobody at 127.0.0.1: untrusted_host")
    assert "LINEUP_ORIGINS does not name 'evil.example:81'" in line


def test_an_ordinary_mistake_is_no_refusal_of_access(dashboard, mai, lines):
    dashboard.say("t-1")
    assert mai.get(f"{API}/threads/1/messages?limit=x").status_code == 422
    assert dashboard.client().get("/nothing").status_code == 404
    assert lines() == []


def test_a_caller_cannot_fill_the_log(mai, lines):
    for _ in range(REFUSED_LINES_PER_CALLER.size + 5):
        mai.get(f"{API}/accounts")
    assert len(lines()) == REFUSED_LINES_PER_CALLER.size
