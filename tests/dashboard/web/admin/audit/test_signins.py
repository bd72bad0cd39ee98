"""Sign-ins in the audit log: each success is an entry; failures are counted, and bounded."""

import pytest

from dashboard.background import Background
from dashboard.db.accounts import admins
from dashboard.errors import StorageUnavailable
from dashboard.web.http import audit
from tests.dashboard.web.admin.profile.app import App, send_code
from tests.drivers.application import PASSWORD
from tests.drivers.audit import acts, entries

MAI = "mai@example.com"


@pytest.fixture
def client(dashboard):
    dashboard.create_admin("Mai")
    return dashboard.client()


def signs_in(client, email=MAI, password="wrong", address="192.0.2.1", **headers):
    client.environ_base["REMOTE_ADDR"] = address
    given = {"email": email, "password": password}
    return client.post("/login", json=given, headers=headers).status_code


def signed(database):
    return acts(database, beside="none.")


def failure(reason, attempts=1, since=1_790_000_000_000, account=MAI):
    target = ("1", MAI) if account else (None, "")
    said = {"reason": reason, "attempts": attempts, "since": since}
    return ("signin.failed", *target, said)


def test_a_sign_in_is_stored_with_its_session(dashboard, client):
    headers = {"User-Agent": "Firefox/140.0"}
    assert signs_in(client, password=PASSWORD, **headers) == 204
    [entry] = entries(dashboard.database, beside="none.")
    who = [entry[name] for name in ("via", "admin_id", "actor_name", "actor_email")]
    assert who == ["page", 1, "Mai", MAI]
    assert (entry["address"], entry["user_agent"]) == ("192.0.2.1", "Firefox/140.0")
    assert signed(dashboard.database) == [("signin.succeeded", "1", MAI, {"method": "password"})]


def test_a_wrong_password_is_stored_of_nobody_and_of_the_account(dashboard, client):
    assert signs_in(client) == 401
    assert signed(dashboard.database) == [failure("wrong_password")]
    [entry] = entries(dashboard.database, beside="none.")
    who = [entry[name] for name in ("via", "admin_id", "actor_name", "actor_email", "address")]
    assert who == ["page", None, "", None, "192.0.2.1"]


def test_what_was_typed_where_there_is_no_account_is_not_stored(dashboard, client):
    for typed in ("my-password!", "nobody@example.com", "x" * 300, "a\x00b"):
        assert signs_in(client, email=typed, address=f"192.0.2.{len(typed)}") == 401
    found = entries(dashboard.database, beside="none.")
    assert signed(dashboard.database) == [failure("unknown_account", account=None)] * 4
    assert "my-password" not in str(found) and "nobody@" not in str(found)


def test_a_disabled_account_is_said_to_be_one(dashboard, client):
    dashboard.database.write(lambda connection: admins.disable(connection, 1, 5))
    assert signs_in(client, password=PASSWORD) == 401
    assert signed(dashboard.database) == [failure("disabled")]


def test_further_failures_of_a_minute_are_one_entry_at_its_end(dashboard, client, clock):
    start = clock()
    for _ in range(3):
        assert signs_in(client) == 401
        clock.advance(1_000)
    assert signed(dashboard.database) == [failure("wrong_password")]
    dashboard.services.failed_sign_ins.flush()
    assert len(signed(dashboard.database)) == 1, "the minute is not over"
    clock.now_ms = start + audit.WINDOW_MS
    dashboard.services.failed_sign_ins.flush()
    dashboard.services.failed_sign_ins.flush()
    assert signed(dashboard.database) == [
        failure("wrong_password"),
        failure("wrong_password", attempts=2, since=start + 1_000),
    ]


def test_the_next_failure_after_a_minute_stores_those_before(dashboard, client, clock):
    start = clock()
    assert [signs_in(client) for _ in range(2)] == [401] * 2
    clock.advance(audit.WINDOW_MS)
    assert signs_in(client) == 401
    assert signed(dashboard.database) == [
        failure("wrong_password"),
        failure("wrong_password"),
        failure("wrong_password", since=start + audit.WINDOW_MS),
    ]


def test_refused_attempts_are_a_burst_of_their_own(dashboard, client):
    codes = [signs_in(client) for _ in range(20)]
    assert codes == [401] * 5 + [429] * 15
    dashboard.services.failed_sign_ins.flush(at_once=True)
    assert signed(dashboard.database) == [
        failure("wrong_password"),
        failure("rate_limited"),
        failure("wrong_password", attempts=4),
        failure("rate_limited", attempts=14),
    ]


