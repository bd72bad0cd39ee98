"""Calls of supervisors, and their entries in the audit log."""

from collections.abc import Callable
from typing import Any

from tests.dashboard.web.admin.hours.calls import calendar, policy, saved_calendar, saved_policy
from tests.dashboard.web.admin.views.calls import saved, view
from tests.drivers.application import ApplicationDriver

API = "/admin/api"
HOOK = {"source": "shop", "url": "https://bot.example:8443/T0/secret?token=s3cret"}
RULES = [{"when": "", "by": "recent_at", "order": "newest"}]
OTHER_RULES = [{"when": "", "by": "created_at", "order": "oldest"}]


class Chief:
    """A supervisor's browser; the ids of created objects are kept by kind."""

    def __init__(self, dashboard: ApplicationDriver):
        self.dashboard = dashboard
        self.client = dashboard.sign_in("Chief", "supervisor")
        #: The prefix of the key that was made last.
        self.prefix = "-"

    def does(self, method: str, path: str, body: Any = None) -> Any:
        answer = self.client.open(f"{API}/{path}", method=method, json=body or {})
        assert answer.status_code < 300, answer.json
        return answer.json


def _hook(chief: Chief) -> int:
    return chief.does("POST", "webhooks", HOOK)["id"]


def _customer(chief: Chief) -> None:
    chief.dashboard.say("t", "hello", customer="c-7")
    chief.does("POST", "customers/delete", {"source": "shop", "customer": "c-7"})


def _noted(chief: Chief) -> None:
    thread = chief.dashboard.say("t", "hello", customer="c-7")
    note = {"customer": "shop/c-7", "text": "Prefers to be called", "changed_at": None}
    for _ in range(2):
        chief.does("PUT", f"threads/{thread}/customer/note", note)


def _replayed(chief: Chief) -> None:
    id = _hook(chief)
    thread = chief.dashboard.say("t")
    chief.does("POST", f"threads/{thread}/replies", {"body": "Hi", "token": "t1", "confirm": True})
    chief.does("POST", f"webhooks/{id}/replay", {"since": 0})


def _enabled(chief: Chief) -> None:
    id = _hook(chief)
    chief.dashboard.poster.will_answer(HOOK["url"], 410)
    thread = chief.dashboard.say("t")
    chief.does("POST", f"threads/{thread}/replies", {"body": "Hi", "token": "t1", "confirm": True})
    chief.dashboard.dispatcher.turn()
    chief.does("POST", f"webhooks/{id}/enable")
    chief.does("POST", f"webhooks/{id}/enable")


def add_sort(chief: Chief) -> None:
    chief.does("POST", "sorts", {"name": "vip", "title": "VIPs", "rules": RULES})


def _sort_changed(chief: Chief) -> None:
    add_sort(chief)
    for _ in range(2):
        chief.does("PUT", "sorts/vip", {"title": "VIPs", "rules": OTHER_RULES})


def _sort_deleted(chief: Chief) -> None:
    add_sort(chief)
    chief.does("DELETE", "sorts/vip")


def _shared_by_change(chief: Chief) -> None:
    id = saved(chief.client)["id"]
    chief.does("PUT", f"views/{id}", view(query="is:open"))
    chief.does("PUT", f"views/{id}", view(query="is:open", owner="all"))
    chief.does("PUT", f"views/{id}", view(query="is:open", owner="all", name="Open"))
    chief.does("PUT", f"views/{id}", view(query="is:open", owner="desk:main", name="Open"))
    chief.does("PUT", f"views/{id}", view(query="is:open", name="Open"))


def _view_deleted(chief: Chief) -> None:
    for owner in ("all", "me"):
        chief.does("DELETE", f"views/{saved(chief.client, owner=owner)['id']}")


def _views_saved(chief: Chief) -> None:
    saved(chief.client)
    saved(chief.client, owner="all")


def _calendar_changed(chief: Chief) -> None:
    id = saved_calendar(chief.client, week={})["id"]
    for _ in range(2):
        chief.does("PUT", f"calendars/{id}", calendar(name="Never", week={}, timezone="Asia/Tokyo"))


def _calendar_deleted(chief: Chief) -> None:
    chief.does("DELETE", f"calendars/{saved_calendar(chief.client, week={})['id']}")


def _policy(chief: Chief, **given: Any) -> int:
    found = chief.client.get(f"{API}/calendars").json["calendars"]
    id = found[0]["id"] if found else saved_calendar(chief.client, week={})["id"]
    return saved_policy(chief.client, id, **given)["id"]


def _policy_changed(chief: Chief) -> None:
    id = _policy(chief)
    for _ in range(2):
        chief.does("PUT", f"policies/{id}", policy(1, name="All", first_reply=5))


def _policies_ordered(chief: Chief) -> None:
    ids = [_policy(chief), _policy(chief, name="VIPs", query="member:0")]
    for _ in range(2):
        chief.does("PUT", "policies/order", {"ids": ids[::-1]})


def _signed_out(chief: Chief) -> None:
    chief.dashboard.sign_in("Mai")
    chief.does("POST", "team/2/sign-out")


