"""A socket lives no longer than the session that it was let in with."""

import time

import pytest
import requests
from sqlalchemy import update

from dashboard.db.database import Database
from dashboard.db.models.accounts import admins as admin_table
from tests.support import wait_until


@pytest.fixture(scope="module")
def admins(lineup):
    """Makes admins whose sessions a test may end."""
    made = iter(f"Admin{number}" for number in range(100))
    return lambda: lineup.server.create_admin(next(made))


@pytest.mark.parametrize("end", ["logout", "disable", "disable-admin", "set-password"])
def test_an_ended_session_ends_its_sockets(lineup, admins, end):
    email = admins()
    session = lineup.server.sign_in(email)
    # Signing out deletes the cookie, but somebody may have kept it.
    kept = requests.Session()
    kept.cookies.update(session.cookies)
    with lineup.dashboard(session) as dashboard:
        dashboard.open("arrival", "arrival")
        if end == "logout":
            answer = session.post(f"{lineup.server.url}/logout", json={})
            assert answer.status_code == 204
        elif end == "disable":
            id = session.get(f"{lineup.server.url}/admin/api/me").json()["id"]
            chief_email = lineup.server.create_admin("Chief", "supervisor")
            lineup.admin(chief_email).post(f"accounts/{id}/disable", {})
        elif end == "set-password":
            lineup.server.command(end, "--email", email, "--password-stdin", stdin="new password\n")
        else:
            lineup.server.command(end, "--email", email)
        wait_until(lambda: not dashboard.client.connected, what="the disconnect")
        reason = "disabled" if end.startswith("disable") else None
        assert dashboard.of("session:ended") == [{"reason": reason}]
    with pytest.raises(Exception, match="Connection error"):
        lineup.dashboard(kept)


def test_a_call_after_signing_out_is_refused(lineup, admins):
    session = lineup.server.sign_in(admins())
    with lineup.dashboard(session) as dashboard:
        session.post(f"{lineup.server.url}/logout", json={})
        answer = dashboard.call("list:open", {"view": "arrival", "sort": "arrival", "limit": 1})
        # The answer is empty if the connection ends before it.
        assert answer is None or (answer["ok"], answer["problem"]["status"]) == (False, 401)
        wait_until(lambda: not dashboard.client.connected, what="the disconnect")


def test_sessions_of_others_go_on(lineup, admins):
    gone, stays = lineup.server.sign_in(admins()), lineup.server.sign_in(admins())
    with lineup.dashboard(gone) as first, lineup.dashboard(stays) as second:
        gone.post(f"{lineup.server.url}/logout", json={})
        wait_until(lambda: not first.client.connected)
        second.open("arrival", "arrival")
        assert second.client.connected


def test_two_tabs_share_a_session_and_end_together(lineup, admins):
    session = lineup.server.sign_in(admins())
    with lineup.dashboard(session) as one, lineup.dashboard(session) as other:
        requests.post(
            f"{lineup.server.url}/logout",
            json={},
            headers={"Origin": lineup.server.url},
            cookies=session.cookies.get_dict(),
            timeout=5,
        )
        for tab in (one, other):
            wait_until(lambda each=tab: not each.client.connected, what="the disconnect")


def test_a_role_that_was_taken_away_sees_no_more_than_others(lineup, admins):
    """H15: pushed states are corrected within 2 s, and calls use the present role."""
    boss_email = lineup.server.create_admin(f"Chief{time.monotonic_ns()}", "supervisor")
    hidden, boss = lineup.server.sign_in(admins()), lineup.server.sign_in(boss_email)
    with lineup.dashboard(hidden) as first, lineup.dashboard(boss) as second:
        hidden_id = str(hidden.get(f"{lineup.server.url}/admin/api/me").json()["id"])
        first.call("presence:set", {"status": "invisible"})
        watch = {"kind": "admin", "add": [hidden_id]}
        seen = second.call("presence:watch", watch)["presence"][hidden_id]
        assert seen["status"] == "online"
        database = Database(lineup.server.environment["LINEUP_DATABASE_URL"])
        database.write(
            lambda connection: connection.execute(
                update(admin_table).where(admin_table.c.email == boss_email).values(role="admin")
            )
        )
        second.wait_for(
            "presence:update", lambda one: one["presence"][hidden_id]["status"] == "offline", 4
        )
        assert second.call("presence:watch", watch)["presence"][hidden_id]["status"] == "offline"
        database.close()
