"""The bench of Zero asks it for the views that Lineup has, and knows what they hold."""

import sqlite3
import zlib

import pytest

from bench.zero.oracle import HEAD, Oracle
from bench.zero.run import Change, Note, Size, compared
from bench.zero.table import Row, rows, whats
from bench.zero.views import Condition, view_of, views_without_time

ROWS = list(rows(1_000, 1_700_000_000_000))
#: Each with its contrary: a missing value is neither equal nor unequal to anything.
ABOUT_MISSING = (
    *("lang:vi", "lang:none", "lang:none,vi", "assigned:none", "assigned:anyone", "is:waiting"),
    *("(lang:none or member:1)", "(lang:vi or is:waiting)", "(lang:ja priority:high or is:open)"),
)


def sql(condition: Condition) -> str:
    """Returns the condition in SQL, whose rules about missing values are those of ZQL."""
    kind, *rest = condition
    if kind != "cmp":
        return "(" + f" {kind} ".join(map(sql, rest)) + ")"
    column, operator, value = rest
    if value is None:
        return f"{column} {operator} NULL"
    said = f"({', '.join(map(repr, value))})" if isinstance(value, list) else repr(value)
    return f"{column} {operator.replace('ILIKE', 'LIKE')} {said}"


@pytest.fixture(scope="module")
def table():
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE TABLE threads ({', '.join(Row._fields)})")
    marks = ", ".join("?" * len(Row._fields))
    connection.executemany(f"INSERT INTO threads VALUES ({marks})", ROWS)
    yield connection
    connection.close()


def test_a_condition_for_zql_holds_for_the_same_threads_as_the_query(table):
    queries = [view.query for view in views_without_time(40)]
    for query in (*queries, *ABOUT_MISSING, *(f"-{each}" for each in ABOUT_MISSING)):
        view = view_of(query)
        where = sql(view.condition)
        found = {id for (id,) in table.execute(f"SELECT id FROM threads WHERE {where}")}
        assert found == {row.id for row in ROWS if view.resolved.root.holds(row.subject, 0)}, query


def changes(count: int) -> list[Change]:
    found = {row.id: row for row in ROWS}
    made = []
    for seq, (id, what) in enumerate(whats(count, len(ROWS)), 1):
        # Three changes share a millisecond: the id decides.
        found[id] = found[id].after(what, 1_700_000_100_000 + seq // 3, seq)
        made.append(Change(found[id], 0))
    return made


def test_the_oracle_holds_what_counting_and_sorting_again_find():
    views = views_without_time(12)
    oracle, current = Oracle(ROWS, views, {0, 3}), {row.id: row for row in ROWS}
    for change in changes(150):
        oracle.change(change.row)
        current[change.row.id] = change.row
        held = [
            [row for row in current.values() if view.resolved.root.holds(row.subject, 0)]
            for view in views
        ]
        assert oracle.state.counts == tuple(map(len, held))
        for view in (0, 3):
            newest = sorted(held[view], key=lambda row: (-row.recent_at, row.id))[:HEAD]
            text = ",".join(f"{row.id}:{row.seq}" for row in newest)
            assert oracle.state.heads[view] == zlib.crc32(text.encode())


def test_a_badge_or_a_list_that_lags_behind_its_number_is_found():
    views, made, size = views_without_time(5), changes(60), Size(badges="full")
    oracle = Oracle(ROWS, views, {0})
    notes: list[Note] = []
    for seq, change in enumerate(made, 1):
        oracle.change(change.row)
        state = oracle.state
        notes.append({"seq": seq, "at": 0, "counts": state.counts, "head": state.heads[0]})
    right = compared(ROWS, views, made, [notes], size)
    assert (right["wrong_badges"], right["wrong_lists"]) == (0, 0)
    late = [{**before, "seq": before["seq"] + 1} for before in notes[:-1]]
    wrong = compared(ROWS, views, made, [late], size)
    assert wrong["wrong_badges"] and wrong["wrong_lists"]
