"""Calls for views, as tests make them."""

API = "/admin/api/views"
PROFILE = "/admin/api/profile"


def view(**given):
    return {"name": "Waiting", "query": "is:waiting", "sort": "longest_wait", "owner": "me"} | given


def saved(client, **given):
    """Saves a view, and returns it."""
    answer = client.post(API, json=view(**given))
    assert answer.status_code == 201, answer.json
    return answer.json


def listed(client, *members):
    """Returns the saved views that an admin sees, with these members only."""
    found = client.get(API).json["views"]
    names = members or ("id",)
    rows = [tuple(each[name] for name in names) for each in found if each["owner"] != "built-in"]
    return [row[0] for row in rows] if len(names) == 1 else rows
