"""Webhooks over HTTP: for supervisors, from our own page."""

from datetime import UTC, datetime

import pytest
from standardwebhooks import Webhook

API = "/admin/api/webhooks"
URL = "https://bot.example/hook"


@pytest.fixture
def chief(dashboard):
    return dashboard.sign_in("Chief", "supervisor")


@pytest.fixture
def webhook(chief) -> dict:
    answer = chief.post(API, json={"source": "shop", "url": URL})
    assert answer.status_code == 201
    return answer.json


def reply(dashboard, browser, body: str = "Hello", thread: str = "t") -> dict:
    id = dashboard.say(thread)
    said = {"body": body, "token": f"tok-{body}", "confirm": True}
    answer = browser.post(f"/admin/api/threads/{id}/replies", json=said)
    assert answer.status_code == 201
    return answer.json["message"]


def test_webhooks_are_for_supervisors(dashboard, mai):
    for method, path in (("GET", ""), ("POST", ""), ("DELETE", "/1"), ("POST", "/1/test")):
        answer = mai.open(API + path, method=method, json={})
        assert (answer.status_code, answer.json["code"]) == (403, "forbidden")
    assert mai.get("/settings/webhooks").status_code == 403
    assert dashboard.client().get(API).status_code == 401


def test_requests_of_other_origins_are_refused(chief):
    answer = chief.post(API, json={}, headers={"Origin": "https://evil.example"})
    assert (answer.status_code, answer.json["code"]) == (403, "csrf_failed")


def test_a_webhook_is_made_and_listed_without_its_secret(chief, webhook):
    assert webhook["secret"].startswith("whsec_")
    answer = chief.get(API)
    (listed,) = answer.json["webhooks"]
    assert (listed["source"], listed["url"], listed["waiting"]) == ("shop", URL, 0)
    assert webhook["secret"] not in answer.text


@pytest.mark.parametrize(
    ("form", "pointer"),
    [
        ({"source": "shop"}, "/url"),
        ({"source": "shop", "url": "bot.example"}, "/url"),
        ({"source": "Shop!", "url": URL}, "/source"),
        ({"source": "_lineup", "url": URL}, "/source"),
        ({"source": "shop", "url": URL, "events": ["all"]}, "/events"),
        ({"source": "shop", "url": URL, "secret": "x"}, "/secret"),
    ],
)
def test_a_wrong_field_is_named(chief, form, pointer):
    answer = chief.post(API, json=form)
    assert (answer.status_code, answer.json["errors"][0]["pointer"]) == (422, pointer)


def test_a_reply_goes_out_signed_and_its_delivery_is_saved(dashboard, chief, webhook):
    message = reply(dashboard, chief)
    assert (message["delivery"]["state"], message["delivery"]["to"]) == ("queued", "bot")
    dashboard.dispatcher.turn()
    ((_, request),) = dashboard.poster.got
    at = datetime.fromtimestamp(int(request.headers["webhook-timestamp"]), UTC)
    signature = Webhook(webhook["secret"]).sign(
        request.headers["webhook-id"], at, request.body.decode()
    )
    assert request.headers["webhook-signature"] == signature
    found = chief.get(f"/admin/api/threads/{message['thread_id']}/messages").json["messages"][-1]
    assert (found["delivery"]["state"], found["delivery"]["to"]) == ("delivered", "bot")


def test_any_admin_may_send_a_reply_again_that_did_not_arrive(dashboard, chief, mai, webhook):
    dashboard.poster.will_answer(URL, 500)
    message = reply(dashboard, mai)
    dashboard.dispatcher.turn()
    again = f"/admin/api/threads/{message['thread_id']}/messages/{message['id']}/send-again"
    assert mai.post(again, json={}).json["message"]["delivery"]["attempts"] == 0
    dashboard.dispatcher.turn()
    assert len(dashboard.poster.got) == 2
    assert mai.post(again, json={}).json["code"] == "already_delivered"
    other = f"/admin/api/threads/{message['thread_id']}/messages/999/send-again"
    assert mai.post(other, json={}).status_code == 404
    far = f"/admin/api/threads/1/messages/{2**70}/send-again"
    assert mai.post(far, json={}).status_code == 404


def test_test_log_replay_rotate_and_revoke(dashboard, chief, webhook):
    path = f"{API}/{webhook['id']}"
    assert chief.post(f"{path}/test", json={}).json["status"] == 200
    reply(dashboard, chief)
    dashboard.dispatcher.turn()
    log = chief.get(f"{path}/log").json
    assert [line["status"] for line in log["attempts"]] == [200, 200]
    event = log["attempts"][0]["request"]["body"]["id"]
    assert chief.post(f"{path}/replay", json={"event": event}).json == {"replayed": 1}
    assert chief.post(f"{path}/replay", json={"event": "evt_no"}).status_code == 404
    assert chief.post(f"{path}/replay", json={"since": 0}).json == {"replayed": 1}
    for wrong in ({}, {"event": event, "since": 0}):
        assert chief.post(f"{path}/replay", json=wrong).status_code == 422
    assert chief.post(f"{path}/rotate", json={}).json["secret"] != webhook["secret"]
    assert chief.post(f"{path}/enable", json={}).status_code == 204
    assert chief.delete(path, json={}).status_code == 204
    assert chief.get(API).json == {"webhooks": []}
    assert chief.get(f"{path}/log").status_code == 404
    assert chief.get(f"{API}/{2**70}/log").status_code == 404
