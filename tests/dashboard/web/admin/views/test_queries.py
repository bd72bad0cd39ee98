"""Previews of queries, suggestions for typing them, and hostile ones."""

import time

import pytest

from dashboard.db.accounts import admin_desks
from tests.dashboard.web.admin.views.calls import API, PROFILE, view
from tests.dashboard.web.answers import is_problem

PREVIEW = f"{API}/preview"
COMPLETE = "/admin/api/query/complete"
#: The highest cost of a hostile query, as a multiple of a usual one.
TIMES_MAX = 12

HOSTILE = {
    "10,000 opening parentheses": ("(" * 10_000, 20),
    "10,000 closing parentheses": (")" * 10_000, 0),
    "21 deep": ("(" * 21 + "is:open" + ")" * 21, 20),
    "20 deep": ("(" * 20 + "is:open" + ")" * 20, None),
    "not, 20 deep": ("-(" * 20 + "is:open" + ")" * 20, None),
    "1,001 characters": ("is:open " * 125 + "x", 1_000),
    "a megabyte": ("is:open " * 125_000, 1_000),
    "201 terms": ("(" + " or ".join(["is:open"] * 80) + ") " + "is:open " * 3, None),
    "200 terms": ("age:>1s " * 125, None),
    "a null character": ("is:\0open", 3),
    "an escape": ("is:open \x1b[31m", 8),
    "a line separator in quotes": ('source:"a\x85"', None),
    "many alternatives": (
        " ".join(f"(waits:>{n}s or quiet:<{n}m or age:>{n}h)" for n in range(1, 26)),
        None,
    ),
    "many nots": (" ".join(f"-(lang:v{chr(97 + n)} or member:{n % 6})" for n in range(26)), None),
    "a long address": ("assigned:" + "a" * 300 + "@example.com", 9 + 254),
    "200 sources": ("source:" + ",".join(f"s{n}" for n in range(200)), None),
    "many days": ("created:" + ",".join(["2026-01-01..2026-12-31"] * 40), None),
    "no end of quotes": ('source:"' + "\\" * 900, 8 + 128),
}


def test_a_preview_counts_and_shows_the_first_threads_in_the_sort(dashboard, mai, monkeypatch):
    ids = [dashboard.say(f"t-{number}") for number in range(25)]
    dashboard.happens("thread.close", "t-3")
    for size in (20_000, 7):
        for name in ("SIZE", "SIZE_MIN", "SIZE_MAX"):
            monkeypatch.setattr(f"dashboard.db.id_ranges.{name}", size)
        found = mai.post(PREVIEW, json={"query": "is:open", "sort": "longest_wait"}).json
        assert found["total"] == 24
        assert [row["id"] for row in found["rows"]] == [*ids[:3], *ids[4:21]]
    own = {"query": "assigned:me", "sort": "arrival"}
    assert mai.post(PREVIEW, json=own).json == {"total": 0, "rows": []}


def test_a_preview_of_too_many_threads_ends_in_time(dashboard, mai, monkeypatch):
    """The threads searched by then are the newest ones."""
    ids = [dashboard.say(f"t-{number}") for number in range(9)]
    monkeypatch.setattr("dashboard.db.id_ranges.SIZE", 3)
    monkeypatch.setattr("dashboard.web.admin.lists.previews.PREVIEW_SECONDS", -1.0)
    found = mai.post(PREVIEW, json={"query": "", "sort": "longest_wait"}).json
    assert (found["total"], [row["id"] for row in found["rows"]]) == (None, ids[6:])


