"""From when on the past is known: as long as LINEUP_HISTORY_DAYS say, or since an upgrade."""

import pytest
from sqlalchemy import func, select

from dashboard.db.history import states
from dashboard.db.lists import kept_lists, versions
from dashboard.db.models.history import history_state, thread_history
from dashboard.ingest import due
from scoring.views import DAY_MS
from tests.dashboard.history.desk import HISTORY, moment
from tests.dashboard.web.answers import is_problem
from tests.drivers.application import PASSWORD

LIST = {"view": "arrival", "sort": "arrival"}
RULES = [{"when": "", "by": "created_at", "order": "oldest"}]


def list_at(sue, at: int, **list: str):
    return sue.get(HISTORY, query_string=LIST | list | {"at": moment(at)})


def is_too_early(answer) -> bool:
    errors = answer.get_json()["errors"]
    return answer.status_code == 422 and [error["code"] for error in errors] == ["too_early"]


def set_days(app, days: int) -> None:
    app.database.write(lambda connection: versions.set_history_days(connection, days))


def since(app) -> int:
    with app.database.read() as connection:
        return connection.scalar(select(history_state.c.since))


def count(app) -> int:
    with app.database.read() as connection:
        return connection.scalar(select(func.count()).select_from(thread_history))


@pytest.fixture
def moments(app, sue) -> dict[int, dict]:
    """Each day for a week a customer writes in one of three threads: the list at each moment."""
    found = {}
    for day in range(7):
        app.clock.advance(DAY_MS)
        app.say(f"t-{day % 3}", f"on day {day}")
        found[app.clock()] = list_at(sue, app.clock()).json
    assert count(app) == 4
    return found


@pytest.fixture
def sue(app):
    """A supervisor who signs in for each question: sessions end."""

    class Sue:
        def __init__(self):
            self._browser = app.sign_in("Sue", "supervisor")

        def get(self, path, **given):
            self._signs_in()
            return self._browser.get(path, **given)

        def put(self, path, **given):
            self._signs_in()
            return self._browser.put(path, **given)

        def _signs_in(self):
            given = {"email": "sue@example.com", "password": PASSWORD}
            assert self._browser.post("/login", json=given).status_code == 204

    return Sue()


def test_old_states_go_in_slices_and_the_beginning_rises_first(app, sue, moments, monkeypatch):
    monkeypatch.setattr(due, "REMOVED_AT_ONCE", 1)
    set_days(app, 2)
    left, begins = [], []
    remove = states.remove_before

    def one_slice(connection, time_ms, limit):
        begins.append(connection.scalar(select(history_state.c.since)))
        removed = remove(connection, time_ms, limit)
        left.append(connection.scalar(select(func.count()).select_from(thread_history)))
        return removed

    monkeypatch.setattr(due.history, "remove_before", one_slice)
    begin = app.clock() - 2 * DAY_MS
    assert app.services.history_cleaner.turn() == 2
    assert left == [3, 2, 2]
    assert begins == [0, begin, begin] and since(app) == begin
    for at, before in moments.items():
        answer = list_at(sue, at)
        if at < begin:
            assert is_too_early(answer)
        else:
            assert answer.json == before | {"since": begin}
    assert list_at(sue, begin).status_code == 200 and is_too_early(list_at(sue, begin - 1))


def test_what_was_removed_stays_unknown_for_more_days(app, sue, moments):
    set_days(app, 3)
    begin = app.clock() - 3 * DAY_MS
    assert app.services.history_cleaner.turn() > 0
    set_days(app, 90)
    app.clock.advance(DAY_MS)
    assert app.services.history_cleaner.turn() == 0
    assert since(app) == begin
    for at, before in moments.items():
        answer = list_at(sue, at)
        assert is_too_early(answer) if at < begin else answer.json == before | {"since": begin}


def test_what_was_not_removed_is_known_again_for_more_days(app, sue, moments):
    """Fewer days hide it at once; more of them show it, if nothing was removed."""
    set_days(app, 1)
    first, *_ = moments
    assert is_too_early(list_at(sue, first))
    set_days(app, 90)
    assert list_at(sue, first).json["ids"] == moments[first]["ids"]


def test_replaced_rules_are_kept_as_long_as_the_states(app, sue):
    """Also if LINEUP_HISTORY_DAYS are few for a while in which no state was old."""
    sue._browser.post("/admin/api/sorts", json={"name": "vip", "title": "VIP", "rules": RULES})
    first, second = app.say("t-1"), app.say("t-2")
    at = app.clock()
    app.clock.advance(1_000)
    newest_first = [RULES[0] | {"order": "newest"}]
    sue.put("/admin/api/sorts/vip", json={"title": "VIP", "rules": newest_first})
    app.clock.advance(10 * DAY_MS)
    set_days(app, 1)
    assert app.services.history_cleaner.turn() == 0
    gone = app.database.write(lambda c: kept_lists.remove_expired(c, app.clock()))
    assert gone, "the lists in the old order"
    set_days(app, 90)
    assert list_at(sue, at, sort="vip").json["ids"] == [first, second]
    assert list_at(sue, app.clock(), sort="vip").json["ids"] == [second, first]


def test_a_sort_is_that_of_the_moment_also_if_it_was_made_again(app):
    """Or not there at all."""
    sue = app.sign_in("Sue", "supervisor")
    ids = [app.say("t-1"), app.say("t-2")]
    sort = {"name": "vip", "title": "VIP", "rules": RULES}
    moments = {}

    def note(order) -> None:
        app.clock.advance(1_000)
        moments[app.clock()] = order
        app.clock.advance(1_000)

    note(None)
    sue.post("/admin/api/sorts", json=sort)
    note(ids)
    sue.put("/admin/api/sorts/vip", json={"title": "Another title", "rules": RULES})
    note(ids)
    sue.delete("/admin/api/sorts/vip")
    note(None)
    newest_first = [RULES[0] | {"order": "newest"}]
    sue.post("/admin/api/sorts", json=sort | {"rules": newest_first})
    note(ids[::-1])
    for at, order in moments.items():
        answer = list_at(sue, at, sort="vip")
        if order is None:
            assert is_problem(answer, 422, "unknown_value")
        else:
            assert answer.json["ids"] == order


def test_a_list_had_a_closed_thread_until_it_was_archived(app):
    """And again since it was opened again."""
    sue = app.sign_in("Sue", "supervisor")
    set_days(app, 1)
    id = app.say("t")
    shown = {}

    def note(ids) -> None:
        app.clock.advance(1_000)
        shown[app.clock()] = ids
        app.clock.advance(1_000)

    app.happens("thread.close", "t")
    note([id])
    app.clock.advance(DAY_MS)
    assert app.services.archiver.turn() == 1
    note([])
    app.happens("thread.reopen", "t")
    app.happens("thread.close", "t")
    note([id])
    set_days(app, 90)
    sue.post("/login", json={"email": "sue@example.com", "password": PASSWORD})
    for at, ids in shown.items():
        assert list_at(sue, at, view="history").json["ids"] == ids
        assert list_at(sue, at, view="history").json["total"] == len(ids)
