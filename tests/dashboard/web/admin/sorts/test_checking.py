"""Rules are checked before the transaction that saves them, and no check takes long."""

from sqlalchemy import update

from dashboard.db.models.accounts import admins
from dashboard.web.admin.lists import sorts
from scoring.sorting.checks import refusals
from tests.dashboard.web.answers import is_problem

API = "/admin/api/sorts"
REST = {"when": "", "by": "recent_at", "order": "newest"}
WAITS = {"when": "is:waiting", "by": "waiting_since", "order": "oldest"}
SORT = {"name": "vip", "title": "VIPs first"}


def test_rules_are_checked_before_the_transaction_that_saves_them(dashboard, sue, monkeypatch):
    """Events wait for that one."""
    write, is_writing, checks = dashboard.database.write, [], []

    def noted_write(work):
        is_writing.append(True)
        try:
            return write(work)
        finally:
            is_writing.pop()

    def noted_refusals(sort):
        checks.append(bool(is_writing))
        return refusals(sort)

    monkeypatch.setattr(dashboard.database, "write", noted_write)
    monkeypatch.setattr(sorts, "refusals", noted_refusals)
    first = SORT | {"rules": [WAITS | {"when": "is:waiting tag:checked-ahead"}, REST]}
    assert sue.post(API, json=first).status_code == 201
    assert checks == [False]
    change = {"title": "x", "rules": [WAITS | {"when": "is:waiting tag:changed-ahead"}, REST]}
    assert sue.put(f"{API}/vip", json=change).status_code == 200
    assert checks == [False, False]


def test_rules_are_checked_anew_where_an_address_is_gone_meanwhile(dashboard, sue, monkeypatch):
    """Between the check and the transaction that saves them."""
    dashboard.sign_in("Mai")
    renamed = update(admins).where(admins.c.email == "mai@example.com").values(email="m@x.example")
    checks = []

    def refusals_before_a_change(sort):
        checks.append(sort)
        dashboard.database.write(lambda connection: connection.execute(renamed))
        return refusals(sort)

    monkeypatch.setattr(sorts, "refusals", refusals_before_a_change)
    rule = REST | {"when": "assigned:mai@example.com"}
    answer = sue.post(API, json=SORT | {"rules": [rule, REST]})
    assert is_problem(answer, 422, "invalid_query"), answer.json
    assert len(checks) == 1, "the address was there before"


def test_rules_that_are_too_many_to_be_checked_are_refused(sue):
    terms = " ".join(f"(tag:a{{0}}{n} or -source:b{{0}}{n})" for n in range(6))
    rules = [*(REST | {"when": terms.format(number)} for number in range(19)), REST]
    for answer in (
        sue.post(API, json=SORT | {"rules": rules}),
        sue.post(f"{API}/preview", json={"rules": rules, "view": "arrival"}),
    ):
        assert is_problem(answer, 422, "sort_too_large")
        [error] = answer.json["errors"]
        assert error["pointer"] == "/rules"
        assert "kinds of threads" in error["detail"]
