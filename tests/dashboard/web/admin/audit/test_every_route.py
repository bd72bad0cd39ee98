"""Each declared call that changes something is in the audit log, or has a reason here."""

import pytest

from dashboard.web.http.routes import Route
from tests.dashboard.web.admin.audit.acts_of_access import ENTRIES_OF_ACCESS
from tests.dashboard.web.admin.audit.acts_of_accounts import ENTRIES_OF_ACCOUNTS
from tests.dashboard.web.admin.audit.acts_of_calls import (
    API,
    ENTRIES_OF_SUPERVISORS,
    HOOK,
    RULES,
    Chief,
    add_sort,
)
from tests.dashboard.web.admin.audit.acts_of_queues import ENTRIES_OF_QUEUES
from tests.dashboard.web.admin.views.calls import saved
from tests.drivers.audit import acts, entries

ENTRIES = ENTRIES_OF_SUPERVISORS | ENTRIES_OF_ACCOUNTS | ENTRIES_OF_ACCESS | ENTRIES_OF_QUEUES
_OF_THREADS = "the conversation itself says who did what, as acts of the thread"
_READS = "it changes nothing"
_OWN = "it is the admin's own affair"
_BOT = "chatbots send it; whoever has the key is in the log when the key is made"
#: Operation → why it has no entry in the audit log.
REASONS = {
    "patchPreferences": _OWN,
    "postSecondFactor": "it counts once it is confirmed",
    "putViewOrder": _OWN,
    "postAssign": _OF_THREADS,
    "postClose": _OF_THREADS,
    "postSendAgain": _OF_THREADS,
    "putPriority": _OF_THREADS,
    "postRelease": _OF_THREADS,
    "postNext": _OF_THREADS,
    "putAccepting": _OWN,
    "postReply": _OF_THREADS,
    "postSnooze": _OF_THREADS,
    "postMentionsRead": _OWN,
    "postMentionUnread": _OWN,
    "deleteSuggestion": "its chatbot is told, and reports count it",
    "putTags": _OF_THREADS,
    "postAction": _OF_THREADS,
    "postBulk": _OF_THREADS,
    "postUndo": _OF_THREADS,
    "postFile": "the message that it is sent with is in its thread",
    "deleteFile": "it was in no message",
    "postCanned": "any admin may, and each message that is made of it is in its thread",
    "putCanned": "any admin may, and each message that is made of it is in its thread",
    "deleteCanned": "any admin may; messages that were made of it stay",
    "postPolicyPreview": _READS,
    "postQueuePreview": _READS,
    "postSortPreview": _READS,
    "postViewPreview": _READS,
    "postTest": "it changes nothing, and the log of deliveries shows it",
    "postEvents": _BOT,
    "postPresence": _BOT,
    "postPresenceOffline": _BOT,
    "putPresence": _BOT,
    "putPresenceByQuery": _BOT,
    "postTyping": _BOT,
}


@pytest.fixture
def chief(dashboard):
    return Chief(dashboard)


def test_each_changing_call_is_in_the_audit_log_or_it_is_said_why_not(dashboard):
    declared: list[Route] = [
        each.route  # type: ignore[attr-defined]
        for each in dashboard.app.view_functions.values()
        if hasattr(each, "route")
    ]
    changing = {each.operation_id for each in declared if each.method != "GET"}
    assert changing == ENTRIES.keys() | REASONS.keys()
    assert not ENTRIES.keys() & REASONS.keys()


@pytest.mark.parametrize("operation", ENTRIES)
def test_an_act_adds_exactly_these_entries(chief, operation):
    act, expected = ENTRIES[operation]
    act(chief)
    found = acts(chief.dashboard.database)
    named = [(each[0], "KEY" if each[1] == chief.prefix else each[1], *each[2:]) for each in found]
    assert named == expected
    for entry in entries(chief.dashboard.database):
        who = (entry["via"], entry["admin_id"], entry["actor_name"], entry["actor_email"])
        assert who == ("page", 1, "Chief", "chief@example.com")
        assert entry["address"] == "127.0.0.1"
        assert entry["user_agent"].startswith("Werkzeug/")
    assert entry["at"] == chief.dashboard.clock()


def test_a_refused_act_adds_nothing(chief, dashboard):
    add_sort(chief)
    saved(chief.client, owner="all", sort="vip")
    before = acts(dashboard.database)
    for method, path, body in (
        ("DELETE", "sorts/vip", None),
        ("POST", "sorts", {"name": "vip", "title": "VIPs", "rules": RULES}),
        ("PUT", "sorts/none", {"title": "VIPs", "rules": RULES}),
        ("DELETE", "calendars/9", None),
        ("DELETE", "policies/9", None),
        ("DELETE", "queues/9", None),
        ("PUT", "queues/order", {"ids": [9]}),
        ("POST", "queues", {"view": "v9", "mode": "pull"}),
        ("POST", "webhooks/9/rotate", None),
        ("POST", "webhooks", HOOK | {"url": "ftp://bot.example"}),
        ("POST", "customers/delete", {"source": "shop", "customer": "none"}),
        ("POST", "team/9/sign-out", None),
        ("POST", "accounts/1/disable", None),
        ("PUT", "accounts/1", {"role": "admin"}),
        ("PUT", "accounts/9", {"name": "Mai"}),
        ("POST", "invitations", {"email": "chief@example.com", "role": "admin"}),
        ("DELETE", "invitations/9", None),
        ("POST", "keys", {"source": "Shop"}),
        ("POST", "desks", {"name": "main"}),
        ("DELETE", "keys/9", None),
        ("POST", "team/9/reset-second-factor", None),
        ("DELETE", f"profile/sessions/{'0' * 32}", None),
        ("POST", "profile/second-factor/confirm", {"code": "000000"}),
    ):
        answer = chief.client.open(f"{API}/{path}", method=method, json=body or {})
        assert answer.status_code >= 400, path
    assert acts(dashboard.database) == before
