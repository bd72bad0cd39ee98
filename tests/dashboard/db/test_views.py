"""Saved views and their lists, in one transaction, on both databases."""

import threading

import pytest
from sqlalchemy import event, select

from dashboard.db import conditions, id_ranges
from dashboard.db.accounts import admin_desks, admins
from dashboard.db.lists import entries, kept_lists, query_lists, views
from dashboard.db.lists.query_lists import ListedQuery
from dashboard.db.lists.views import RELEASED_MS, Draft
from dashboard.db.models.views import query_lists as lists_table
from dashboard.errors import Invalid
from scoring.conditions.language.query import QueryError
from tests.dashboard.ingest.shop import Shop, new_admin

NOW = 1_790_000_000_000


@pytest.fixture
def mai(any_database) -> int:
    return new_admin(any_database, "Mai")


def draft(owner_id=None, query="is:open", sort="arrival", timezone="UTC", name="Open") -> Draft:
    return Draft(name, query, sort, timezone, owner_id)


def create(database, admin_id, given=None, now=NOW):
    return database.write(lambda c: views.create(c, given or draft(), admin_id, now))


def kept(database) -> dict[str, int | None]:
    with database.read() as connection:
        return {row.id: row.kept_until for row in connection.execute(select(lists_table))}


def test_a_view_is_kept_with_its_list_or_not_at_all(any_database, mai):
    wrong = draft(mai, "assigned:nobody@example.com")
    with pytest.raises(QueryError):
        create(any_database, mai, wrong)
    view = create(any_database, mai, draft(mai))
    for given in (wrong, draft(mai, "hello")):
        with pytest.raises(QueryError):
            any_database.write(
                lambda c, given=given: views.change(
                    c, views.lock(c, view.id, mai, None), given, mai, NOW
                )
            )
    with any_database.read() as connection:
        assert views.visible_to(connection, mai, None) == [view]
        assert query_lists.current(connection).lists.keys() == {view.list_id}
    assert kept(any_database) == {view.list_id: None}


def test_own_views_that_name_me_are_lists_of_their_own(any_database, mai):
    bob = new_admin(any_database, "Bob")
    mine = create(any_database, mai, draft(mai, "assigned:me"))
    his = create(any_database, bob, draft(bob, "assigned:me"))
    address = create(any_database, bob, draft(bob, "assigned:mai@desk.example"))
    shared = create(any_database, bob, draft(None, "-assigned:me"))
    assert mine.list_id == address.list_id != his.list_id
    assert (shared.list_id, shared.listed(mai).admin_id) == (None, mai)
    assert create(any_database, bob, draft(None, "source:me")).listed(mai).admin_id is None


def test_views_of_a_desk_belong_to_who_sees_the_desk(any_database, mai):
    any_database.write(lambda c: admin_desks.add(c, "billing", 0))
    main, billing = (
        create(any_database, mai, draft(None, "assigned:me")._replace(desk=desk))
        for desk in ("main", "billing")
    )
    assert (main.desk, main.list_id) == ("main", None), "each admin who looks has another list"
    with any_database.read() as connection:
        for desks_seen, seen in (
            (None, [main, billing]),
            (frozenset(["main"]), [main]),
            (frozenset(), []),
        ):
            assert views.visible_to(connection, mai, desks_seen) == seen
            for view in (main, billing):
                found = views.find(connection, view.id, mai, desks_seen)
                assert found == (view if view in seen else None)
                assert view.is_seen_by(mai, desks_seen) == (view in seen)
    unknown = draft()._replace(desk="nowhere")
    with pytest.raises(Invalid):
        create(any_database, mai, unknown)


def test_what_time_a_view_was_changed_grows_with_each_change(any_database, mai):
    view = create(any_database, mai, draft(mai))
    for _ in range(3):
        changed = any_database.write(
            lambda c, id=view.id: views.change(
                c, views.lock(c, id, mai, None), draft(mai, name="New"), mai, NOW - 5
            )
        )
        assert changed.changed_at > view.changed_at
        view = changed


def test_a_disabled_account_leaves_no_list(any_database, mai):
    bob = new_admin(any_database, "Bob")
    both = create(any_database, mai, draft(mai))
    create(any_database, bob, draft(bob))
    mine = create(any_database, mai, draft(mai, "assigned:me"))
    any_database.write(lambda c: views.release_of(c, mai, NOW))
    assert kept(any_database) == {both.list_id: None, mine.list_id: NOW + RELEASED_MS}


