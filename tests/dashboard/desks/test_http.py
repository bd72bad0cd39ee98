"""An admin gets the same answers whether other desks have threads or not."""

import json
from collections.abc import Iterator
from itertools import count, islice
from typing import Any

import pytest

from tests.dashboard.desks.world import (
    ACTIVITY_MS,
    LAN,
    OWN_THREADS,
    Numbers,
    World,
    without_random,
)
from tests.dashboard.history.desk import moment
from tests.dashboard.web.hostile_calls import ADMIN_CALLS, Call
from tests.support import SettableClock

#: Ids of threads that Lan does not see: the first two of the other desk, and an unused id.
HIDDEN = (OWN_THREADS + 1, OWN_THREADS + 2, 999)
#: (seed of what happens elsewhere, one call in so many): few calls in the gate, else each.
RUNS = [(0, 12), *(pytest.param(seed, 1, marks=pytest.mark.slow) for seed in range(1, 4))]
_QUERIES = (
    "is:open",
    "",
    "desk:billing",
    "desk:main,billing is:waiting",
    "-desk:main",
    "assigned:me",
    "assigned:ken@example.com",
    "tag:secret",
    "(lang:ja or is:closed)",
    "(waits:>0s or last:admin)",
)
_WORDS = ("hello", "invoice", "secretly", "Hidden", "shop/c-t-1", "shop/only-1", '"an invoice"')
_LISTS = tuple(
    {"view": view, "sort": sort, "filter": filter}
    for view in ("arrival", "not_respond", "snoozed", "mentions", "history", "v1", "v2")
    for sort, filter in (("arrival", "all"), ("longest_wait", "mine"), ("priority", "unassigned"))
)


def calls() -> Iterator[Call]:
    """The calls of the dashboard, each about threads that Lan sees, and about others."""
    for call in ADMIN_CALLS:
        if not (call.path.startswith("/admin/api") or call.path == "/"):
            continue
        if "/messages" in call.path:
            # Only the messages that are as old as the threads; later ones have other numbers.
            call = call._replace(query={name: min(value, 5) for name, value in call.query.items()})
        yield call
        if "/threads/{1}" in call.path:
            for id in (2, 4, *HIDDEN):
                yield call._replace(path=call.path.replace("{1}", f"{{{id}}}", 1))
        if call.body and "ids" in call.body and "action" in call.body:
            ids = [*range(1, OWN_THREADS + 1), *HIDDEN]
            yield call._replace(body=call.body | {"ids": ids})
    yield Call("GET", "/admin/api/threads", {"ids": ",".join(map(str, range(1, 20)))})
    yield Call("POST", "/admin/api/threads/undo", body={"acts": [1, 2, 3, 4]})
    for query in _QUERIES:
        yield Call("POST", "/admin/api/views/preview", body={"query": query, "sort": "priority"})
        yield Call("GET", "/admin/api/search", {"q": query or "x"})
        yield Call("GET", "/admin/api/threads/{1}/explain", {"query": query, "sort": "arrival"})
        yield Call("GET", "/admin/api/archive", {"query": query, "sort": "arrival"})
        yield Call(
            "GET",
            "/admin/api/archive",
            {"query": query, "sort": "arrival", "ids": ",".join(map(str, range(1, 20)))},
        )
    for words in _WORDS:
        yield Call("GET", "/admin/api/search", {"q": words, "limit": 2})
        yield Call("GET", "/admin/api/search", {"q": f"is:open {words}"})
    for text in ("tag:", "lang:", "desk:", "source:", "assigned:", "is:", ""):
        yield Call("GET", "/admin/api/query/complete", {"text": text})
    yield from calls_of_lists()
    yield from calls_of_the_past()
    yield from calls_of_queues()
    for admin in (1, 2, 3):
        assign = {"admin_id": admin, "desk": "billing"}
        yield Call("POST", "/admin/api/threads/{5}/assign", body=assign)


def calls_of_lists() -> Iterator[Call]:
    """Reads what is told of the place of a thread, and archived threads."""
    for named in _LISTS:
        yield Call("GET", "/admin/api/threads/{1}/explain", named)
        yield Call("GET", f"/admin/api/threads/{{{HIDDEN[0]}}}/explain", named)
        yield Call("GET", "/admin/api/archive", named | {"limit": 1})


def calls_of_the_past() -> Iterator[Call]:
    """Reads lists as they were, also at moments of which only the other desk saw something."""
    begin = SettableClock()()
    moments = [moment(begin + minutes * ACTIVITY_MS) for minutes in (7, 20, 45)]
    lists = (*_LISTS[::6], *({"query": query, "sort": "arrival"} for query in _QUERIES))
    for at in moments:
        for named in lists:
            yield Call("GET", "/admin/api/history", named | {"at": at, "limit": 2})
            until = {"since": moments[0], "until": at, "steps": 9}
            yield Call("GET", "/admin/api/history/marks", named | until)
        for id in (1, 2, 4, 5, *HIDDEN):
            path = f"/admin/api/threads/{{{id}}}"
            yield Call("GET", f"{path}/explain", _LISTS[0] | {"at": at})
            yield Call("GET", f"{path}/history", {"limit": 2})


