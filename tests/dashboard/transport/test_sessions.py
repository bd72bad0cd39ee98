"""Checks of the sessions and roles behind sockets, with time in the test's hands."""

import threading
from collections.abc import Callable

import pytest

from dashboard.db.accounts.admin_desks import Desks
from dashboard.db.accounts.sessions import Rights
from dashboard.errors import Problem
from dashboard.transport.caller import Caller
from dashboard.transport.connections import Connection, SessionChecks
from dashboard.transport.sockets import device_of, type_of
from tests.support import wait_until

IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Version/17.5 Mobile/15E148"
PIXEL = "Mozilla/5.0 (Linux; Android 14; Pixel 8) Chrome/125.0.0.0 Mobile Safari/537.36"
TABLET = "Mozilla/5.0 (Linux; Android 14; SM-X710) Chrome/125.0.0.0 Safari/537.36"
IPAD = "Mozilla/5.0 (iPad; CPU OS 12_2 like Mac OS X) Version/12.1 Mobile/15E148 Safari/604.1"
COMPUTER = "Mozilla/5.0 (X11; Linux x86_64) Chrome/125.0.0.0 Safari/537.36"


class Checks:
    """Two sockets of two sessions; `roles` is what the database says."""

    def __init__(self) -> None:
        self.seconds, self.asked = 0.0, []
        self.before_answer: Callable[[], object] = lambda: None
        self.roles = {b"one": "supervisor", b"two": "admin"}
        self.desks: dict[bytes, Desks] = {}
        self.changed: list[str] = []
        self.one = Connection(Caller("1", 1, "supervisor"), b"one", None, None)
        self.two = Connection(Caller("2", 2, "admin"), b"two", None, None)
        self.checks = SessionChecks(
            {"1": self.one, "2": self.two},
            self._living,
            lambda: self.seconds,
            lambda connection, before: self.changed.append(connection.caller.sid),
        )

    def _living(self, hashes):
        self.asked.append(set(hashes))
        found = {
            hash: Rights(role, self.desks.get(hash))
            for hash, role in self.roles.items()
            if hash in hashes
        }
        self.before_answer()
        return found


@pytest.fixture
def checks() -> Checks:
    return Checks()


def test_the_call_after_a_role_was_taken_away_has_the_new_one(checks):
    """H15: a check of the least role is cached, others are not."""
    checks.checks.require_valid(checks.one)
    checks.roles[b"one"] = "admin"
    checks.checks.require_valid(checks.one)
    assert checks.one.caller.role == "admin" and checks.changed == ["1"]
    queries = len(checks.asked)
    checks.checks.require_valid(checks.one)
    assert len(checks.asked) == queries


def test_a_role_that_was_given_counts_within_a_second(checks):
    checks.checks.require_valid(checks.two)
    checks.roles[b"two"] = "supervisor"
    checks.seconds += 1
    checks.checks.require_valid(checks.two)
    assert checks.two.caller.role == "supervisor"


def test_sockets_that_say_nothing_get_the_new_role_from_the_regular_check(checks):
    """H15: the messages that only the old role allowed end with it."""
    checks.roles[b"one"] = "admin"
    assert checks.checks.ended() == []
    assert checks.one.caller.role == "admin" and checks.changed == ["1"]


def test_other_desks_count_within_a_second(checks):
    checks.checks.require_valid(checks.two)
    checks.desks[b"two"] = frozenset({"main"})
    checks.seconds += 1
    checks.checks.require_valid(checks.two)
    assert checks.two.caller.desks == {"main"} and checks.changed == ["2"]
    checks.desks[b"two"] = frozenset()
    assert checks.checks.ended() == []
    assert checks.two.caller.desks == frozenset() and checks.changed == ["2", "2"]


def test_a_session_that_ended_is_refused_at_the_next_check(checks):
    checks.checks.require_valid(checks.two)
    del checks.roles[b"two"], checks.roles[b"one"]
    checks.checks.require_valid(checks.two)
    with pytest.raises(Problem):
        checks.checks.require_valid(checks.one)
    checks.seconds += 1
    with pytest.raises(Problem):
        checks.checks.require_valid(checks.two)
    assert checks.checks.ended() == [checks.one, checks.two]


def test_a_check_that_is_over_is_made_for_all_whose_is_over_or_ends_soon(checks):
    checks.checks.require_valid(checks.two)
    assert checks.asked == [{b"one", b"two"}]
    checks.seconds = 0.7
    checks.checks.require_valid(checks.one)
    assert checks.asked[1:] == [{b"one"}], "its own is not over"
    checks.seconds = 1.3
    checks.checks.require_valid(checks.two)
    assert checks.asked[2:] == [{b"one", b"two"}]
    checks.seconds = 2.2
    checks.checks.require_valid(checks.two)
    assert len(checks.asked) == 3


def test_calls_at_once_share_a_check(checks):
    """A frame makes all dashboards that show its list call at once."""
    gate = threading.Event()
    checks.before_answer = lambda: gate.wait(5)
    threads = [
        threading.Thread(target=checks.checks.require_valid, args=[each])
        for each in (checks.one, *[checks.two] * 20)
    ]
    threads[0].start()
    wait_until(lambda: len(checks.asked) == 1)
    for thread in threads[1:]:
        thread.start()
    wait_until(lambda: len(checks.checks._checks._next.items) == 20)
    gate.set()
    for thread in threads:
        thread.join(5)
    assert len(checks.asked) == 2


def test_a_sign_out_while_a_check_reads_is_seen_by_the_next_call(checks):
    def sign_out():
        del checks.roles[b"two"]
        checks.checks.invalidate()
        checks.before_answer = lambda: None

    checks.before_answer = sign_out
    checks.checks.require_valid(checks.two)
    with pytest.raises(Problem):
        checks.checks.require_valid(checks.two)


@pytest.mark.parametrize(
    ("auth", "user_agent", "type"),
    [
        (None, IPHONE, "mobile"),
        ({}, PIXEL, "mobile"),
        ({}, TABLET, "tablet"),
        ({}, IPAD, "tablet"),
        ({}, COMPUTER, "web"),
        ({"type": "tablet"}, COMPUTER, "tablet"),
        ({"type": "bot"}, COMPUTER, "web"),
        ({"type": ["mobile"]}, "", "web"),
    ],
)
def test_the_type_of_a_device(auth, user_agent, type):
    """R27."""
    assert type_of(auth, user_agent) == type


def test_the_name_of_a_device():
    assert device_of({"device": "0a1b2c3d-0a1b"}) == "0a1b2c3d-0a1b"
    assert [device_of(auth) for auth in (None, {}, {"device": "x"}, {"device": 7})] == [""] * 4
