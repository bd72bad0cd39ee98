"""The call that explains why a thread stands where it stands on a list."""

import pytest
from sqlalchemy import select

from dashboard.db.models.threads import threads
from scoring.sorts import SORTS
from tests.dashboard.web.admin.calls import API


@pytest.mark.parametrize("redis", ["there", "away"])
def test_a_place_is_explained(dashboard, mai, redis):
    first = dashboard.say("t-1")
    second = dashboard.say("t-2")
    if redis == "away":
        dashboard.server.connected = False
    url = f"{API}/threads/{second}/explain"
    for sort in SORTS:
        explanation = mai.get(f"{url}?view=arrival&sort={sort}").json
        members = {"rule", "tier", "fact", "value", "score", "rank", "total", "due", "queue"}
        assert set(explanation) == members
        assert explanation["due"] is None and explanation["queue"] is None
        with dashboard.database.read() as connection:
            assert explanation["score"] == score_of(connection, second, sort)
    newest = mai.get(f"{url}?view=arrival&sort=arrival").json
    assert (newest["rank"], newest["total"], newest["fact"]) == (0, 2, "recent_at")
    waits = mai.get(f"{url}?view=not_respond&sort=longest_wait").json
    assert (waits["rank"], waits["fact"]) == (1, "waiting_since")
    never_answered = mai.get(f"{url}?view=arrival&sort=unanswered_first").json
    assert never_answered["fact"] == "first_call_at"
    assert mai.get(f"{url}?view=history&sort=arrival").json["rank"] is None
    mine = mai.get(f"{API}/threads/{first}/explain?view=arrival&sort=arrival&filter=mine").json
    assert (mine["rank"], mine["total"]) == (None, 0)


def test_no_connection_to_sql_is_held_while_redis_is_asked(dashboard, mai, monkeypatch):
    """Redis may take seconds to answer, and connections are few."""
    thread_id, held = dashboard.say("t"), []
    rank, pool = dashboard.ranking.rank, dashboard.database.engine.pool

    def asked(*given):
        held.append(pool.checkedout())
        return rank(*given)

    monkeypatch.setattr(dashboard.ranking, "rank", asked)
    path = f"{API}/threads/{thread_id}/explain?view=arrival&sort=arrival"
    assert mai.get(path).json["rank"] == 0
    assert held == [0]


def test_a_place_by_a_saved_sort_is_explained(dashboard):
    """In a view that is always kept, in one at which nobody looks, and in an unsaved query."""
    sue = dashboard.sign_in("Sue", "supervisor")
    ids = [dashboard.say(f"t-{number}") for number in range(3)]
    dashboard.say("t-2", role="admin")
    rules = [
        {"when": "is:waiting  member:none", "by": "created_at", "order": "oldest"},
        {"when": "", "by": "recent_at", "order": "newest"},
    ]
    body = {"name": "vip", "title": "VIPs", "rules": rules}
    assert sue.post(f"{API}/sorts", json=body).status_code == 201
    view = {"name": "Open", "query": "is:open", "sort": "vip", "owner": "me"}
    assert sue.post(f"{API}/views", json=view).json["id"] == "v1"
    for is_built in (False, True):
        if is_built:
            dashboard.rebuild()
        for list in ("view=v1", "view=arrival", "query=is:open"):
            path = f"{API}/threads/{ids[1]}/explain?{list}&sort=vip"
            found = sue.get(path).json
            assert (found["rank"], found["total"]) == (1, 3), list
            assert (found["rule"], found["fact"]) == ("is:waiting  member:none", "created_at")
            last = sue.get(path.replace(f"/{ids[1]}/", f"/{ids[2]}/")).json
            assert (last["rank"], last["rule"], last["tier"]) == (2, "others", 1)
    path = f"{API}/threads/{ids[0]}/explain"
    assert sue.get(f"{path}?view=v9&sort=vip").status_code == 404
    assert sue.get(f"{path}?view=v1&query=is:open&sort=vip").status_code == 422
    assert sue.get(f"{path}?query=is:opne&sort=vip").json["code"] == "invalid_query"


def score_of(connection, thread_id, sort):
    statement = select(threads.c[f"score_{sort}"]).where(threads.c.id == thread_id)
    return connection.scalar(statement)


@pytest.mark.parametrize(
    "query", ["", "?view=arrival", "?view=inbox&sort=arrival", "?view=arrival&sort=x"]
)
def test_only_existing_lists_can_be_explained(dashboard, mai, query):
    thread_id = dashboard.say("t-1")
    assert mai.get(f"{API}/threads/{thread_id}/explain{query}").status_code == 422
