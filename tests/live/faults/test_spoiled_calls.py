"""Calls over sockets whose parts are spoiled one by one."""

import json

import pytest

from tests.dashboard.web.hostile import STEP, spoiled_bodies
from tests.live.faults.test_garbage import asked, connected


@pytest.mark.parametrize("step", [STEP, pytest.param(1, marks=pytest.mark.slow)])
def test_no_spoiled_call_reaches_a_stack_trace(lineup, step):
    """H9: whatever stands in place of a part of a call, the answer is no 500."""
    list = {"view": "arrival", "sort": "arrival"}
    calls = {
        "list:open": list | {"limit": 5, "filter": "all"},
        "list:more": list | {"after": [1, 1], "limit": 5},
        "list:sync": list | {"epoch": "e", "version": 1},
        "list:close": list,
        "list:totals": list,
        "threads:watch": {"add": [1], "del": [2]},
        "thread:open": {"id": 1},
        "thread:close": {"id": 1},
        "thread:mode": {"id": 1, "mode": "typing", "cursor": {"field": "reply", "position": 1}},
        "presence:pong": {"visible": True, "idle_ms": 1},
        "presence:set": {"text": "calls", "until": "2099-01-01T00:00:00Z", "status": "busy"},
        "presence:watch": {"kind": "customer", "add": ["shop/c"], "del": ["shop/d"]},
    }
    spoiled = [(name, body) for name, right in calls.items() for body in spoiled_bodies(right)]
    raw, asked_of_it = connected(lineup), 0
    for name, body in spoiled[::step]:
        if asked_of_it == 19:
            raw.close()
            raw, asked_of_it = connected(lineup), 0
        answer = asked(raw, f"42/admin,7{json.dumps([name, body])}")
        assert answer["ok"] or answer["problem"]["status"] < 500, (name, body, answer)
        asked_of_it += 1
    raw.close()
    assert not [line for line in lineup.server.log if "Traceback" in line]
