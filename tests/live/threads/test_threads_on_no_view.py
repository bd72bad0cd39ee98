"""Events in snoozed or archived threads reach the admins who are mentioned or have them open."""

import pytest

from tests.drivers.admin import AdminDriver
from tests.drivers.lineup import rfc3339
from tests.support import now_ms

DAY_MS = 86_400_000


def snoozed(lineup, mai):
    id = lineup.say("snoozed")
    mai.post(f"threads/{id}/snooze", {"until": rfc3339(now_ms() + DAY_MS), "wake": "never"})
    return id


def archived(lineup, mai):
    """Posts a thread that is archived at once, as an import would."""
    at_ms = now_ms() - 400 * DAY_MS
    id = lineup.say("archived", at_ms=at_ms)
    lineup.post(lineup.close_event("archived", at_ms=at_ms + 1))
    return id


@pytest.mark.parametrize("on_no_view", [snoozed, archived])
def test_a_note_comes_to_the_colleague_whom_it_mentions(lineup, on_no_view):
    mai = AdminDriver(lineup.server.url, lineup.mai)
    id = on_no_view(lineup, mai)
    ana = lineup.server.sign_in(lineup.server.create_admin("Ana"))
    with lineup.dashboard(ana) as reading, lineup.dashboard(ana) as elsewhere:
        reading.call("thread:open", {"id": id})
        mai.reply(id, "Please look, @Ana", private=True)
        found = reading.wait_for("thread:message", lambda data: data["thread_id"] == id)
        assert found["message"]["body"].startswith("Please look")
        notice = elsewhere.wait_for("notices:new", lambda data: data["thread_id"] == id)
        assert notice["kind"] == "mention"
