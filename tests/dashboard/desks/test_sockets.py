"""An admin's socket gets the same whether other desks have threads or not."""

import json
from itertools import count
from typing import Any

import pytest

from dashboard.errors import Problem
from dashboard.transport.packets import EncodedJson
from tests.dashboard.desks.queues import is_here
from tests.dashboard.desks.test_http import HIDDEN, RUNS
from tests.dashboard.desks.world import LAN, Numbers, World

_LISTS = tuple(
    {"view": view, "sort": sort, "filter": filter}
    for view in ("arrival", "not_respond", "snoozed", "mentions", "history", "v1", "v2")
    for sort, filter in (("arrival", "all"), ("longest_wait", "mine"), ("priority", "unassigned"))
) + tuple(
    {"query": query, "sort": "arrival", "filter": "all"}
    for query in ("desk:billing", "", "tag:secret", "assigned:me", "-desk:main is:open")
)
_IDS = (1, 2, 4, *HIDDEN)
_PEOPLE = ["shop/c-t-1", "shop/c-t-2", "shop/only-1", "shop/only-3", "shop/x"]


def steps() -> list[tuple[str, Any]]:
    """The calls of a session, each event at least once."""
    # First, so that each run has it: totals come with versions from then on.
    found: list[tuple[str, Any]] = [("views:totals", {})]
    found += [("presence:pong", {"visible": True, "idle_ms": 0})]
    for named in _LISTS:
        found += [
            ("list:open", named | {"limit": 50}),
            ("list:totals", named),
            ("list:more", named | {"after": [0, 0], "limit": 20}),
            ("list:more", named | {"after": [0, 0], "through": HIDDEN[0]}),
            ("list:sync", named | {"epoch": "another", "version": 0}),
        ]
    found += [("list:close", named) for named in _LISTS[::3]]
    found += [("threads:watch", {"add": [*_IDS]}), ("threads:watch", {"del": [1]})]
    for id in _IDS:
        cursor = {"field": "reply", "position": 3}
        found += [
            ("thread:open", {"id": id}),
            ("thread:mode", {"id": id, "mode": "typing", "cursor": cursor}),
        ]
    found += [
        ("presence:watch", {"kind": "customer", "add": _PEOPLE}),
        ("presence:watch", {"kind": "admin", "add": ["1", "2", "3"]}),
        ("presence:set", {"status": "busy"}),
        ("notices:since", {"since": 0}),
        ("thread:close", {"id": 2}),
        ("thread:close", {"id": HIDDEN[0]}),
    ]
    return found


def answer(world: World, caller: Any, event: str, given: Any) -> Any:
    try:
        found = world.call(caller, event, given)
    except Problem as problem:
        return problem.body()
    return json.loads(found) if isinstance(found, EncodedJson) else found


def test_every_event_is_compared(worlds):
    """A new event needs a call in `steps`."""
    alone, _ = worlds
    assert alone.sockets.handlers.keys() == {event for event, _ in steps()}


@pytest.mark.parametrize(("seed", "stride"), RUNS)
def test_a_session_does_not_depend_on_the_threads_of_other_desks(worlds, seed, stride):
    alone, full = worlds
    numbers, heard = (Numbers(), Numbers()), set[str]()
    activity = count(seed * 1_000)
    for world in worlds:
        world.elsewhere(next(count(seed)))
    lans = [world.connect(LAN) for world in worlds]
    heard |= _compare_sent(worlds, lans, numbers, "connecting")
    for world in worlds:
        # Builds the lists of views that are kept while Lan is here.
        world.services.reconciler.tick()
    for step, (event, given) in enumerate(steps()[::stride]):
        happens = next(activity)
        for world in worlds:
            world.elsewhere(happens)
            world.colleagues_read(step)
            world.own_happens(step % 3 + 1)
            is_here(world, LAN, accepting=True)
        found = [
            told.told(answer(world, lan, event, given))
            for world, lan, told in zip(worlds, lans, numbers, strict=True)
        ]
        assert found[0] == found[1], (event, given)
        heard |= _compare_sent(worlds, lans, numbers, f"{event} {given}")
    assert len(full.hidden) > 2 and not alone.hidden
    assert heard >= {"queue:given", "queue:returned", "queues:state", "views:totals"}


def _compare_sent(worlds, lans, numbers, after: str) -> set[str]:
    sent = []
    for world, lan, told in zip(worlds, lans, numbers, strict=True):
        world.settle()
        sent.append([(event, told.told(data)) for event, data in world.take(lan)])
    assert sent[0] == sent[1], f"after {after}"
    return {event for event, _ in sent[0]}
