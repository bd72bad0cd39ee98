"""A bulk act can be undone as a whole for a minute after its last part, however long it took."""

import pytest

from tests.dashboard.web.admin.calls import API, row

THREADS = f"{API}/threads"
#: What the page sends in one request.
CHUNK = 50
UNTIL = "2026-12-01T00:00:00Z"
ACTS = {
    "close": {},
    "reopen": {},
    "claim": {},
    "release": {},
    "assign": {"admin_id": 2},
    "priority": {"priority": "urgent"},
    "snooze": {"until": UNTIL},
    "wake": {},
    "tag": {"add": ["late"], "remove": ["vip"]},
}
#: The acts that make a thread one on which the act has an effect.
BEFORE = {
    "reopen": ("close", {}),
    "release": ("claim", {}),
    "wake": ("snooze", {"until": UNTIL}),
    "tag": ("tag", {"add": ["vip"]}),
}


def run(client, ids, action, **more):
    """The ids of the acts of one part."""
    answer = client.post(f"{THREADS}/bulk", json={"ids": ids, "action": action} | more)
    assert [each["status"] for each in answer.json["results"]] == ["done"] * len(ids)
    return [each["act"] for each in answer.json["results"]]


def rows(client, ids):
    answer = client.get(f"{THREADS}?ids={','.join(map(str, ids))}").json["rows"]
    return [{name: one[name] for name in one if name not in ("rev", "woken")} for one in answer]


@pytest.mark.parametrize("action", ACTS)
def test_all_of_it_is_undone(dashboard, mai, action):
    dashboard.sign_in("Bob")
    ids = [dashboard.say(f"t-{number}") for number in range(5)]
    if action in BEFORE:
        before_action, given = BEFORE[action]
        run(mai, ids, before_action, **given)
    before = rows(mai, ids)
    acts = [*run(mai, ids[:3], action, **ACTS[action])]
    dashboard.clock.advance(10 * 60_000)
    acts += run(mai, ids[3:], action, **ACTS[action])
    assert all(was != now for was, now in zip(before, rows(mai, ids), strict=True))
    dashboard.clock.advance(59_000)
    results = mai.post(f"{THREADS}/undo", json={"acts": acts}).json["results"]
    assert [each["status"] for each in results] == ["done"] * 5
    assert rows(mai, ids) == before


def test_200_threads_are_undone_in_the_parts_in_which_they_were_tagged(dashboard, mai):
    bob = dashboard.sign_in("Bob")
    ids = [dashboard.say(f"t-{number}") for number in range(200)]
    parts = [ids[at : at + CHUNK] for at in range(0, len(ids), CHUNK)]
    acts = []
    for part in parts:
        acts += run(mai, part, "tag", add=["late"])
        dashboard.clock.advance(5 * 60_000)
    for id in ids[:3]:
        assert bob.put(f"{THREADS}/{id}/tags", json={"remove": ["late"]}).status_code == 200
    dashboard.clock.advance(55_000)
    results = []
    for at in range(0, len(acts), CHUNK):
        answer = mai.post(f"{THREADS}/undo", json={"acts": acts[at : at + CHUNK]})
        results += answer.json["results"]
    stay = [each["problem"] for each in results if each["status"] == "rejected"]
    assert [(one["code"], one["by"]["name"]) for one in stay] == [("done_meanwhile", "Bob")] * 3
    assert all(row(mai, id)["tags"] == [] for id in ids[::20])


def test_nobody_undoes_the_acts_of_another_admin(dashboard, mai):
    bob = dashboard.sign_in("Bob", "supervisor")
    ids = [dashboard.say(f"t-{number}") for number in range(2)]
    acts = run(mai, ids, "close")
    results = bob.post(f"{THREADS}/undo", json={"acts": acts}).json["results"]
    assert [each["problem"]["code"] for each in results] == ["not_found"] * 2
    assert [row(mai, id)["open"] for id in ids] == [False, False]