def calls_of_queues() -> Iterator[Call]:
    """Takes threads of queues and gives them back, and reads what the answers tell."""
    for number in range(6):
        thread = f"/admin/api/threads/{{{number + 1}}}"
        explain = Call("GET", f"{thread}/explain", {"view": "v2", "sort": "arrival"})
        yield Call("POST", "/admin/api/queues/next", body={} if number % 2 else {"queue": 1})
        yield explain
        yield Call("PUT", "/admin/api/me/accepting", body={"accepting": False, "capacity": number})
        yield Call("POST", f"{thread}/release", body={})
        # It waits again, and others wait at the other desk.
        yield explain
        yield Call("GET", "/admin/api/queues")
        yield Call("PUT", "/admin/api/me/accepting", body={"accepting": True, "capacity": number})
        yield Call("GET", "/admin/api/team")


def answer(world: World, call: Call, numbers: Numbers) -> tuple[Any, ...]:
    path = call.path.replace("{", "").replace("}", "")
    given = {"method": call.method, "query_string": call.query}
    if call.file is None:
        given["json"] = call.body
    else:
        given |= {"data": call.file, "content_type": "application/octet-stream"}
    found = world.lan.open(path, **given)
    headers = {
        name: value
        for name, value in found.headers
        if name not in ("Date", "Content-Length", "Content-Security-Policy")
    }
    if found.mimetype.endswith("json"):
        return found.status_code, headers, numbers.told(json.loads(found.data))
    return found.status_code, headers, without_random(found.data)


def test_answers_about_queues_do_not_depend_on_the_threads_of_other_desks(worlds):
    """Q65, Q67: each call, while threads at the other desk wait, are pushed and pulled."""
    numbers = Numbers(), Numbers()
    statuses = set()
    for happens, call in enumerate([*calls_of_queues(), *calls_of_queues()]):
        for world in worlds:
            world.elsewhere(happens)
        one, other = (
            answer(world, call, told) for world, told in zip(worlds, numbers, strict=True)
        )
        assert one == other, call
        statuses.add((call.path.rpartition("/")[2], one[0]))
    assert {("next", 200), ("next", 409), ("release", 200), ("explain", 200)} <= statuses
    _, full = worlds
    with full.database.read() as connection:
        given = connection.exec_driver_sql(
            "SELECT count(*) FROM thread_acts WHERE type = 'thread.assigned'"
            " AND admin_id IS NULL AND thread_id > ?",
            (OWN_THREADS,),
        ).scalar()
    assert given > 5, "threads were pushed to the colleague of the other desk"


def test_the_past_does_not_depend_on_the_threads_of_other_desks(worlds):
    """After much has happened at both, also to a thread that she has seen before."""
    statuses = set()
    for happens in range(60):
        for world in worlds:
            world.own_happens(happens % (OWN_THREADS - 1) + 1)
            world.elsewhere(happens)
            if happens == 20:
                world.moves_away(OWN_THREADS)
    numbers = Numbers(), Numbers()
    for call in calls_of_the_past():
        one, other = (
            answer(world, call, told) for world, told in zip(worlds, numbers, strict=True)
        )
        assert one == other, call
        statuses.add((call.path.rpartition("/")[2], one[0]))
    assert {("history", 200), ("marks", 200), ("explain", 200), ("history", 404)} <= statuses


def test_every_route_is_compared(worlds):
    """A new route needs a call in `hostile_calls.py`."""
    alone, _ = worlds
    adapter = alone.site.app.url_map.bind("localhost")
    asked = {
        adapter.match(call.path.replace("{", "").replace("}", ""), call.method)[0]
        for call in calls()
    }
    routes = {
        rule.endpoint
        for rule in alone.site.app.url_map.iter_rules()
        if rule.rule.startswith("/admin/api")
    }
    assert routes - asked == set()


@pytest.mark.parametrize(("seed", "stride"), RUNS)
def test_answers_do_not_depend_on_the_threads_of_other_desks(worlds, seed, stride):
    alone, full = worlds
    numbers = Numbers(), Numbers()
    activity = count(seed * 1_000)
    for call in islice(calls(), seed % stride, None, stride):
        happens = next(activity)
        for world in worlds:
            world.elsewhere(happens)
            world.colleagues_read(happens)
        one, other = (
            answer(world, call, told) for world, told in zip(worlds, numbers, strict=True)
        )
        assert one == other, call
    assert len(full.hidden) > 2 and not alone.hidden
    with full.database.read() as connection:
        count_of_lan = "SELECT count(*) FROM threads WHERE desk = 'billing' AND assignee_id = ?"
        assert connection.exec_driver_sql(count_of_lan, (LAN,)).scalar() == 0
