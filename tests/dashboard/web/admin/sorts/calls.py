"""Saving sorts, and the lists that are kept in them."""

from sqlalchemy import select

from dashboard.db.lists import entries, query_lists
from dashboard.db.models.views import query_lists as lists_table
from scoring.views import QUERY_VIEWS, VIEW_QUERIES, VIEWS

API = "/admin/api/sorts"
REST = {"when": "", "by": "recent_at", "order": "newest"}
WAITS = {"when": "is:waiting", "by": "waiting_since", "order": "oldest"}


def sort(**given):
    rules = [WAITS, REST | {"split": "priority"}]
    return {"name": "vip", "title": "VIPs first", "rules": rules} | given


def saved(client, **given):
    answer = client.post(API, json=sort(**given))
    assert answer.status_code == 201, answer.json
    return answer.json


def kept(dashboard, query):
    """Maps the list ids of a query to the times until which the lists are kept."""
    with dashboard.database.read() as connection:
        found = select(lists_table.c.id, lists_table.c.kept_until)
        return dict(connection.execute(found.where(lists_table.c.query == query)).all())


def kept_of_built_in(dashboard):
    """Does the same for each built-in view that all admins share; returns it by view."""
    return {view: kept(dashboard, VIEW_QUERIES[view]) for view in (*VIEWS, *QUERY_VIEWS)}


def in_order(dashboard, list_id):
    with dashboard.database.read() as connection:
        found = query_lists.current(connection).lists[list_id]
        return [each.id for each in entries.entries(connection, found, dashboard.clock(), 100)]
