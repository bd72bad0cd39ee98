"""One walk through a server under each async mode: the day of a chatbot and an admin."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import MODES
from tests.dashboard.webhooks.receiver import Receiver, answer
from tests.drivers.lineup import LineupDriver, running_lineup
from tests.support import wait_until

LIST = ("not_respond", "longest_wait")


@pytest.fixture(params=MODES)
def lineup(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[LineupDriver]:
    options = {"async_mode": request.param, "LINEUP_WEBHOOK_PRIVATE": "1"}
    with running_lineup(tmp_path, **options) as started:
        yield started


def test_a_customer_is_pushed_answered_and_told_and_a_cut_dashboard_catches_up(lineup):
    with Receiver(answer("204 No Content")) as receiver, lineup.dashboard() as dashboard:
        url = f"{lineup.server.url}/admin/api/webhooks"
        chief = lineup.server.sign_in(lineup.server.create_admin("Chief", "supervisor"))
        made = chief.post(url, json={"source": "shop", "url": receiver.url})
        assert made.status_code == 201, made.text

        # An event becomes a frame, and the list that the dashboard holds is SQL's.
        dashboard.open(*LIST)
        first, second = lineup.say("first", body="Where is my parcel?"), lineup.say("second")
        wait_until(lambda: dashboard.ids(*LIST) == [first, second], what="both waiting, in order")
        assert lineup.in_sql(*LIST) == [first, second]
        assert dashboard.frames, "the order was pushed, not fetched"

        # The conversation is read and answered; the answered thread leaves the list.
        mai = lineup.admin(lineup.mai_email)
        assert [message["body"] for message in mai.messages(first)] == ["Where is my parcel?"]
        mai.reply(first, "It comes on Friday.")
        wait_until(lambda: dashboard.ids(*LIST) == [second], what="the answered thread leaving")
        assert [message["body"] for message in mai.messages(first)][1:] == ["It comes on Friday."]

        # The chatbot gets the reply, posted and by cursor.
        events = lineup.bot.get(f"{lineup.server.url}/api/v1/events", params={"after": ""}).json()
        [reply] = [each for each in events["events"] if each["type"] == "message.created"]
        wait_until(lambda: receiver.requests, what="the webhook")
        posted = json.loads(receiver.requests[0].partition(b"\r\n\r\n")[2])
        assert posted["id"] == reply["id"]

        # Changes missed while the connection was cut are there after it.
        dashboard.disconnect()
        third = lineup.say("third")
        lineup.close_thread("second")
        dashboard.connect()
        wait_until(lambda: dashboard.ids(*LIST) == [third], what="what was missed")
        assert lineup.in_sql(*LIST) == [third]
