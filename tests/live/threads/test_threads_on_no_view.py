"""Events in snoozed or archived threads reach the admins who are mentioned or have them open."""

import pytest

from tests.drivers.admin import AdminDriver
from tests.drivers.lineup import rfc3339
from tests.support import now_ms, wait_until

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


@pytest.mark.parametrize("on_no_view", [snoozed, archived])
def test_edits_come_to_the_open_conversation_without_a_reload(lineup, on_no_view):
    on_no_view(lineup, AdminDriver(lineup.server.url, lineup.mai))
    thread = on_no_view.__name__
    said = lineup.message_event(thread, "first", at_ms=now_ms() - 399 * DAY_MS, role="bot")
    [id] = lineup.post(said)
    change = {"thread": thread, "message": said["id"], "occurred_at": rfc3339(now_ms())}

    def edits(dashboard) -> list[tuple[str, bool]]:
        messages = [data["message"] for data in dashboard.of("thread:message")]
        return [(one["body"], one["edit"]["deleted"]) for one in messages if "edit" in one]

    with lineup.dashboard() as dashboard:
        dashboard.call("thread:open", {"id": id})
        for number, body in enumerate(("second", "third")):
            edit = {"id": f"{thread}-{number}", "type": "message.edited", "body": body}
            lineup.post(change | edit)
            wait_until(lambda body=body: (body, False) in edits(dashboard), what=body)
        lineup.post(change | {"id": f"{thread}-gone", "type": "message.deleted"})
        wait_until(lambda: ("", True) in edits(dashboard), what="the deletion")
        assert edits(dashboard) == [("second", False), ("third", False), ("", True)], "once each"