def test_it_is_told_whose_views_have_no_list_any_more_and_have_again(any_database, mai):
    """When an account is disabled or enabled again, the change of its views is noted."""
    new_admin(any_database, "Bob")
    create(any_database, mai, draft(mai))

    def changed(write) -> set:
        with any_database.read() as connection:
            version, _ = views.since(connection, None)
        any_database.write(write)
        with any_database.read() as connection:
            return views.since(connection, version)[1]

    def release(connection) -> None:
        views.begin_change(connection)
        views.release_of(connection, mai, NOW)

    def keep(connection) -> None:
        views.begin_change(connection)
        views.keep_of(connection, mai)

    assert changed(release) == {mai}
    assert changed(keep) == {mai}


def test_lists_of_a_sort_that_was_changed_are_kept_anew(any_database, mai, monkeypatch):
    """A view whose query is wrong by now loses its list; others are kept under their new id."""
    bob = new_admin(any_database, "Bob")
    first = create(any_database, mai, draft(mai))
    second = create(any_database, bob, draft(None, "assigned:mai@desk.example"))
    other = create(any_database, mai, draft(mai, sort="priority"))
    named = query_lists.query_list_id
    monkeypatch.setattr(
        query_lists, "query_list_id", lambda digest, sort: named(f"{digest}-2", sort)
    )
    any_database.write(
        lambda c: c.exec_driver_sql("UPDATE admins SET email = 'gone@desk.example' WHERE id = 1")
    )
    any_database.write(lambda c: views.keep_anew(c, "arrival", NOW))
    with any_database.read() as connection:
        list_ids = {view.id: view.list_id for view in views.visible_to(connection, mai, None)}
        of_built_in = kept_lists.ids_in(connection, ["arrival"])
    assert list_ids[second.id] is None and list_ids[other.id] == other.list_id
    assert kept(any_database) == {
        list_ids[first.id]: None,
        other.list_id: None,
        first.list_id: NOW + RELEASED_MS,
        second.list_id: NOW + RELEASED_MS,
        **dict.fromkeys(of_built_in),
    }


def test_orders_name_views_that_are_gone_and_new_ones(any_database, mai):
    made = [create(any_database, mai).public_id for _ in range(3)]
    for ids in (["v9", made[2], "history"], [made[1]]):
        any_database.write(lambda c, ids=ids: views.save(c, mai, ids))
    with any_database.read() as connection:
        assert views.ordered(connection, mai, ("arrival",), made) == [
            "arrival",
            made[1],
            made[0],
            made[2],
        ]


def test_a_list_that_expires_while_a_view_is_saved_stays(any_database, mai):
    """Whichever comes first: removing unneeded lists, or saving the view."""
    listed = ListedQuery("is:open", "arrival", "UTC")
    for turn in range(20):
        later = NOW + turn
        any_database.write(lambda c, later=later: query_lists.keep(c, listed, later - 1))
        begin = threading.Barrier(3)
        done = []

        def at_once(work, begin=begin, done=done):
            begin.wait()
            done.append(any_database.write(work))

        works = (
            lambda c, later=later: views.create(c, draft(mai), mai, later),
            lambda c, later=later: kept_lists.remove_expired(c, later),
            lambda c, later=later: query_lists.keep(c, listed, later + 60_000)[0],
        )
        racing = [threading.Thread(target=at_once, args=(work,)) for work in works]
        for each in racing:
            each.start()
        for each in racing:
            each.join()
        assert len(done) == 3
        [view] = [each for each in done if isinstance(each, views.View)]
        assert kept(any_database) == {view.list_id: None}
        any_database.write(
            lambda c, view=view, later=later: views.remove(c, view, later - RELEASED_MS - 2)
        )


def test_the_last_two_views_of_a_list_may_go_at_once(any_database, mai):
    for _ in range(10):
        made = [create(any_database, mai) for _ in range(2)]

        def remove(view):
            any_database.write(lambda c: views.remove(c, views.lock(c, view.id, mai, None), NOW))

        racing = [threading.Thread(target=remove, args=(view,)) for view in made]
        for each in racing:
            each.start()
        for each in racing:
            each.join()
        assert kept(any_database) == {made[0].list_id: NOW + RELEASED_MS}


def test_addresses_of_disabled_admins_are_not_proposed(any_database, mai):
    new_admin(any_database, "Bob")
    any_database.write(lambda c: admins.disable(c, mai, NOW))
    with any_database.read() as connection:
        assert conditions.addresses(connection) == ["bob@desk.example"]