_CREATED = ("webhook.created", "1", "https://bot.example:8443", {"source": "shop", "events": "all"})
_SORT_SAID = {"title": "VIPs", "rules": RULES, "timezone": "UTC"}
_SORT = ("sort.created", "vip", "VIPs", _SORT_SAID)
_QUERY = {"query": "is:waiting", "sort": "longest_wait"}
_OPEN = {"query": "is:open", "sort": "longest_wait"}
_SHARED = ("view.shared", "v2", "Waiting", _QUERY | {"owner": "all"})
_NEVER = {"timezone": "UTC", "week": {}, "exceptions": []}
_CALENDAR = ("calendar.created", "1", "Always", _NEVER)
_PROMISE = {"query": "", "calendar": "Always", "first_reply": 30, "next_reply": 60}
_POLICY = ("policy.created", "1", "Everybody", _PROMISE)
_VIPS = ("policy.created", "2", "VIPs", _PROMISE | {"query": "member:0"})


def _hooked(action: str, **more: Any) -> tuple[Any, ...]:
    return (action, "1", "https://bot.example:8443", {"source": "shop"} | more)


#: Operation → the calls that do it, and their entries, with those of the calls before.
ENTRIES_OF_SUPERVISORS: dict[str, tuple[Callable[[Chief], object], list[tuple[Any, ...]]]] = {
    "postWebhook": (_hook, [_CREATED]),
    "postRotate": (
        lambda chief: chief.does("POST", f"webhooks/{_hook(chief)}/rotate"),
        [_CREATED, _hooked("webhook.rotated")],
    ),
    "deleteWebhook": (
        lambda chief: chief.does("DELETE", f"webhooks/{_hook(chief)}"),
        [_CREATED, _hooked("webhook.revoked")],
    ),
    "postEnable": (_enabled, [_CREATED, _hooked("webhook.enabled")]),
    "postReplay": (
        _replayed,
        [_CREATED, _hooked("webhook.replayed", since=0, until=2**53 - 1, events=1)],
    ),
    "postDeleteCustomer": (
        _customer,
        [("customer.deleted", "1", "", {"source": "shop", "threads": 1, "events": 1})],
    ),
    "putCustomerNote": (_noted, [("customer.note_changed", "1", "", {"source": "shop"})]),
    "postSignOut": (
        _signed_out,
        [("sessions.ended", "2", "mai@example.com", {"count": 1})],
    ),
    "postAuditExport": (
        lambda chief: chief.does("POST", "audit/export", {"action": "sort", "format": "jsonl"}),
        [("export.made", None, "audit", {"format": "jsonl", "filters": {"action": "sort"}})],
    ),
    "postSort": (add_sort, [_SORT]),
    "putSort": (
        _sort_changed,
        [_SORT, ("sort.changed", "vip", "VIPs", {"rules": {"from": RULES, "to": OTHER_RULES}})],
    ),
    "deleteSort": (_sort_deleted, [_SORT, ("sort.deleted", "vip", "VIPs", _SORT[3])]),
    "postView": (_views_saved, [_SHARED]),
    "putView": (
        _shared_by_change,
        [
            ("view.shared", "v1", "Waiting", _OPEN | {"owner": "all"}),
            ("view.changed", "v1", "Open", {"name": {"from": "Waiting", "to": "Open"}}),
            ("view.changed", "v1", "Open", {"owner": {"from": "all", "to": "desk:main"}}),
            ("view.unshared", "v1", "Open", _OPEN),
        ],
    ),
    "deleteView": (
        _view_deleted,
        [
            ("view.shared", "v1", "Waiting", _QUERY | {"owner": "all"}),
            ("view.deleted", "v1", "Waiting", _QUERY),
        ],
    ),
    "postCalendar": (lambda chief: saved_calendar(chief.client, week={}), [_CALENDAR]),
    "putCalendar": (
        _calendar_changed,
        [
            _CALENDAR,
            (
                "calendar.changed",
                "1",
                "Never",
                {
                    "name": {"from": "Always", "to": "Never"},
                    "timezone": {"from": "UTC", "to": "Asia/Tokyo"},
                },
            ),
        ],
    ),
    "deleteCalendar": (
        _calendar_deleted,
        [_CALENDAR, ("calendar.deleted", "1", "Always", _NEVER)],
    ),
    "postPolicy": (_policy, [_CALENDAR, _POLICY]),
    "putPolicy": (
        _policy_changed,
        [
            _CALENDAR,
            _POLICY,
            (
                "policy.changed",
                "1",
                "All",
                {
                    "name": {"from": "Everybody", "to": "All"},
                    "first_reply": {"from": 30, "to": 5},
                },
            ),
        ],
    ),
    "deletePolicy": (
        lambda chief: chief.does("DELETE", f"policies/{_policy(chief)}"),
        [_CALENDAR, _POLICY, ("policy.deleted", "1", "Everybody", _PROMISE)],
    ),
    "putPolicyOrder": (
        _policies_ordered,
        [
            _CALENDAR,
            _POLICY,
            _VIPS,
            (
                "policies.ordered",
                None,
                "",
                {"order": {"from": ["Everybody", "VIPs"], "to": ["VIPs", "Everybody"]}},
            ),
        ],
    ),
}
