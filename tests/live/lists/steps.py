"""Steps that the cases of live lists share."""

import uuid

from tests.support import wait_until


def act(lineup, id, what, session=None, method="POST", **body):
    url = f"{lineup.server.url}/admin/api/threads/{id}/{what}"
    answer = (session or lineup.mai).request(method, url, json=body)
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


def reply(lineup, id, body="an answer", session=None, **more):
    given = {"body": body, "token": uuid.uuid4().hex, "confirm": True} | more
    return act(lineup, id, "replies", session, **given)


def row(lineup, id):
    return lineup.mai.get(f"{lineup.server.url}/admin/api/threads?ids={id}").json()["rows"][0]


def order(dashboard, view, sort, among, filter="all"):
    """The ids of these threads, in the order in which the dashboard holds them."""
    return [id for id in dashboard.ids(view, sort, filter) if id in among]


def comes_to(dashboard, view, sort, wanted, among=None):
    """Waits until the dashboard has these threads in this order; so must a fresh one."""
    among = among or set(wanted)
    wait_until(
        lambda: order(dashboard, view, sort, among) == wanted,
        what=f"{view}/{sort}: {order(dashboard, view, sort, among)} becoming {wanted}",
    )
    fresh = dashboard.call("list:open", {"view": view, "sort": sort, "limit": 500})
    assert [id for id in fresh["ids"] if id in among] == wanted
