"""Requests are signed as Standard Webhooks 1.0 says."""

import base64
import hashlib
import hmac
import json
from datetime import UTC, datetime

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from dashboard.webhooks.http_client import signed

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OLD = "whsec_" + base64.b64encode(b"an older secret of 24 by").decode()
DOCUMENT = {"id": "evt_1", "type": "message.created", "data": {"body": "Xin chào 👋"}}


def test_the_library_signs_the_published_vector():
    """From the specification's own tests."""
    signature = Webhook(SECRET).sign(
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        datetime.fromtimestamp(1_614_265_330, UTC),
        '{"test": 2432232314}',
    )
    assert signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_receiver_with_the_library_verifies_it():
    now = int(datetime.now(UTC).timestamp() * 1000)
    request = signed(DOCUMENT, [SECRET], now)
    assert Webhook(SECRET).verify(request.body, request.headers) == DOCUMENT
    for body, secret in ((request.body + b" ", SECRET), (request.body, OLD)):
        with pytest.raises(WebhookVerificationError):
            Webhook(secret).verify(body, request.headers)


def test_the_signature_is_an_hmac_as_documented():
    request = signed(DOCUMENT, [SECRET], 1_614_265_330_999)
    assert request.headers["webhook-id"] == "evt_1"
    assert request.headers["webhook-timestamp"] == "1614265330"
    content = b"evt_1.1614265330." + request.body
    key = base64.b64decode(SECRET.removeprefix("whsec_"))
    made = base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
    assert request.headers["webhook-signature"] == f"v1,{made}"
    assert json.loads(request.body) == DOCUMENT


def test_during_a_rotation_both_secrets_sign():
    now = int(datetime.now(UTC).timestamp() * 1000)
    request = signed(DOCUMENT, [SECRET, OLD], now)
    assert request.headers["webhook-signature"].count("v1,") == 2
    for secret in (SECRET, OLD):
        assert Webhook(secret).verify(request.body, request.headers) == DOCUMENT


def test_the_order_of_fields_does_not_change_the_body():
    turned = dict(reversed(DOCUMENT.items()))
    assert signed(turned, [SECRET], 0).body == signed(DOCUMENT, [SECRET], 0).body
