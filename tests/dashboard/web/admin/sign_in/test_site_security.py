"""The session's cookie, the headers of an https site, and the addresses to go on to."""

import pytest

from dashboard.db.database import Database
from dashboard.db.migrate import bring_to_head
from tests.dashboard.web.admin.sign_in.test_signin import MAI, cookie
from tests.drivers.application import ApplicationDriver


@pytest.fixture
def client(dashboard):
    dashboard.create_admin("Mai")
    return dashboard.client()


def test_over_tls_the_cookie_is_of_this_host_alone(database, clock, tmp_path):
    """H21: wherever TLS ends in front of Lineup; a cookie of the plain name does not count."""
    origins = {"LINEUP_ORIGINS": "https://desk.example"}
    dashboard = ApplicationDriver(database, clock, tmp_path, **origins)
    dashboard.create_admin("Mai")
    headers = {"Origin": "https://desk.example", "Host": "desk.example"}
    client, url = dashboard.client(), {"base_url": "https://desk.example"}
    answer = client.post("/login", json=MAI, headers=headers)
    name, value = cookie(answer).partition(";")[0].split("=", 1)
    assert name.startswith("__Host-lineup_session_")
    for attribute in ("Secure", "HttpOnly", "SameSite=Lax", "Path=/"):
        assert attribute in cookie(answer)
    assert "Domain" not in cookie(answer)
    assert client.get("/admin/api/me", **url).status_code == 200
    other = dashboard.client()
    other.set_cookie("lineup_session", value, domain="desk.example")
    assert other.get("/admin/api/me", **url).status_code == 401
    left = client.post("/logout", json={}, headers=headers, **url)
    assert cookie(left).startswith(f"{name}=;") and "Secure" in cookie(left)


def test_browsers_are_told_to_use_https_alone_where_the_site_is(database, clock, tmp_path):
    """H21: by headers of pages, calls and refusals; never if the site is http."""
    origins = {"LINEUP_ORIGINS": "https://desk.example,http://localhost:5000"}
    client = ApplicationDriver(database, clock, tmp_path, **origins).client()
    for path in ("/login", "/admin/api/me", "/static/js/main.js", "/nowhere"):
        secure = client.get(path, base_url="http://desk.example")
        assert secure.headers["Strict-Transport-Security"] == "max-age=31536000"
        plain = client.get(path, base_url="http://localhost:5000")
        assert "Strict-Transport-Security" not in plain.headers


@pytest.mark.parametrize("goal", ["//[::1", "/[::1", "//[::1]:99999/", "/\ud800", "/日本"])
def test_an_address_that_cannot_be_read_leads_to_us(client, goal):
    """H9: and not to a 500."""
    given = {"next": goal.encode("utf-8", "surrogatepass")}
    assert client.get("/login", query_string=given).status_code == 200
    answer = client.post("/login", data=MAI | given)
    assert answer.status_code == 303 and answer.headers["Location"].startswith("/")
    assert not answer.headers["Location"].startswith("//")


@pytest.fixture
def two(database, clock, tmp_path):
    """Two Lineups on one host with one secret key, and one browser for both."""
    other = Database(f"sqlite:///{tmp_path / 'other.sqlite'}")
    bring_to_head(other)
    folders = [tmp_path / name for name in ("one", "two")]
    lineups = [
        ApplicationDriver(base, clock, folder)
        for base, folder in zip((database, other), folders, strict=True)
    ]
    for lineup in lineups:
        lineup.create_admin("Mai")
    clients = [lineup.client() for lineup in lineups]
    clients[1]._cookies = clients[0]._cookies
    yield clients
    other.close()


def is_signed_in(client) -> bool:
    return client.get("/admin/api/me").status_code == 200


def test_two_lineups_on_one_host_leave_each_others_sign_ins_alone(two):
    one, other = two
    for client in two:
        assert client.post("/login", json=MAI).status_code == 204
    assert is_signed_in(one) and is_signed_in(other)
    assert other.post("/logout", json={}).status_code == 204
    assert is_signed_in(one) and not is_signed_in(other)
    names = {cookie.key for cookie in one._cookies.values()}
    assert len([name for name in names if name.startswith("lineup_device_")]) == 2


def test_a_session_that_began_before_cookies_had_names_of_their_own_goes_on(dashboard, client):
    assert client.post("/login", json=MAI).status_code == 204
    value = client.get_cookie("lineup_session").value
    for name in ("lineup_session", "lineup_session_0123abcd"):
        upgraded = dashboard.client()
        upgraded.set_cookie(name, value)
        assert is_signed_in(upgraded), name
    for name in ("lineup_sessions", "__Host-lineup_session", "xlineup_session"):
        other = dashboard.client()
        other.set_cookie(name, value)
        assert not is_signed_in(other), name
    upgraded.delete_cookie("lineup_session")
    upgraded.set_cookie("lineup_session", value)
    assert upgraded.post("/logout", json={}).status_code == 204
    assert not is_signed_in(client), "the session itself has ended"
