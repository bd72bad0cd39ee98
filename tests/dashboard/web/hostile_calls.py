"""A valid request of every route."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from tests.dashboard.web.call_bodies import (
    ACT,
    CALENDAR,
    MESSAGE,
    POLICY,
    PREFERENCES,
    PROVEN,
    RULES,
    SETTINGS,
    VIEW,
)


class Call(NamedTuple):
    """A valid request; `path` has braces around the parts that senders choose."""

    method: str
    path: str
    query: Mapping[str, Any] = MappingProxyType({})
    body: Any = None
    #: A body that is a file.
    file: bytes | None = None


BOT_CALLS = [
    Call("POST", "/api/v1/events", body=MESSAGE),
    Call("POST", "/api/v1/events", body={"events": [MESSAGE, ACT | {"type": "thread.close"}]}),
    Call("POST", "/api/v1/events", body=ACT | {"type": "thread.priority", "priority": "high"}),
    Call(
        "POST",
        "/api/v1/events",
        body={
            "id": "r-h",
            "type": "receipt",
            "occurred_at": "2026-09-20T10:00:00Z",
            "message_id": 1,
            "state": "read",
        },
    ),
    Call("GET", "/api/v1/events", {"after": "", "limit": 5}),
    Call("GET", "/api/v1/threads/{t-1}"),
    Call("GET", "/api/v1/lists/{arrival}/{arrival}", {"limit": 5, "cursor": ""}),
    Call("GET", "/api/v1/lists/{v1}/{arrival}", {"limit": 5}),
    Call(
        "POST",
        "/api/v1/presence",
        body={"beats": [{"customer": "c-1", "device": "d-1", "type": "web", "active": True}]},
    ),
    Call(
        "POST", "/api/v1/presence/offline", body={"devices": [{"customer": "c-1", "device": "d"}]}
    ),
    Call("PUT", "/api/v1/presence/{c-1}", body=SETTINGS),
    Call("PUT", "/api/v1/presence", {"customer": "c-1"}, body=SETTINGS),
    Call("GET", "/api/v1/presence", {"customer": "c-1"}),
    Call("GET", "/api/v1/presence/online", {"within": 60, "limit": 5, "cursor": ""}),
    Call("GET", "/api/v1/presence/online", {"from": 0, "to": 9, "limit": 5}),
    Call("GET", "/api/v1/presence/team", {"thread": "t-1"}),
    Call("POST", "/api/v1/typing", body={"thread": "t-1", "customer": "c-1"}),
]

#: The calls of a supervisor.
ADMIN_CALLS = [
    Call("GET", "/"),
    Call("GET", "/webhooks"),
    Call("GET", "/login", {"next": "/"}),
    Call("GET", "/api/v1/openapi.json"),
    Call("GET", "/api/docs"),
    Call("GET", "/healthz"),
    Call("GET", "/readyz"),
    Call("GET", "/metrics"),
    Call("GET", "/static/js/{main.js}"),
    Call("GET", "/admin/api/openapi.json"),
    Call("GET", "/admin/api/me"),
    Call("PATCH", "/admin/api/me/preferences", body=PREFERENCES),
    Call("GET", "/admin/api/threads", {"ids": "1,2"}),
    Call(
        "GET",
        "/admin/api/archive",
        {"view": "history", "sort": "arrival", "filter": "all", "after": "1,1", "limit": 5},
    ),
    Call("GET", "/admin/api/archive", {"query": "is:closed", "sort": "priority", "ids": "1,2"}),
    Call("POST", "/admin/api/threads/bulk", body={"ids": [1, 2], "action": "claim"}),
    Call(
        "POST",
        "/admin/api/threads/bulk",
        body={"ids": [1], "action": "priority", "priority": "high"},
    ),
    Call(
        "POST",
        "/admin/api/threads/bulk",
        body={"ids": [1], "action": "assign", "admin_id": 1, "note": "Yours"},
    ),
    Call(
        "POST",
        "/admin/api/threads/bulk",
        body={"ids": [1], "action": "assign", "admin_id": 1, "held_by": 2},
    ),
    Call("GET", "/admin/api/team/{1}/threads"),
    Call("POST", "/admin/api/threads/undo", body={"acts": [1]}),
    Call("GET", "/admin/api/threads/{1}/messages", {"before": 9, "limit": 5}),
    Call("GET", "/admin/api/threads/{1}/messages", {"after": 1}),
    Call("GET", "/admin/api/threads/{1}/messages", {"around": 1}),
    Call(
        "POST",
        "/admin/api/threads/{1}/replies",
        body={
            "body": "hi",
            "token": "k-1",
            "private": False,
            "seen_message_id": 1,
            "confirm": True,
            "files": ["0" * 32],
        },
    ),
    Call(
        "POST",
        "/admin/api/threads/{1}/replies",
        body={"body": "@Mai, @Lan, look", "token": "k-2", "private": True, "mentions": [1]},
    ),
    Call("POST", "/admin/api/threads/{1}/mentions/read", body={"through": 1}),
    Call("POST", "/admin/api/threads/{1}/mentions/unread", body={"message_id": 1}),
    Call("POST", "/admin/api/threads/{1}/files", {"name": "note.txt"}, file=b"content"),
    Call("GET", "/admin/api/files/{00000000000000000000000000000000}"),
    Call("DELETE", "/admin/api/files/{00000000000000000000000000000000}"),
    Call("GET", "/files/{text}"),
    Call("POST", "/admin/api/threads/{1}/messages/{1}/send-again", body={}),
    Call("POST", "/admin/api/threads/{1}/{claim}", body={}),
    Call("POST", "/admin/api/threads/{1}/release", body={}),
    Call("POST", "/admin/api/threads/{1}/close", body={}),
    Call("POST", "/admin/api/threads/{1}/reopen", body={}),
    Call("POST", "/admin/api/threads/{1}/assign", body={"admin_id": 1, "note": "Yours"}),
    Call("PUT", "/admin/api/threads/{1}/priority", body={"priority": "high"}),
    Call("PUT", "/admin/api/threads/{1}/tags", body={"add": ["vip"], "remove": ["đổi-trả"]}),
    Call(
        "POST",
        "/admin/api/threads/{1}/snooze",
        body={"until": "2027-01-01T09:00:00+07:00", "wake": "reply"},
    ),
    Call(
        "GET",
        "/admin/api/threads/{1}/explain",
        {"view": "arrival", "sort": "arrival", "filter": "all"},
    ),
    Call("GET", "/admin/api/threads/{1}/customer"),
    Call(
        "PUT",
        "/admin/api/threads/{1}/customer/note",
        body={"customer": "shop/c-t-1", "text": "Prefers to be called", "changed_at": None},
    ),
    Call("GET", "/admin/api/threads/{1}/matches", {"q": "hello"}),
    Call("GET", "/admin/api/search", {"q": "hello", "limit": 5, "cursor": ""}),
    Call("POST", "/admin/api/customers/delete", body={"source": "shop", "customer": "c-9"}),
    Call("GET", "/admin/api/health"),
    Call("GET", "/admin/api/canned"),
    Call("POST", "/admin/api/canned", body={"shortcut": "hi", "body": "Hello {{customer.name}}"}),
    Call("PUT", "/admin/api/canned/{1}", body={"shortcut": "hi", "body": "Hello"}),
    Call("DELETE", "/admin/api/canned/{999}"),
    Call("GET", "/admin/api/views"),
    Call("POST", "/admin/api/views", body=VIEW | {"owner": "me"}),
    Call("PUT", "/admin/api/views/{v1}", body=VIEW | {"owner": "all", "changed_at": 5}),
    Call("DELETE", "/admin/api/views/{v999}"),
    Call("PUT", "/admin/api/views/order", body={"ids": ["history", "v1"]}),
    Call("POST", "/admin/api/views/preview", body={"query": "is:open", "sort": "arrival"}),
    Call("GET", "/admin/api/sorts"),
    Call("POST", "/admin/api/sorts", body={"name": "vip", "title": "VIPs", "rules": RULES}),
    Call("PUT", "/admin/api/sorts/{vip}", body={"title": "V", "rules": RULES, "changed_at": 5}),
    Call("DELETE", "/admin/api/sorts/{none}"),
    Call("POST", "/admin/api/sorts/preview", body={"rules": RULES, "view": "arrival"}),
    Call("GET", "/admin/api/calendars"),
    Call("POST", "/admin/api/calendars", body=CALENDAR),
    Call("PUT", "/admin/api/calendars/{1}", body=CALENDAR | {"changed_at": 5}),
    Call("DELETE", "/admin/api/calendars/{999}"),
    Call("GET", "/admin/api/policies"),
    Call("POST", "/admin/api/policies", body=POLICY),
    Call("PUT", "/admin/api/policies/{1}", body=POLICY | {"changed_at": 5}),
    Call("PUT", "/admin/api/policies/order", body={"ids": [1]}),
    Call("DELETE", "/admin/api/policies/{999}"),
    Call(
        "POST",
        "/admin/api/policies/preview",
        body={"policies": [POLICY, POLICY | {"calendar": CALENDAR}]},
    ),
    Call("GET", "/admin/api/query/complete", {"text": "is:o", "at": 4}),
    Call("GET", "/admin/api/presence/online", {"within": 60, "limit": 5, "cursor": ""}),
    Call("GET", "/admin/api/presence/online", {"from": 0, "to": 9}),
    Call("GET", "/admin/api/team"),
    Call("POST", "/admin/api/team/{999}/sign-out", body={}),
    Call("GET", "/audit", {"action": "webhook", "actor": "Mai", "from": "2026-11-01"}),
    Call("GET", "/keys"),
    Call("GET", "/team"),
    Call("GET", "/admin/api/accounts"),
    Call(
        "PUT",
        "/admin/api/accounts/{999}",
        body={"name": "Mai", "role": "admin", "desks": ["main"], "changed_at": 5},
    ),
    Call("PUT", "/admin/api/accounts/{1}", body={"name": "Mai", "desks": ["main"]}),
    Call("POST", "/admin/api/accounts/{999}/disable", body={"changed_at": 5}),
    Call("POST", "/admin/api/accounts/{1}/enable", body={"changed_at": 5}),
    Call(
        "POST",
        "/admin/api/invitations",
        body={"email": "x@example.com", "name": "X", "role": "admin", "desks": ["main"]},
    ),
    Call("DELETE", "/admin/api/invitations/{999}"),
    Call("GET", "/admin/api/keys"),
    Call(
        "POST",
        "/admin/api/keys",
        body={
            "source": "shop",
            "scopes": ["events"],
            "handoff": True,
            "desk": "main",
            "rate": 5,
        },
    ),
    Call("DELETE", "/admin/api/keys/{999}"),
    Call(
        "GET",
        "/admin/api/audit",
        {
            "from": 0,
            "to": 9,
            "action": "webhook",
            "actor": "mai@example.com",
            "target": "webhook:3",
            "cursor": "",
            "limit": 5,
        },
    ),
    Call(
        "POST",
        "/admin/api/audit/export",
        body={
            "from": 0,
            "to": 9,
            "action": "key.created",
            "actor": "Mai",
            "target": "key",
            "format": "csv",
        },
    ),
    Call("GET", "/admin/api/webhooks"),
    Call(
        "POST",
        "/admin/api/webhooks",
        body={
            "source": "shop",
            "url": "https://bot.example/hook",
            "events": ["message.created"],
        },
    ),
    Call("DELETE", "/admin/api/webhooks/{999}"),
    Call("POST", "/admin/api/webhooks/{1}/rotate", body={}),
    Call("POST", "/admin/api/webhooks/{1}/enable", body={}),
    Call("POST", "/admin/api/webhooks/{1}/test", body={}),
    Call("POST", "/admin/api/webhooks/{1}/replay", body={"event": "evt_1"}),
    Call("POST", "/admin/api/webhooks/{1}/replay", body={"since": 1, "until": 2}),
    Call("GET", "/admin/api/webhooks/{1}/log", {"before": 9, "limit": 5}),
    Call("POST", "/admin/api/team/{999}/reset-second-factor", body={}),
    Call("GET", "/profile"),
    Call("GET", "/admin/api/profile"),
    Call("PUT", "/admin/api/profile", body={"name": "Mai", "locale": "vi", "timezone": "UTC"}),
    Call("POST", "/admin/api/profile/password", body={"current": "x", "password": "y"}),
    Call("POST", "/admin/api/profile/second-factor", body={"password": "x"}),
    Call("POST", "/admin/api/profile/second-factor/confirm", body={"code": "123456"}),
    Call("POST", "/admin/api/profile/second-factor/recovery-codes", body=PROVEN),
    Call("POST", "/admin/api/profile/second-factor/remove", body=PROVEN),
    Call("GET", "/admin/api/profile/sessions"),
    Call("DELETE", "/admin/api/profile/sessions/{00000000000000000000000000000000}"),
    # Last: with another value it may end the session.
    Call("POST", "/admin/api/profile/sign-out-everywhere", body={"this_too": False}),
]
#: Sent last: it ends the session.
SIGN_IN_CALLS = [
    Call("POST", "/login", body={"email": "nobody@example.com", "password": "wrong"}),
    Call("GET", "/invitation"),
    Call("POST", "/invitation", body={"token": "x", "name": "Mai", "password": "wrong"}),
    Call("POST", "/login/code", body={"token": "x", "code": "123456"}),
    Call("GET", "/login/code", {"next": "/", "by": "recovery"}),
    Call("POST", "/logout", body={}),
]
