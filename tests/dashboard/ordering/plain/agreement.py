"""Lists of queries and the archive behind them, against SQL and a plain reader."""

from sqlalchemy import Row, select

from dashboard.db import archive
from dashboard.db.conditions import subjects
from dashboard.db.lists import entries, named_lists, query_lists
from dashboard.db.lists.membership import moment_of
from dashboard.db.lists.query_lists import QueryList
from dashboard.db.models.threads import threads
from scoring.conditions.resolved import holds
from scoring.conditions.subject import Subject
from scoring.reading import Entry
from scoring.views import VIEWS
from tests.dashboard.ordering.order import Order

_ROWS = select(threads.c.id, threads.c.archived, threads.c.listed_at, threads.c.next_change_at)


def assert_agree(order: Order) -> None:
    """Checks that each thread for which a query holds is on its list, in order if the list is kept
    in order; or behind it if the thread is archived.

    Redis is not compared while it lacks a view: until the next tick, nothing is placed.
    """
    now = order.clock()
    is_lost = any(state.epoch is None for state in order.ranking.states(VIEWS).values())
    with order.database.read() as connection:
        lists = query_lists.current(connection).lists
        rows = connection.execute(_ROWS).all()
        known = subjects(connection, [row.id for row in rows])
        for each in lists.values():
            in_sql = entries.entries(connection, each, now, 100)
            state = order.ranking.states([each.id])[each.id]
            assert in_sql == expected(each, rows, known, now, is_archived=False), each
            if state.epoch is not None and not is_lost:
                in_redis = order.ranking.head(each.id, each.sort, 100).entries
                if named_lists.epoch_of(connection, each.id) == state.epoch:
                    assert in_redis == in_sql, each
                assert {entry.id for entry in in_redis} == {entry.id for entry in in_sql}, each
                assert state.total == len(in_sql)
            old = archive.part(connection, each, now, 100, None).entries
            assert old == expected(each, rows, known, now, is_archived=True), each


def expected(
    query_list: QueryList,
    rows: list[Row],
    known: dict[int, Subject],
    now: int,
    *,
    is_archived: bool,
) -> list[Entry]:
    """The entries of a list or of its archive, from the plain readers of queries and sorts."""
    found = []
    for row in rows:
        # Time changes nothing of an archived thread before it is looked at.
        at = now if is_archived else moment_of(row.listed_at, row.next_change_at, now)
        subject = known[row.id]
        if row.archived == is_archived and holds(query_list.resolved, subject, at):
            found.append(Entry(row.id, query_list.order.explain(subject, at).score))
    return sorted(found, key=lambda entry: (entry.score, entry.id))
