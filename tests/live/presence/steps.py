"""Steps that the live tests of presence share."""

from tests.drivers.dashboard import DashboardDriver
from tests.support import wait_until


def watch(dashboard: DashboardDriver, kind: str, *people: str):
    answer = dashboard.call("presence:watch", {"kind": kind, "add": list(people)})
    assert answer["ok"], answer
    return answer["presence"]


def state_of(dashboard: DashboardDriver, person: str):
    """Returns the newest state that the dashboard got."""
    updates = [data["presence"] for data in dashboard.of("presence:update")]
    return next((one[person] for one in reversed(updates) if person in one), None)


def wait_for_status(dashboard: DashboardDriver, person: str, status: str, seconds: float = 60):
    wait_until(
        lambda: (state_of(dashboard, person) or {}).get("status") == status,
        seconds,
        f"{person} being {status}",
    )
    return state_of(dashboard, person)


def beat(lineup, *customers: str, **more):
    beats = [{"customer": one, "device": "d", "type": "web"} | more for one in customers]
    answer = lineup.bot.post(f"{lineup.server.url}/api/v1/presence", json={"beats": beats})
    assert answer.status_code == 200, answer.text


def leave(lineup, customer: str):
    document = {"devices": [{"customer": customer, "device": "d"}]}
    answer = lineup.bot.post(f"{lineup.server.url}/api/v1/presence/offline", json=document)
    assert answer.status_code == 200, answer.text


def viewers_of(dashboard: DashboardDriver, thread_id: int):
    updates = [one for one in dashboard.of("thread:viewers") if one["thread_id"] == thread_id]
    return {one["id"]: one["mode"] for one in updates[-1]["viewers"]} if updates else {}
