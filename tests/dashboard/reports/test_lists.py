"""The length of a list over time."""

import pytest

from tests.dashboard.history.desk import HISTORY, moment
from tests.dashboard.web.answers import is_problem

HOUR_MS = 3_600_000


def test_each_step_has_the_length_at_its_end(app):
    begin = app.clock() - 2 * HOUR_MS
    for number in range(5):
        app.say(f"t-{number}")
        app.clock.advance(HOUR_MS * number)
        if number % 2:
            app.happens("thread.close", f"t-{number}")
    app.clock.advance(2 * HOUR_MS)
    sue = app.sign_in("Sue", "supervisor")
    span = {"from": moment(begin), "to": moment(app.clock())}
    for list in ({"view": "not_respond"}, {"query": "is:waiting"}):
        query = {"metric": "length", "step": "hour"} | span | list
        report = sue.get("/admin/api/reports", query_string=query)
        assert report.status_code == 200, report.text
        said = report.json
        totals: list[int | None] = []
        for end in [*said["steps"][1:], said["to"]]:
            then = list | {"sort": "arrival", "at": moment(end)}
            answer = sue.get(HISTORY, query_string=then)
            # Nothing is known of the time before the first thread.
            totals.append(answer.json["total"] if answer.status_code == 200 else None)
        assert said["values"] == totals and said["total"] == totals[-1] == 3
        assert set(totals) == {None, 2, 3}
        earlier = list | {"sort": "arrival", "at": moment(said["known_since"] - 1)}
        assert sue.get(HISTORY, query_string=earlier).status_code == 422
        first = list | {"sort": "arrival", "at": moment(said["known_since"])}
        assert sue.get(HISTORY, query_string=first).status_code == 200


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ({}, "/view"),
        ({"view": "arrival", "query": "is:open"}, "/view"),
        ({"view": "arrival", "by": "desk"}, "/by"),
        ({"view": "arrival", "from": "2026-01-01T00:00:00Z"}, "/to"),
        ({"view": "arrival", "to": "2099-01-01T00:00:00Z"}, "/to"),
        ({"metric": "new", "view": "arrival"}, "/view"),
        ({"metric": "online", "by": "desk"}, "/by"),
        ({"metric": "online", "query": "is:open"}, "/query"),
        ({"metric": "first_reply", "by": "desk", "step": "day"}, "/step"),
        ({"metric": "new", "by": "hour", "step": "day"}, "/step"),
        ({"metric": "handled", "by": "hour"}, "/by"),
        ({"metric": "new", "step": "hour", "from": "2026-01-01T00:00:00Z"}, "/step"),
        ({"metric": "waiting", "by": "hour", "from": "2020-01-01T00:00:00Z"}, "/by"),
        ({"query": "waits:>5m", "step": "hour", "from": "2026-09-19T00:00:00Z"}, "/step"),
        ({"metric": "new", "from": "2099-01-01T00:00:00Z"}, "/to"),
        ({"metric": "average"}, "/metric"),
    ],
)
def test_what_does_not_go_together_is_refused(app, sue, query, pointer):
    answer = sue.get("/admin/api/reports", query_string={"metric": "length"} | query)
    assert answer.status_code == 422, answer.text
    assert [error["pointer"] for error in answer.json["errors"]] == [pointer]


def test_a_view_that_does_not_exist_has_no_length(sue):
    query = {"metric": "length", "view": "v999"}
    assert is_problem(sue.get("/admin/api/reports", query_string=query), 404, "not_found")


def test_only_supervisors_read_reports(app):
    lan = app.sign_in("Lan")
    for path in ("reports", "reports/threads"):
        answer = lan.get(f"/admin/api/{path}", query_string={"metric": "new"})
        assert answer.status_code == 403