def test_the_tags_that_there_are_are_proposed_the_most_frequent_first(any_database, clock):
    shop = Shop(any_database, clock)
    for name, tags in (("a", ["vip", "đổi"]), ("b", ["refund", "vip"]), ("c", ["gone"])):
        shop.does("thread.tags", 0, thread=name, add=tags)
    shop.does("thread.tags", 1, thread="c", remove=["gone"])
    with any_database.read() as connection:
        assert conditions.tags(connection, None) == ["vip", "refund", "đổi"]
        assert conditions.tags(connection, frozenset({"main"})) == ["vip", "refund", "đổi"]
        assert conditions.tags(connection, frozenset({"billing"})) == []
        assert conditions.BY_FIELD["tag"] is conditions.tags


def test_a_view_more_does_not_read_the_queries_of_all_others_again(any_database, mai, monkeypatch):
    """Events wait for that. A query is read again if its address now belongs to another person."""
    bob = new_admin(any_database, "Bob")
    create(any_database, mai, draft(mai, "is:open"))
    named = create(any_database, mai, draft(mai, "assigned:bob@desk.example"))
    made = []
    make = query_lists._made_of
    monkeypatch.setattr(
        query_lists,
        "_made_of",
        lambda c, row, orders: made.append(row.query) or make(c, row, orders),
    )

    def ids() -> set[str]:
        with any_database.read() as connection:
            return set(query_lists.current(connection).lists)

    assert named.list_id in ids()
    made.clear()
    create(any_database, mai, draft(mai, "is:closed"))
    assert len(ids()) == 3 and made == ["is:closed"]
    any_database.write(
        lambda c: c.exec_driver_sql(f"UPDATE admins SET email = 'b@desk.example' WHERE id = {bob}")
    )
    create(any_database, mai, draft(mai, "is:waiting"))
    made.clear()
    assert named.list_id not in ids()
    assert sorted(made) == ["assigned:bob@desk.example", "is:waiting"]


def test_threads_are_counted_by_slices_of_ids(shop, monkeypatch):
    for number in range(7):
        shop.says(number, thread=f"t-{number}", customer=f"c-{number}")
    shop.does("thread.close", 9, thread="t-3")
    for name in ("SIZE", "SIZE_MIN", "SIZE_MAX"):
        monkeypatch.setattr(id_ranges, name, 2)
    with shop.database.read() as connection:
        for query, total in {"is:open lang:none": 6, "lang:vi,en": 0, "": 7}.items():
            listed = ListedQuery(query, "longest_wait", "UTC")
            query_list = query_lists.list_of(connection, listed)
            whole = entries.entries(connection, query_list, NOW, 10)
            found = entries.look_through(connection, query_list, NOW, 3, lambda: False)
            assert (found.total, found.entries) == (total, whole[:3])
            for rank, entry in enumerate(whole):
                after = entry.score, entry.id
                rest = entries.listed(connection, query_list, NOW, 3, after)
                assert rest == (whole[rank + 1 :][:3], total)
                assert entries.rank(connection, query_list, NOW, entry.id) == rank
            assert entries.rank(connection, query_list, NOW, 99) is None
            rows = entries.between(connection, query_list, NOW, 0, 100, 10)
            assert len(rows) == total


def test_others_are_served_between_two_slices(shop, monkeypatch):
    """A preview lets others be served in between, and not once more at its end."""
    for number in range(7):
        shop.says(number, thread=f"t-{number}", customer=f"c-{number}")
    for name in ("SIZE", "SIZE_MIN", "SIZE_MAX"):
        monkeypatch.setattr(id_ranges, name, 2)
    served = []
    monkeypatch.setattr(entries.turns, "give", lambda: served.append(True))
    with shop.database.read() as connection:
        listed = ListedQuery("is:open", "arrival", "UTC")
        query_list = query_lists.list_of(connection, listed)
        entries.look_through(connection, query_list, NOW, 3, lambda: False)
    assert len(served) == 3


def test_moments_are_brought_forward_in_the_order_of_ids(any_database):
    """As all writes lock threads: otherwise two of them wait for each other."""
    given = []
    changes = [entries.Change(id, NOW) for id in (3, 1, 2)]

    def see(connection, cursor, statement, parameters, *more) -> None:
        if statement.startswith("UPDATE threads"):
            given.extend(parameters)

    event.listen(any_database.engine, "before_cursor_execute", see)
    any_database.write(lambda connection: entries.bring_forward(connection, changes))
    ids = [one["thread"] if isinstance(one, dict) else one[1] for one in given]
    assert ids == [1, 2, 3]
