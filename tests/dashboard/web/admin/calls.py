"""Calls of the dashboard's API, as tests make them."""

import uuid

API = "/admin/api"


def reply(client, thread_id, body="hi", **more):
    given = {"body": body, "token": uuid.uuid4().hex} | more
    return client.post(f"{API}/threads/{thread_id}/replies", json=given)


def row(client, thread_id):
    return client.get(f"{API}/threads?ids={thread_id}").json["rows"][0]
