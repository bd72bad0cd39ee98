"""A socket lives no longer than the session that it was let in with."""

import time

import pytest
import requests

from tests.support import wait_until

pytestmark = [pytest.mark.live, pytest.mark.real_redis]
SECONDS = 5


@pytest.fixture(scope="module")
def admins(desk):
    """Makes admins whose sessions a test may end."""
    made = iter(f"Admin{number}" for number in range(100))
    return lambda: desk.server.create_admin(next(made))


@pytest.mark.parametrize("end", ["logout", "disable-admin", "set-password"])
def test_an_ended_session_ends_its_sockets(desk, admins, end):
    email = admins()
    session = desk.server.sign_in(email)
    with desk.browser(session) as browser:
        browser.open("arrival", "arrival")
        if end == "logout":
            answer = session.post(f"{desk.server.url}/logout", json={})
            assert answer.status_code == 204
        elif end == "set-password":
            desk.server.command(end, "--email", email, "--password-stdin", stdin="new password\n")
        else:
            desk.server.command(end, "--email", email)
        started = time.monotonic()
        wait_until(lambda: not browser.client.connected, SECONDS + 1, "the disconnect")
        assert time.monotonic() - started < SECONDS
        assert browser.of("session:ended") == [{}]
    with pytest.raises(Exception, match="Connection error"):
        desk.browser(session)


def test_a_call_after_signing_out_is_refused(desk, admins):
    session = desk.server.sign_in(admins())
    with desk.browser(session) as browser:
        session.post(f"{desk.server.url}/logout", json={})
        answer = browser.call("list:open", {"page": "arrival", "sort": "arrival", "limit": 1})
        assert (answer["ok"], answer["problem"]["status"]) == (False, 401)
        wait_until(lambda: not browser.client.connected, what="the disconnect")


def test_sessions_of_others_go_on(desk, admins):
    gone, stays = desk.server.sign_in(admins()), desk.server.sign_in(admins())
    with desk.browser(gone) as first, desk.browser(stays) as second:
        gone.post(f"{desk.server.url}/logout", json={})
        wait_until(lambda: not first.client.connected, SECONDS + 1)
        second.open("arrival", "arrival")
        assert second.client.connected


def test_two_tabs_share_a_session_and_end_together(desk, admins):
    session = desk.server.sign_in(admins())
    with desk.browser(session) as one, desk.browser(session) as other:
        requests.post(
            f"{desk.server.url}/logout",
            json={},
            headers={"Origin": desk.server.url},
            cookies=session.cookies.get_dict(),
            timeout=5,
        )
        for tab in (one, other):
            wait_until(lambda each=tab: not each.client.connected, SECONDS + 1, "the disconnect")
