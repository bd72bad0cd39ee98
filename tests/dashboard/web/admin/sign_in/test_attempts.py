"""Wrong attempts to sign in are limited, and do not keep out the right person."""

import re

import pytest

from dashboard.web.admin.sign_in.attempts import (
    CODES,
    Attempt,
    Attempts,
    Counts,
    InvitationAttempts,
)
from tests.drivers.application import PASSWORD, ApplicationDriver
from tests.repository import ROOT

MAI = {"email": "mai@example.com", "password": PASSWORD}


@pytest.fixture
def client(dashboard):
    dashboard.create_admin("Mai")
    return dashboard.client()


def wrong(client, email="mai@example.com", **headers):
    return client.post("/login", json={"email": email, "password": "x"}, headers=headers)


def test_the_sixth_wrong_attempt_in_a_minute_is_refused(client, clock):
    assert [wrong(client).status_code for _ in range(6)] == [401] * 5 + [429]
    refused = client.post("/login", json=MAI)
    assert (refused.status_code, refused.json["code"]) == (429, "rate_limited")
    assert 0 < int(refused.headers["Retry-After"]) <= 60


def test_the_form_says_so_too(client):
    for _ in range(5):
        wrong(client)
    page = client.post("/login", data=MAI)
    assert page.status_code == 429
    assert b"<form" in page.data and "Retry-After" in page.headers


def test_the_address_is_one_account_however_it_is_typed(client):
    typed = ("mai@example.com", "MAI@example.com", " mai@EXAMPLE.com ")
    codes = [wrong(client, email).status_code for email in typed * 2]
    assert codes == [401] * 5 + [429]


def test_the_61st_wrong_attempt_from_an_address_is_refused(client):
    codes = [wrong(client, f"{number}@example.com").status_code for number in range(61)]
    assert codes == [401] * 60 + [429]


def from_address(dashboard, address):
    """A browser without cookies at this address."""
    made = dashboard.client()
    made.environ_base["REMOTE_ADDR"] = address
    return made


def test_wrong_attempts_of_others_do_not_keep_the_right_person_out(dashboard, client):
    """H10: the limit is for each pair of an address and an account."""
    other = from_address(dashboard, "192.0.2.1")
    assert [wrong(other).status_code for _ in range(6)] == [401] * 5 + [429]
    assert from_address(dashboard, "192.0.2.2").post("/login", json=MAI).status_code == 204


def test_a_known_device_has_attempts_of_its_own(dashboard, client):
    """H10: even if others share its address; and its attempts are limited, too."""
    assert client.post("/login", json=MAI).status_code == 204
    client.delete_cookie("lineup_session")
    other = dashboard.client()
    assert [wrong(other).status_code for _ in range(6)] == [401] * 5 + [429]
    assert client.post("/login", json=MAI).status_code == 204
    client.delete_cookie("lineup_session")
    assert [wrong(client).status_code for _ in range(6)] == [401] * 5 + [429]


def test_who_has_a_session_has_attempts_of_their_own(dashboard, client):
    """H10"""
    assert client.post("/login", json=MAI).status_code == 204
    client.delete_cookie("lineup_device", path="/login")
    other = dashboard.client()
    for _ in range(6):
        wrong(other)
    assert client.post("/login", json=MAI).status_code == 204


@pytest.mark.slow
def test_guessing_from_many_addresses_ends_for_all_but_known_devices(dashboard, client):
    """H10: 100 in ten minutes."""
    assert client.post("/login", json=MAI).status_code == 204
    codes = [
        wrong(from_address(dashboard, f"10.0.{number}.1")).status_code for number in range(101)
    ]
    assert codes == [401] * 100 + [429]
    assert client.post("/login", json=MAI).status_code == 204


def test_the_cookie_of_a_device_holds_for_its_account_and_our_signature_alone(dashboard, client):
    """H10: only with our signature, and only for its account."""
    dashboard.create_admin("Ken")
    client.post("/login", json=MAI)
    device = client.get_cookie("lineup_device", path="/login").value
    for forged in (device[:-1] + ("A" if device[-1] != "A" else "B"), "x", "x" * 5000):
        other = dashboard.client()
        other.set_cookie("lineup_device", forged, path="/login")
        for _ in range(5):
            wrong(other)
        assert wrong(other).status_code == 429
    client.delete_cookie("lineup_session")
    kens = [wrong(client, "ken@example.com").status_code for _ in range(6)]
    assert kens == [401] * 5 + [429]


def test_an_ipv6_network_is_one_address(dashboard, client):
    """H10: one person may have 2^64 addresses there."""
    codes = [wrong(from_address(dashboard, f"2001:db8::{n}")).status_code for n in range(1, 7)]
    assert codes == [401] * 5 + [429]
    assert wrong(from_address(dashboard, "2001:db8:0:1::1")).status_code == 401


def test_a_large_body_is_not_read(client):
    """H7: anybody may send one, and parsing it takes time."""
    answer = client.post("/login", json=MAI | {"password": "x" * 20_000})
    assert (answer.status_code, answer.json["code"]) == (413, "payload_too_large")
    assert client.post("/login", data=MAI | {"password": "x" * 20_000}).status_code == 413


def test_right_attempts_do_not_count(client):
    for _ in range(70):
        assert client.post("/login", json=MAI).status_code == 204


def test_while_redis_is_away_attempts_are_counted_here(dashboard, client, clock):
    dashboard.server.connected = False
    assert [wrong(client).status_code for _ in range(6)] == [401] * 5 + [429]
    clock.advance(60_000)
    assert client.post("/login", json=MAI).status_code == 204


def test_a_forwarded_address_is_not_believed(client):
    codes = [
        wrong(client, f"{number}@example.com", **{"X-Forwarded-For": f"10.0.0.{number}"})
        for number in range(61)
    ]
    assert codes[-1].status_code == 429


def test_the_address_comes_from_a_trusted_proxy(database, clock, tmp_path):
    dashboard = ApplicationDriver(database, clock, tmp_path, LINEUP_TRUSTED_PROXIES="1")
    client = dashboard.client()
    for number in range(61):
        forwarded = {"X-Forwarded-For": f"6.6.6.6, 10.0.0.{number}"}
        assert wrong(client, f"{number}@example.com", **forwarded).status_code == 401


def test_the_protocol_describes_every_key_of_attempts(dashboard):
    counts = Counts(dashboard.redis, "PREFIX", dashboard.clock)
    for attempts in (Attempts(counts), Attempts(counts, CODES)):
        attempts.begin(Attempt("mai@example.com", "ADDRESS"))
        attempts.begin(Attempt("mai@example.com", "ADDRESS", "DEVICE"))
    InvitationAttempts(counts).begin("ADDRESS")
    keys = {key.decode() for key in dashboard.redis.keys("{PREFIX}*")}
    text = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    section = text.partition("## Other Redis keys")[2].partition("\n## ")[0].replace("\\|", "|")
    described = re.findall(r"^\| `(\{PREFIX\}\|.*?)`", section, re.M)
    assert {re.sub("[0-9a-f]{32}", "HASH", key) for key in keys} == {*described}