def test_a_flood_from_many_addresses_adds_a_bounded_number_of_entries(dashboard, client):
    """Failures beyond the bound make one entry, which names the accounts that exist."""
    flood = audit.KEYS_MAX + 7
    for n in range(flood):
        assert signs_in(client, f"{n}@example.com", address=f"198.51.100.{n}") == 401
    assert signs_in(client, MAI, address="203.0.113.9") == 401
    assert len(signed(dashboard.database)) == audit.KEYS_MAX
    dashboard.services.failed_sign_ins.flush(at_once=True)
    *rest, last = signed(dashboard.database)
    assert len(rest) == audit.KEYS_MAX
    others = {"reason": "others", "attempts": 8, "since": 1_790_000_000_000, "accounts": [MAI]}
    assert last == ("signin.failed", None, "", others)


def test_addresses_of_one_ipv6_network_are_one_caller(dashboard, client):
    for n in range(3):
        assert signs_in(client, address=f"2001:db8:1:2::{n}") == 401
    assert len(signed(dashboard.database)) == 1


def test_what_cannot_be_stored_is_stored_later(dashboard, client, clock, monkeypatch):
    def away(work):
        raise StorageUnavailable

    with monkeypatch.context() as patched:
        patched.setattr(dashboard.database, "write", away)
        assert [signs_in(client) for _ in range(2)] == [401] * 2
        clock.advance(audit.WINDOW_MS)
        dashboard.services.failed_sign_ins.flush()
        assert signs_in(client) == 401
    assert signed(dashboard.database) == []
    dashboard.services.failed_sign_ins.flush(at_once=True)
    assert signed(dashboard.database) == [failure("wrong_password", attempts=3)]


def test_failures_while_others_are_stored_are_counted_once(dashboard, client, clock, monkeypatch):
    """Under green threads another request may fail while one waits for the database."""
    write, seen = dashboard.database.write, []

    def write_slowly(work):
        if not seen:
            seen.append(True)
            assert signs_in(dashboard.client()) == 401
        return write(work)

    assert [signs_in(client) for _ in range(2)] == [401] * 2
    clock.advance(audit.WINDOW_MS)
    monkeypatch.setattr(dashboard.database, "write", write_slowly)
    dashboard.services.failed_sign_ins.flush()
    dashboard.services.failed_sign_ins.flush(at_once=True)
    assert [each[3]["attempts"] for each in signed(dashboard.database)] == [1, 1, 1]


def test_a_process_that_stops_stores_what_it_counted(dashboard, client):
    background = Background(dashboard.services)
    assert [signs_in(client) for _ in range(3)] == [401] * 3
    background.stop()
    assert signed(dashboard.database) == [
        failure("wrong_password"),
        failure("wrong_password", attempts=2),
    ]


def test_a_sign_in_with_a_second_factor_says_with_which(dashboard, client):
    """The right password alone is no sign-in."""
    chosen = App(dashboard, dashboard.sign_in("Ken"))
    given = {"email": "ken@example.com", "password": PASSWORD}
    for code in (chosen.code(), chosen.recovery_codes[0]):
        token = client.post("/login", json=given).json["token"]
        assert send_code(client, token, code).status_code == 204
    found = [act for act in signed(dashboard.database) if act[0] == "signin.succeeded"]
    said = [data.get("second_factor") for _, _, _, data in found]
    assert said == [None, "totp", "recovery_code"]


def test_a_wrong_code_is_a_failure_of_its_own(dashboard, client, clock):
    App(dashboard, dashboard.sign_in("Ken"))
    given = {"email": "ken@example.com", "password": PASSWORD}
    token = client.post("/login", json=given).json["token"]
    codes = [send_code(client, token, "000000").status_code for _ in range(6)]
    assert codes == [401] * 5 + [429]
    dashboard.services.failed_sign_ins.flush(at_once=True)
    failed = [act for act in signed(dashboard.database) if act[0] == "signin.failed"]
    assert [(data["reason"], data["attempts"]) for _, _, _, data in failed] == [
        ("wrong_code", 1),
        ("rate_limited", 1),
        ("wrong_code", 4),
    ]
    assert {target for _, target, _, _ in failed} == {"2"}
