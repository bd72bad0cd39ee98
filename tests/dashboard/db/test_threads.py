"""Threads are read as rows, as lists in order, and as placements."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, BrokenBarrierError

import pytest
from sqlalchemy import event, update

from dashboard.db import archive as behind
from dashboard.db import archive as reading
from dashboard.db import placing
from dashboard.db.accounts import team
from dashboard.db.database import Database
from dashboard.db.lists import entries, named_lists, query_lists
from dashboard.db.lists.named_lists import ListName
from dashboard.db.lists.query_lists import ListedQuery
from dashboard.db.models.threads import threads as thread_table
from dashboard.db.threads import thread_rows, threads
from dashboard.errors import StorageUnavailable
from dashboard.ingest.actions import Actions, Admin
from scoring.sorts import SORTS
from scoring.views import FILTERS, VIEWS
from tests.dashboard.ingest.shop import Shop, message, new_admin, thread_event
from tests.drivers.ranking import entered

NO_LISTS = query_lists.QueryLists(0, ())
LIVE = "ix_threads_live (archived=? AND id>? AND id<?)"
ASSIGNED = "ix_threads_assigned (assignee_id=? AND archived=? AND rowid>? AND rowid<?)"


@pytest.fixture
def three_admins(any_database, clock):
    """Thirty threads in all states; some with the first admin, some with the second."""
    shop = Shop(any_database, clock)
    roles = ["client", "admin", "bot"]
    for number in range(30):
        name = f"t-{number}"
        shop.send(
            message(number % 7, thread=name, customer=name, fields={"member_status": number % 6})
        )
        shop.send(message(number % 9, thread=name, customer=name, role=roles[number % 3]))
        if number % 4 == 0:
            shop.send(thread_event("thread.close", 20, thread=name))
    actions = Actions(any_database, clock)
    owners = [Admin(new_admin(any_database, name), name) for name in ("Linh", "Ken")]
    for number in range(20):
        if number % 5 < 2:
            actions.claim(owners[number % 5], number + 1)
    return any_database, [owner.id for owner in owners]


def lists(admin_ids):
    for view in VIEWS:
        for filter in FILTERS:
            for admin_id in admin_ids if filter == "mine" else [None]:
                yield view, filter, admin_id


def test_a_list_read_in_pages_equals_the_whole_list_and_its_total(three_admins):
    database, admin_ids = three_admins
    with database.read() as connection:
        for view, filter, admin_id in lists(admin_ids):
            for sort in SORTS:
                whole = threads.listed(connection, view, filter, admin_id, sort, 1_000)
                found, after = [], None
                while part := threads.listed(connection, view, filter, admin_id, sort, 4, after):
                    found += part
                    after = (part[-1].score, part[-1].id)
                assert found == whole
                assert [(e.score, e.id) for e in whole] == sorted((e.score, e.id) for e in whole)
                assert threads.total(connection, view, filter, admin_id) == len(whole)


def test_a_named_list_has_the_order_and_the_ranks_of_its_filter(three_admins):
    """Read while Redis is away."""
    database, admin_ids = three_admins
    with database.read() as connection:
        for view, filter, admin_id in lists(admin_ids):
            name = ListName(view, "longest_wait", filter)
            named = named_lists.find(connection, name, admin_id or admin_ids[0])
            found, total = named.listed(connection, 0, 1_000)
            assert found == threads.listed(
                connection, view, filter, admin_id, "longest_wait", 1_000
            )
            assert total == len(found) > 0, f"{view} {filter} is empty"
            assert [named.rank(connection, 0, entry.id) for entry in found] == [*range(total)]


def test_placements_lists_and_totals_agree(three_admins):
    database, admin_ids = three_admins
    with database.read() as connection:
        places = placing.after(connection, 0, 1_000, 0, NO_LISTS)
        assigned = threads.assigned(connection.execute(threads.ASSIGNED))
        again = placing.of(connection, [place.thread_id for place in places], 0)
        assert places == sorted(again, key=lambda place: place.thread_id)
        for view, filter, admin_id in lists(admin_ids):
            wanted = {"all": places}
            wanted["unassigned"] = [place for place in places if place.assignee_id is None]
            wanted["mine"] = [place for place in places if place.assignee_id == admin_id]
            for position, sort in enumerate(SORTS):
                held = sorted(
                    (place.lists[view][position], place.thread_id)
                    for place in wanted[filter]
                    if view in entered(place)
                )
                listed = threads.listed(connection, view, filter, admin_id, sort, 1_000)
                assert [(entry.score, entry.id) for entry in listed] == held
            counts = assigned[view]
            total = sum(counts.values()) if filter == "all" else counts.get(admin_id or 0, 0)
            assert total == len(held)
            assert held, f"{view} {filter} is empty: the test says nothing of it"
        of_admins = {admin_id: assigned["arrival"][admin_id] for admin_id in admin_ids}
        assert team.open_threads(connection, admin_ids, ["main"]) == of_admins
        assert not any(team.open_threads(connection, admin_ids, ["billing"]).values())


def test_what_reads_much_is_read_beside_other_work(three_admins):
    """Only SQLite needs it: the driver of PostgreSQL lets green threads run."""
    given, _ = three_admins
    offloaded = []

    def offload(work, *arguments):
        offloaded.append(work)
        return work(*arguments)

    database = Database(given.url, offload=offload)
    with database.read() as connection:
        expected = threads.assigned(connection.execute(threads.ASSIGNED))
    assert threads.assigned(database.read_beside(threads.ASSIGNED)) == expected != {}
    assert len(offloaded) == database.is_sqlite
    if database.is_sqlite:
        lost = Database(f"{database.url}-lost/of-a-folder")
        with pytest.raises(StorageUnavailable):
            lost.read_beside(threads.ASSIGNED)
    database.close()


def test_a_process_reads_much_one_after_the_other(database):
    both, met = Barrier(2), []

    def offload(work, *arguments):
        with suppress(BrokenBarrierError):
            met.append(both.wait(0.2))
        both.reset()
        return work(*arguments)

    beside = Database(database.url, offload=offload)
    with ThreadPoolExecutor() as pool:
        reads = [pool.submit(beside.read_beside, threads.ASSIGNED) for _ in range(2)]
        assert [read.result() for read in reads] == [[], []]
    assert met == []
    beside.close()


def test_placements_come_in_slices_by_id(three_admins):
    database, _ = three_admins
    with database.read() as connection:
        ids, after = [], 0
        while part := placing.after(connection, after, 7, 0, NO_LISTS):
            ids += [place.thread_id for place in part]
            after = ids[-1]
        assert ids == sorted(ids) and len(ids) == 30
        assert threads.last_id(connection) == ids[-1]


def test_unknown_ids_are_left_out(three_admins):
    database, _ = three_admins
    with database.read() as connection:
        assert thread_rows.rows(connection, [1, 999]).keys() == {1}
        assert threads.names(connection, [999, 2]) == {2: threads.ThreadName("shop", "t-1")}
        assert [place.thread_id for place in placing.of(connection, [999, 3], 0)] == [3]
        assert thread_rows.rows(connection, []) == threads.names(connection, []) == {}
        assert placing.of(connection, [], 0) == []


def test_a_list_is_read_from_its_index_without_sorting(database):
    """Reading 100 of 100,000 threads must not sort them all."""
    for view in VIEWS:
        for sort in SORTS:
            with database.read() as connection:
                seen = []
                plan = connection.exec_driver_sql(
                    f"EXPLAIN QUERY PLAN SELECT id, score_{sort} FROM threads WHERE "
                    f"archived IS 0 AND closed IS {int(view == 'history')} "
                    + ("" if view == "history" else "AND snoozed_until IS NULL ")
                    + ("AND waiting_since IS NOT NULL " if view == "not_respond" else "")
                    + f"AND (score_{sort}, id) > (5, 5) ORDER BY score_{sort}, id LIMIT 100"
                )
                seen = [row[3] for row in plan]
            assert len(seen) == 1 and f"COVERING INDEX ix_threads_{sort}" in seen[0], seen


def _plan(connection, statement) -> list[str]:
    text = statement.compile(connection, compile_kwargs={"render_postcompile": True})
    given = tuple(text.params[name] for name in text.positiontup)
    return [row[3] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", given)]


@pytest.mark.parametrize(
    ("query", "index"),
    [
        ("", LIVE),
        ("is:open", LIVE),
        ("lang:vi", LIVE),
        ("source:shop", LIVE),
        ("tag:vip", LIVE),
        ("assigned:none", ASSIGNED),
    ],
)
def test_a_list_is_built_by_an_index_of_what_is_not_archived(database, clock, query, index):
    """Otherwise each step would read years of archived threads; a step without any reads threads in
    the order of their ids."""
    shop = Shop(database, clock)
    for number in range(3):
        shop.says(number, thread=f"t-{number}", customer=f"c-{number}")
    archive = update(thread_table).where(thread_table.c.id == 3).values(archived=True)
    database.write(lambda connection: connection.execute(archive))
    in_order = "SEARCH threads USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"
    for last_id, expected in ((2, in_order), (3, f"SEARCH threads USING INDEX {index}")):
        steps = _steps_of_between(database, query, last_id)
        assert expected in steps and not any("ORDER BY" in step for step in steps), steps


def _steps_of_between(database, query: str, last_id: int) -> list[str]:
    with database.read() as connection:
        query_list = query_lists.list_of(connection, ListedQuery(query, "arrival", "UTC"))
        asked = []
        event.listen(connection, "before_cursor_execute", lambda *given: asked.append(given[2:4]))
        entries.between(connection, query_list, 5, 0, last_id, 100)
        (first, given_first), (text, given) = asked
        [step] = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {first}", given_first)
        assert "COVERING INDEX ix_threads_live (archived=? AND id>?)" in step[3]
        return [row[3] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", given)]


def test_the_archive_is_read_from_indexes_without_sorting(database):
    """Neither the archive nor the live threads are read as a whole, whatever is asked."""
    with database.read() as connection:
        for sort in SORTS:
            [step] = _plan(connection, reading.last_of_chunk(sort, 100, (5, 5)))
            assert f"COVERING INDEX ix_threads_{sort} (archived=? AND closed=? AND score" in step
            listed = ListedQuery("tag:vip", sort, "UTC", desks=frozenset({"main"}))
            query_list = query_lists.list_of(connection, listed)
            [step] = _plan(connection, reading.between(query_list, 5, (5, 5), (7, 7)))
            assert f"INDEX ix_threads_{sort} (archived=? AND closed=? AND score" in step
        for statement in behind.statements(5, 100):
            [step] = _plan(connection, statement)
            assert "ix_threads_closed (archived=? AND closed=? AND closed_at" in step
        query_list = query_lists.list_of(connection, ListedQuery("is:closed", "arrival", "UTC"))
        steps = _plan(connection, reading.on_list(query_list, 5, [1, 2]))
        assert steps == ["SEARCH threads USING INTEGER PRIMARY KEY (rowid=?)"]
        mine = ListedQuery("is:closed assigned:me", "priority", "UTC", 1, frozenset({"main"}))
        query_list = query_lists.list_of(connection, mine)
        steps = _plan(connection, reading.of_assignees(query_list, 5, 100, (5, 5)))
        assert steps[0] == "SEARCH threads USING INDEX ix_threads_assigned (assignee_id=?)"
        [step] = _plan(connection, placing.select_after(5, 100))
        assert step == "SEARCH threads USING INDEX ix_threads_live (archived=? AND id>?)"


def test_what_admins_have_is_read_without_their_archive(database):
    """After years, few threads are not archived."""
    asked = []
    with database.read() as connection:
        event.listen(connection, "before_cursor_execute", lambda *given: asked.append(given[2:4]))
        team.open_threads(connection, [1, 2], ["main"])
        team.held_threads(connection, 1, ["main"])
        team.held_threads(connection, 1, None)
        for text, given in list(asked):
            [step] = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", given)
            assert "INDEX ix_threads_assigned (assignee_id=? AND archived=?)" in step[3]
