"""Calls of supervisors for queues, and their entries in the audit log."""

from typing import Any

from tests.dashboard.web.admin.audit.acts_of_calls import Chief
from tests.dashboard.web.admin.views.calls import saved


def _queue(chief: Chief, **given: Any) -> int:
    view = saved(chief.client, owner="all", name=given.pop("name", "Waiting"))["id"]
    return chief.does("POST", "queues", {"view": view, "mode": "pull"} | given)["queue"]["id"]


def _changed(chief: Chief) -> None:
    id = _queue(chief)
    body = {"view": "v1", "mode": "push", "admins": ["main"], "delay": 30}
    for _ in range(2):
        chief.does("PUT", f"queues/{id}", body)


def _deleted(chief: Chief) -> None:
    chief.does("DELETE", f"queues/{_queue(chief)}")


def _ordered(chief: Chief) -> None:
    ids = [_queue(chief), _queue(chief, name="Others")]
    for _ in range(2):
        chief.does("PUT", "queues/order", {"ids": ids[::-1]})


def _load(chief: Chief) -> None:
    for load in ("waiting", "open", "open"):
        chief.does("PUT", "queues/load", {"load": load})


_SHARED_AS = {"query": "is:waiting", "sort": "longest_wait", "owner": "all"}
_SHARED = ("view.shared", "v1", "Waiting", _SHARED_AS)
_OTHERS = ("view.shared", "v2", "Others", _SHARED_AS)
_SAID = {
    "mode": "pull",
    "admins": "all",
    "take_within": 60,
    "delay": 0,
    "return": {"offline_after": 120, "which": "waiting"},
}
_CREATED = ("queue.created", "1", "Waiting", _SAID)
_CHANGES = {
    "mode": {"from": "pull", "to": "push"},
    "admins": {"from": "all", "to": ["main"]},
    "delay": {"from": 0, "to": 30},
}
_ORDER = {"order": {"from": ["Waiting", "Others"], "to": ["Others", "Waiting"]}}
#: In the form of the entries of supervisors' other calls.
ENTRIES_OF_QUEUES: dict[str, tuple[Any, list[tuple[Any, ...]]]] = {
    "postQueue": (_queue, [_SHARED, _CREATED]),
    "putQueue": (_changed, [_SHARED, _CREATED, ("queue.changed", "1", "Waiting", _CHANGES)]),
    "deleteQueue": (_deleted, [_SHARED, _CREATED, ("queue.deleted", "1", "Waiting", _SAID)]),
    "putQueueOrder": (
        _ordered,
        [
            _SHARED,
            _CREATED,
            _OTHERS,
            ("queue.created", "2", "Others", _SAID),
            ("queues.ordered", None, "", _ORDER),
        ],
    ),
    "putQueueLoad": (
        _load,
        [("queues.load_changed", None, "", {"load": {"from": "waiting", "to": "open"}})],
    ),
}
