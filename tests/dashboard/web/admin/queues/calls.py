"""Calls for queues, as tests make them, and what a process does after them."""

from typing import Any

from dashboard.db.queues import admins
from tests.dashboard.web.admin.views.calls import saved
from tests.drivers.application import ApplicationDriver

API = "/admin/api"
URL = f"{API}/queues"
ACCEPTING = f"{API}/me/accepting"
MINUTE = 60_000
#: The members of a queue that a supervisor sets, as they are by default.
DEFAULTS = {
    "admins": "all",
    "take_within": 60,
    "delay": 0,
    "return": {"offline_after": 120, "which": "waiting"},
}


def saved_queue(client, *, view: str | None = None, name: str = "Waiting", **given: Any):
    """Saves a queue, by default of a new view of everybody, and returns it."""
    view = view or saved(client, owner="all", name=name)["id"]
    answer = client.post(URL, json={"view": view, "mode": "pull"} | given)
    assert answer.status_code == 201, answer.json
    return answer.json["queue"]


def listed(client):
    return client.get(URL).json["queues"]


def takes(client, **given: Any):
    """Asks for the next thread; returns the answer."""
    return client.post(f"{URL}/next", json=given)


def is_here(dashboard: ApplicationDriver, admin_id: int, status: str = "online", **shown: str):
    """Sets the presence of an admin as queues know it."""
    values = {"status": status, "shown_status": shown.get("shown", status)}
    values["offline_since"] = dashboard.clock() if status == "offline" else None
    dashboard.database.write(lambda connection: admins.put(connection, admin_id, **values))


def accepts(client, *, accepting: bool = True, **given: Any):
    answer = client.put(ACCEPTING, json={"accepting": accepting} | given)
    assert answer.status_code == 200, answer.json
    return answer.json


def turn(dashboard: ApplicationDriver) -> int:
    """Hands out what is due, as a process does soon after each change."""
    return dashboard.services.hand_outs.turn()


def explained(client, thread_id: int):
    return client.get(f"{API}/threads/{thread_id}/explain?view=arrival&sort=arrival").json["queue"]


def member(client, admin_id: int):
    """Returns an admin as the team has the admin."""
    return next(one for one in client.get(f"{API}/team").json["team"] if one["id"] == admin_id)


def acts(client, thread_id: int):
    return client.get(f"{API}/threads/{thread_id}/messages").json["acts"]