def test_days_are_those_of_the_time_zone(dashboard, mai):
    dashboard.say("t-1")
    at = time.gmtime(dashboard.clock() / 1000)
    assert at.tm_hour < 23, "the clock of the tests: in Tokyo it is a later day"
    day = time.strftime("%Y-%m-%d", at)
    totals = {
        zone: mai.post(
            PREVIEW, json={"query": f"created:{day}", "sort": "arrival", "timezone": zone}
        ).json["total"]
        for zone in ("UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago")
    }
    assert totals["UTC"] == 1 and sum(totals.values()) < 3
    mai.put(PROFILE, json={"name": "Mai", "locale": "vi", "timezone": "Pacific/Pago_Pago"})
    body = {"query": f"created:{day}", "sort": "arrival"}
    assert mai.post(PREVIEW, json=body).json["total"] == totals["Pacific/Pago_Pago"]


def test_what_may_be_written_is_proposed(dashboard, mai):
    for number, locale in enumerate(["vi-VN", "vi", "ja"]):
        customer = {"id": f"c-{number}", "locale": locale}
        dashboard.happens("message", "t", customer=customer, role="client", body="hi")
    for text, expected in {
        "is:o": ["open"],
        "assigned:m": ["me", "mai@example.com"],
        "source:": ["shop"],
        "lang:": ["none", "vi", "ja", "vi-vn"],
        "hello wor": [],
    }.items():
        found = mai.get(COMPLETE, query_string={"text": text}).json["suggestions"]
        assert [each["text"] for each in found] == expected


def test_the_place_of_a_completion(mai):
    found = mai.get(COMPLETE, query_string={"text": "is:op lang:vi", "at": 5}).json
    assert found["suggestions"] == [{"text": "open", "from": 3, "to": 5, "kind": "value"}]
    assert mai.get(COMPLETE).json["suggestions"], "where nothing is written yet"
    assert is_problem(mai.get(COMPLETE, query_string={"text": "x" * 1_001}), 422, "too_long")
    assert is_problem(mai.get(COMPLETE, query_string={"at": "-1"}), 422, "number_out_of_range")


def test_hostile_queries_are_answered_exactly(dashboard, mai):
    dashboard.say("t-1")
    for name, (query, at) in HOSTILE.items():
        for answer in ask(mai, query):
            problem = answer.json
            if name == "many alternatives" and problem.get("code") == "too_costly":
                continue
            right = (200, 201) if at is None else (422,)
            assert (answer.status_code in right, problem.get("at")) == (True, at), (name, problem)


@pytest.mark.slow
def test_hostile_queries_are_answered_cheaply(dashboard, mai):
    """Compared by processor time; the least of three counts, because others use it, too."""
    dashboard.say("t-1")
    usual = cost_of(mai, "is:open lang:vi")
    for name, (query, _) in HOSTILE.items():
        assert cost_of(mai, query) < TIMES_MAX * usual, name


def ask(mai, query):
    """Returns the answers to a preview of a query, and to saving it."""
    return [
        mai.post(PREVIEW, json={"query": query, "sort": "arrival"}),
        mai.post(API, json=view(query=query)),
    ]


def cost_of(mai, query):
    """Returns seconds of processor time."""
    costs = []
    for _ in range(3):
        begun = time.process_time()
        ask(mai, query)
        costs.append(time.process_time() - begun)
    return min(costs)


def test_a_completion_names_nothing_of_threads_that_are_not_seen(dashboard, mai):
    """Threads at desks that the admin does not see add nothing to completions."""
    dashboard.database.write(lambda connection: admin_desks.add(connection, "sales", 0))
    for name, desk in (("t-1", "main"), ("t-2", "sales")):
        dashboard.say(name)
        dashboard.happens("thread.handoff", name, desk=desk)
        dashboard.happens("thread.tags", name, add=[f"of-{desk}"])

    def offered(client):
        found = client.get(COMPLETE, query_string={"text": "tag:of"}).json["suggestions"]
        return {each["text"] for each in found}

    assert offered(dashboard.sign_in("Sue", "supervisor")) == {"of-main", "of-sales"}
    dashboard.database.write(lambda c: admin_desks.save(c, 1, ["main"]))
    assert offered(mai) == {"of-main"}
