"""Saved sorts on lists that are on screens, through a real server process."""

import time

import pytest

from tests.support import wait_until

REST = {"when": "", "by": "recent_at", "order": "newest"}


@pytest.mark.slow
def test_a_saved_sort_orders_lists_moves_threads_by_time_and_is_changed_on_screens(lineup):
    sue = lineup.server.sign_in(lineup.server.create_admin("Sue", "supervisor"))
    url = f"{lineup.server.url}/admin/api/sorts"
    name = f"calm_{time.time_ns()}"

    def shown(dashboard):
        return [id for id in dashboard.ids("arrival", name) if id in (first, second)]

    rule = {"when": "waits:<=4s", "by": "waiting_since", "order": "newest"}
    body = {"name": name, "title": "Calm", "rules": [rule, REST | {"order": "oldest"}]}
    assert sue.post(url, json=body).status_code == 201
    with lineup.dashboard() as dashboard:
        dashboard.open("arrival", name)
        first, second = (lineup.say(f"calm-{number}") for number in (1, 2))
        wait_until(lambda: shown(dashboard) == [first, second], what="the oldest on top, by time")
        changed = sue.put(f"{url}/{name}", json={"title": "Calm", "rules": [REST]})
        assert changed.status_code == 200, changed.text
        dashboard.wait_for("views:changed")
        wait_until(lambda: shown(dashboard) == [second, first], what="the order of other rules")
        named = {"view": "arrival", "sort": "none", "limit": 1}
        assert dashboard.call("list:open", named)["problem"]["code"] == "unknown_value"
    assert sue.delete(f"{url}/{name}").status_code == 204
