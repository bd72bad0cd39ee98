"""Two servers whose clocks differ by an hour: one order, and one request for each webhook (H25)."""

import json

import pytest

from dashboard.webhooks.dispatcher import LEASE_MS
from tests.dashboard.webhooks.receiver import Receiver, answer
from tests.drivers.lineup import running_lineup
from tests.live.threads.test_conversations import newest, reply
from tests.live.threads.test_settling import close, row
from tests.repository import ROOT
from tests.support import now_ms, stays, wait_until

pytestmark = pytest.mark.slow

HOUR = 3_600


def wrong_clock(seconds: int) -> dict[str, str]:
    folder = ROOT / "tests" / "servers" / "wrong_clock"
    return {"PYTHONPATH": str(folder), "WRONG_CLOCK_SECONDS": str(seconds)}


@pytest.fixture(scope="module", params=[("eventlet", HOUR), ("gevent", -HOUR)], ids=str)
def servers(request, tmp_path_factory):
    """A server whose clock is right, and one whose clock is wrong by an hour."""
    mode, seconds = request.param
    folder = tmp_path_factory.mktemp(mode)
    options = {"async_mode": mode, "LINEUP_WEBHOOK_PRIVATE": "1"}
    with (
        running_lineup(folder, **options) as right,
        right.second(**options, **wrong_clock(seconds)) as wrong,
    ):
        yield right, wrong


def priority(lineup, thread: str, value: str) -> None:
    # Ahead of its arrival, so that its rank is the time of its receipt.
    event = lineup._event("thread.priority", thread, now_ms() + 2 * HOUR * 1000)
    lineup.post(event | {"priority": value})


def test_receipts_are_those_of_one_clock(servers):
    """H25: an event of the future is ranked at its receipt, at both servers alike."""
    for number, lineup in enumerate(servers):
        id = lineup.say(f"receipt-{number}", at_ms=now_ms() + 2 * HOUR * 1000)
        assert abs(row(lineup, id)["recent_at"] - now_ms()) < 10_000
        reply(lineup, lineup.mai, id, confirm=True)
        assert abs(newest(lineup, id)[-1]["at"] - now_ms()) < 10_000


def test_a_message_after_an_answer_at_the_other_server_waits(servers):
    """H25, both ways."""
    for number, (here, there) in enumerate([servers, servers[::-1]]):
        id = here.say(f"wait-{number}")
        assert reply(there, there.mai, id, confirm=True).status_code == 201
        assert row(here, id)["waiting_since"] is None
        here.say(f"wait-{number}")
        assert row(there, id)["unanswered"] == 1


def test_a_close_is_ended_by_a_later_message_and_the_later_priority_wins(servers):
    """H25, both ways."""
    for number, (here, there) in enumerate([servers, servers[::-1]]):
        name = f"close-{number}"
        id = here.say(name)
        priority(there, name, "urgent")
        assert close(there, id)["open"] is False
        priority(here, name, "low")
        here.say(name)
        shown = row(here, id)
        assert (shown["open"], shown["priority"]) == (True, "low")


def test_each_webhook_is_posted_once(servers):
    """H25: a receiver that takes longer than a lease lasts still gets one request."""
    here, there = servers
    seconds = LEASE_MS / 1_000 + 1

    def slowly(connection, request):
        receiver.closing.wait(seconds)
        answer("204 No Content")(connection, request)

    with Receiver(slowly) as receiver:
        here.server.command("create-webhook", "--source", "shop", "--url", receiver.url)
        ids = [here.say(f"hook-{number}") for number in range(4)]
        for id, lineup in zip(ids, [here, there] * 2, strict=True):
            assert reply(lineup, lineup.mai, id, confirm=True).status_code == 201
        wait_until(lambda: len(receiver.requests) >= 4, 15, "a request for each reply")
        stays(lambda: len(receiver.requests) == 4, seconds + 1, "one request for each reply")
    posted = [json.loads(each.partition(b"\r\n\r\n")[2])["id"] for each in receiver.requests]
    assert len(posted) == len(set(posted)) == 4


def test_a_server_with_a_wrong_clock_says_so(servers):
    """H25: in its probe, its metrics and its log; the other one says nothing."""
    here, there = (lineup.server for lineup in servers)
    right, wrong = (there.bot("").get(f"{each.url}/readyz") for each in (here, there))
    assert right.json() == {"status": "ok", "sql": "ok", "redis": "ok"}
    told = wrong.json()
    assert (wrong.status_code, told["status"], told["clock"]) == (200, "degraded", "off")
    assert abs(abs(told["clock_ahead_ms"]) - HOUR * 1000) < 1_000
    metrics = there.bot("").get(f"{there.url}/metrics").text
    [line] = [each for each in metrics.splitlines() if each.startswith("lineup_clock_ahead")]
    assert abs(abs(float(line.split()[1])) - HOUR) < 1
    warnings = [line for line in there.log if "clock of this machine" in line]
    assert len(warnings) == 1
    assert not [line for line in here.log if "clock of this machine" in line]
