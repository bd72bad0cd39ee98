"""Signing in and out by a real provider, which the test runs."""

import time

import pytest
import requests

from tests.servers.oidc_provider import OidcProvider
from tests.support import wait_until

pytestmark = pytest.mark.slow


def me(oidc, session) -> dict:
    answer = session.get(f"{oidc.server.url}/admin/api/me")
    return answer.json() if answer.ok else {}


def test_who_signs_in_at_the_provider_is_in_with_the_rights_of_the_groups(oidc):
    oidc.provider.add("mai", ["support", "everybody"])
    _, session, answer = oidc.sign_in("mai")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/")
    assert me(oidc, session)["role"] == "admin"
    oidc.provider.add("mai", ["leads"], name="Mai Tran")
    _, again, _ = oidc.sign_in("mai")
    assert (me(oidc, again)["name"], me(oidc, session)["role"]) == ("Mai Tran", "supervisor")
    oidc.provider.add("eve", ["everybody"])
    _, session, answer = oidc.sign_in("eve")
    assert answer.status_code == 403 and "none of your groups" in answer.text
    assert me(oidc, session) == {}


def test_the_provider_takes_no_code_twice_and_none_without_its_verifier(oidc):
    oidc.provider.add("mai", ["support"])
    person, session, _ = oidc.sign_in("mai")
    thief = requests.Session()
    thief.headers["Accept"] = "text/html"
    goal = person.sign_in(oidc.begin(session_of(oidc)))
    assert oidc.come_back(thief, goal).status_code == 400
    # With a sign-in of its own: neither the state nor, at the provider, the verifier fits.
    state = goal.partition("state=")[2].partition("&")[0]
    own = oidc.begin(thief).partition("state=")[2].partition("&")[0]
    assert oidc.come_back(thief, goal.replace(state, own)).status_code == 403
    assert me(oidc, thief) == {} and me(oidc, session)


def test_who_signs_out_at_the_provider_is_off_every_screen_within_two_seconds(oidc):
    oidc.provider.add("mai", ["support"])
    oidc.provider.add("ken", ["support"])
    person, session, _ = oidc.sign_in("mai")
    _, stays, _ = oidc.sign_in("ken")
    with oidc.dashboard(stays) as other:
        # Several sockets: they are spread over the workers.
        sockets = [oidc.dashboard(session) for _ in range(4)]
        try:
            began = time.monotonic()
            person.sign_out()
            for each in sockets:
                wait_until(lambda each=each: not each.client.connected, what="the disconnect")
                assert each.of("session:ended") == [{"reason": None}]
            took = time.monotonic() - began
        finally:
            for each in sockets:
                each.__exit__(None, None, None)
        assert other.client.connected
    assert me(oidc, session) == {} and me(oidc, stays)
    assert took < 2.0, took


def test_new_keys_are_found_and_a_provider_that_is_away_holds_nobody_up(oidc, tmp_path):
    first = oidc.provider
    first.add("mai", ["support"])
    _, session, _ = oidc.sign_in("mai")
    first.stop()
    waiting = session_of(oidc)
    url = f"{oidc.server.url}/login/oidc"
    # The address of the sign-in is known, except in a process that has not asked yet.
    answers = {waiting.get(url, allow_redirects=False).status_code for _ in range(8)}
    assert answers <= {303, 503}
    assert me(oidc, session), "who is in stays in"
    options = {"port": first.port, "kid": "second", "claims_in_token": False}
    with OidcProvider(tmp_path, first.client_url, **options) as second:
        second.add("linh", ["leads"])
        oidc.provider = second
        try:
            _, session, answer = oidc.sign_in("linh")
        finally:
            oidc.provider = first
        assert answer.status_code == 303, answer.text
        assert me(oidc, session)["role"] == "supervisor", "asked of the user info endpoint"
    first.__enter__()


def session_of(oidc) -> requests.Session:
    session = requests.Session()
    session.headers.update({"Origin": oidc.server.url, "Accept": "text/html"})
    return session
