"""The meaning of list names, and what is read again when a list is added."""

import pytest

from dashboard.db.lists import named_lists, query_lists
from dashboard.db.lists.named_lists import ListName
from dashboard.db.lists.query_lists import ListedQuery
from scoring.conditions.language.parser import LENGTH_MAX
from scoring.conditions.subject import Subject
from tests.dashboard.ingest.shop import new_admin


def found(database, name, admin_id):
    with database.read() as connection:
        return named_lists.find(connection, name, admin_id)


def test_a_filter_that_asks_what_the_query_asks_is_the_same_list(database):
    mai, ken = new_admin(database, "Mai", "admin"), new_admin(database, "Ken", "admin")
    by_filter = found(database, ListName("arrival", "priority", "mine"), mai)
    for view, query, filter in (
        ("arrival", "is:open -is:snoozed assigned:me", "mine"),
        ("history", "assigned:none is:closed", "unassigned"),
        ("history", "assigned:me is:closed", "mine"),
    ):
        narrowed = found(database, ListName(view, "priority", filter), mai)
        for asks_the_same in (
            ListName(None, "priority", "all", query),
            ListName(None, "priority", filter, query),
        ):
            assert found(database, asks_the_same, mai).query_list.id == narrowed.query_list.id
    assert found(database, ListName("arrival", "priority", "mine"), ken).query_list.id != (
        by_filter.query_list.id
    )
    assert by_filter.query.admin_id == mai and not by_filter.is_always_kept


def test_of_some_desks_each_list_is_another_one_which_those_of_the_same_desks_share(database):
    mai, ken = new_admin(database, "Mai", "admin"), new_admin(database, "Ken", "admin")
    names = [
        ListName("arrival", "arrival", "all", desks=desks)
        for desks in (None, frozenset({"main"}), frozenset({"main", "sales"}), frozenset())
    ]
    ids = {found(database, name, mai).query_list.id for name in names}
    assert len(ids) == len(names)
    assert ids == {found(database, name, ken).query_list.id for name in names}
    assert [name.standing_id is not None for name in names] == [True, False, False, False]
    assert names[1].to_json() == names[0].to_json()
    snoozed = ListName("snoozed", "soonest", "all")
    assert found(database, snoozed, mai).is_always_kept
    assert not found(database, snoozed._replace(desks=frozenset({"main"})), mai).is_always_kept


def test_the_desks_of_a_list_are_kept_with_it(database):
    listed = ListedQuery("(is:open or is:closed)", "arrival", "UTC", desks=frozenset({"b", "a"}))
    list_id, _ = database.write(lambda connection: query_lists.keep(connection, listed))
    nothing = listed._replace(desks=frozenset())
    empty_id, _ = database.write(lambda connection: query_lists.keep(connection, nothing))
    with database.read() as connection:
        [(kept,)] = connection.exec_driver_sql(
            "SELECT desks FROM query_lists WHERE id = ?", (list_id,)
        )
        lists = query_lists.current(connection).lists
    assert kept == "a,b"
    at = {desk: Subject(desk=desk) for desk in ("a", "c", "")}
    holds = {desk: lists[list_id].resolved.root.holds(at[desk], 0) for desk in at}
    assert holds == {"a": True, "c": False, "": False}
    assert not any(lists[empty_id].resolved.root.holds(each, 0) for each in at.values())


def test_a_filter_narrows_a_query_of_the_greatest_length(database):
    mai = new_admin(database, "Mai", "admin")
    names = ",".join(f"b{number:08}" for number in range(98))
    text = f"-member:0  source:{names}".ljust(LENGTH_MAX)
    assert len(text) == LENGTH_MAX
    for filter, of_it in (("unassigned", None), ("mine", mai)):
        listed = found(database, ListName(None, "arrival", filter, text), mai).query
        list_id, _ = database.write(lambda c, listed=listed: query_lists.keep(c, listed))
        with database.read() as connection:
            holds = query_lists.current(connection).lists[list_id].resolved.root.holds
        for who in (None, mai, mai + 1):
            assert holds(Subject(source="b00000097", assignee_id=who), 0) == (who == of_it)
            assert not holds(Subject(source="b00000098", assignee_id=who), 0)


def test_a_list_that_is_added_leaves_the_others_unread(database):
    def add(text):
        listed = ListedQuery(text, "arrival", "UTC")
        database.write(lambda connection: query_lists.keep(connection, listed))
        with database.read() as connection:
            return query_lists.current(connection).lists

    before, after = add("is:open"), add("is:closed")
    assert len(after) == 2
    assert all(after[id] is each for id, each in before.items())


def test_lists_of_a_transaction_that_was_rolled_back_are_not_believed(database):
    """The next transaction may give the same version."""

    def roll_back(connection):
        query_lists.keep(connection, ListedQuery("is:open", "arrival", "UTC"))
        assert len(query_lists.current(connection).lists) == 1
        raise RuntimeError("rolled back")

    with pytest.raises(RuntimeError, match="rolled back"):
        database.write(roll_back)
    kept = ListedQuery("is:closed", "arrival", "UTC")
    list_id, _ = database.write(lambda connection: query_lists.keep(connection, kept))
    with database.read() as connection:
        assert query_lists.current(connection).lists.keys() == {list_id}
