"""Calls over sockets: refusals are logged, and an unexpected error reveals nothing."""

import logging
from types import SimpleNamespace

import pytest

from dashboard.db.accounts.sessions import Rights
from dashboard.errors import NotFound, Problem
from dashboard.rate_limits import (
    ADMIN_CALLS,
    INVALID_SOCKET_CALLS,
    REFUSED_LINES_PER_CALLER,
    SOCKET_CALLS,
)
from dashboard.transport.caller import Caller
from dashboard.transport.connections import Connection, SessionChecks
from dashboard.transport.sockets import Calls

CONNECTION = Connection(Caller("1", 7, "admin"), b"one", None, None)


class Clock:
    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def calls(clock) -> Calls:
    sessions = SessionChecks(
        {"1": CONNECTION},
        lambda hashes: {each: Rights("admin", None) for each in hashes},
        clock,
        lambda connection, before: None,
    )
    made = Calls(sessions, clock, lambda connection: None, lambda connection: None)

    def hidden(caller, arguments):
        raise NotFound("There is no such thread.")

    def broken(caller, arguments):
        raise RuntimeError("SELECT secret FROM vault")

    made.handlers = {"thread:open": hidden, "broken": broken}
    return made


def refused(caplog) -> list[str]:
    return [each.message for each in caplog.records if each.name == "dashboard.refused"]


def test_a_thread_that_is_not_seen_is_logged_with_who_asked(calls, caplog):
    caplog.set_level(logging.INFO, "dashboard.refused")
    answer = calls.answer(CONNECTION, "thread:open", ({"id": 1},))
    assert answer["problem"]["code"] == "not_found"
    assert refused(caplog) == ["call 'thread:open' refused to admin 7: not_found"]


def test_lines_beyond_the_limit_are_counted_in_the_next_one(calls, clock, caplog):
    caplog.set_level(logging.INFO, "dashboard.refused")
    for _ in range(REFUSED_LINES_PER_CALLER.size + 5):
        calls.answer(CONNECTION, "thread:open", ({"id": 1},))
    assert len(refused(caplog)) == REFUSED_LINES_PER_CALLER.size
    clock.seconds += REFUSED_LINES_PER_CALLER.seconds
    calls.answer(CONNECTION, "thread:open", ({"id": 1},))
    assert refused(caplog)[-1].endswith(": not_found (5 refusals before it are not logged)")


def test_an_unexpected_error_is_answered_without_its_cause_and_logged_with_it(calls, caplog):
    answer = calls.answer(CONNECTION, "broken", ())
    assert answer["problem"]["code"] == "internal_error"
    assert "SELECT" not in str(answer)
    assert "SELECT secret" in caplog.text


def test_every_call_that_is_allowed_is_told_to_the_observers(calls):
    """R6: any message of a socket is a sign of life, also one that its handler refuses."""
    told: list[tuple[int, str]] = []
    calls.observers = [
        SimpleNamespace(on_message=lambda sid, which=which: told.append((which, sid)))
        for which in (1, 2)
    ]
    calls.handlers = {**calls.handlers, "good": lambda caller, arguments: {}}
    assert calls.answer(CONNECTION, "good", ()) == {"ok": True}
    assert told == [(1, "1"), (2, "1")]
    calls.answer(CONNECTION, "thread:open", ({"id": 1},))
    assert told == [(1, "1"), (2, "1")] * 2
    calls.answer(CONNECTION, "unknown", ())
    assert told == [(1, "1"), (2, "1")] * 2, "no such call"


def test_calls_are_limited_for_a_connection_and_for_a_person(calls, clock):
    """S22: several windows of one admin get no more calls than one."""
    calls.handlers = {"threads:watch": lambda caller, arguments: {}}

    def answered(sid, admin_id, count):
        connection = Connection(Caller(sid, admin_id, "admin"), b"one", None, None)
        answers = [calls.answer(connection, "threads:watch", ({},)) for _ in range(count)]
        refused = [each for each in answers if not each["ok"]]
        assert all(each["problem"]["code"] == "rate_limited" for each in refused)
        return count - len(refused)

    assert answered("1", 7, 160) == SOCKET_CALLS.size
    windows = [answered(str(number), 7, 100) for number in range(2, 7)]
    assert sum(windows) == ADMIN_CALLS.size - 100 and windows[-1] == 0
    assert answered("another", 8, 100) == 100
    clock.seconds += 1
    assert answered("1", 7, 100) == 100


def test_a_call_after_the_session_has_ended_is_refused_and_ends_the_socket(clock):
    """S23: its handler is not asked."""
    ended: list[Connection] = []
    connection = Connection(Caller("1", 7, "admin"), b"over", None, None)
    sessions = SessionChecks({"1": connection}, lambda hashes: {}, clock)
    calls = Calls(sessions, clock, ended.append, lambda connection: None)
    calls.handlers = {"thread:open": lambda caller, arguments: pytest.fail("it was asked")}
    answer = calls.answer(connection, "thread:open", ({"id": 1},))
    assert answer["problem"]["code"] == "unauthorized"
    assert ended == [connection]


@pytest.mark.parametrize(
    ("event", "status", "is_counted"),
    [("unknown", 400, True), ("wrong", 422, True), ("thread:open", 404, False)],
)
def test_twenty_calls_that_cannot_be_understood_end_the_connection(
    calls, clock, event, status, is_counted
):
    """S10, S17: unknown calls, and calls with wrong arguments."""

    def wrong(caller, arguments):
        raise Problem(422, "wrong_type", "must be an object")

    dismissed: list[Connection] = []
    calls.handlers = {**calls.handlers, "wrong": wrong}
    calls._on_too_many_bad = dismissed.append
    for _ in range(INVALID_SOCKET_CALLS.size):
        assert calls.answer(CONNECTION, event, ())["problem"]["status"] == status
    assert dismissed == []
    calls.answer(CONNECTION, event, ())
    assert dismissed == ([CONNECTION] if is_counted else [])
