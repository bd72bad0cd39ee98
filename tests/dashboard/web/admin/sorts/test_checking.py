"""Rules are read and compiled before the transaction that saves them, which repeats the check."""

from sqlalchemy import update

from dashboard.db.models.accounts import admins
from dashboard.web.admin.lists import sorts
from scoring.sorting import resolved
from scoring.sorting.checks import refusals
from tests.dashboard.web.answers import is_problem

API = "/admin/api/sorts"
REST = {"when": "", "by": "recent_at", "order": "newest"}
WAITS = {"when": "is:waiting", "by": "waiting_since", "order": "oldest"}
SORT = {"name": "vip", "title": "VIPs first"}


def test_rules_are_checked_before_the_transaction_that_saves_them(dashboard, sue, monkeypatch):
    """Events wait for that transaction."""
    write, compiled = dashboard.database.write, resolved.compiled
    is_writing, checks = [], []

    def noted_write(work):
        is_writing.append(True)
        try:
            return write(work)
        finally:
            is_writing.pop()

    def noted_compiled(rules):
        checks.append(bool(is_writing))
        return compiled(rules)

    monkeypatch.setattr(dashboard.database, "write", noted_write)
    monkeypatch.setattr(resolved, "compiled", noted_compiled)
    first = SORT | {"rules": [WAITS | {"when": "is:waiting tag:checked-ahead"}, REST]}
    assert sue.post(API, json=first).status_code == 201
    assert checks == [False]
    change = {"title": "x", "rules": [WAITS | {"when": "is:waiting tag:changed-ahead"}, REST]}
    assert sue.put(f"{API}/vip", json=change).status_code == 200
    assert checks == [False, False]


def test_rules_are_checked_anew_where_an_address_is_gone_meanwhile(dashboard, sue, monkeypatch):
    """An address is deleted between the check and the transaction that saves the rules."""
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
