"""Lists of queries over sockets: opened, built, followed, kept, and ended."""

import pytest

from dashboard.db.accounts import admin_desks
from dashboard.db.lists import allowances, sorts, views
from dashboard.db.lists.allowances import Allowance, Most
from dashboard.db.lists.views import Draft
from dashboard.errors import NotFound, Problem
from dashboard.ingest.actions import Admin
from dashboard.live import live_lists as live_lists_module
from dashboard.ordering import list_keeper
from dashboard.rate_limits import NEW_LISTS
from dashboard.transport.caller import Caller
from scoring.sorting.rules import Rule, Sort
from tests.dashboard.live.emitter import Wire
from tests.dashboard.live.queries.scene import Scene
from tests.scoring.conditions.costly import wide_query
from tests.support import wait_until

WAITING = {"query": "is:waiting", "sort": "longest_wait"}


@pytest.fixture
def scene(database):
    return Scene(database)


def test_an_unsaved_query_is_opened_as_a_list_and_followed(scene):
    opened = scene.open(**WAITING)
    assert [row["id"] for row in opened["rows"]] == opened["ids"] == [1, 2, 3]
    assert (opened["total"], opened["version"] > 0) == (3, True)
    assert scene.frames() == []
    scene.order.post("d")
    [frame] = scene.frames()
    named = {name: frame[name] for name in ("query", "sort", "filter")}
    assert named == WAITING | {"filter": "all"} and "view" not in frame
    assert ([id for id, _ in frame["set"]], frame["total"]) == ([4], 4)
    assert frame["from"] == opened["version"]
    assert list(frame["rows"]) == ["4"]
    more = scene.call("more", **WAITING, after=[opened["scores"][0], 1], limit=10)
    assert more["ids"] == [2, 3, 4]
    [list_id] = scene.lists()
    assert [id for id, _ in scene.in_sql(list_id)] == [1, 2, 3, 4]
    known = {"epoch": opened["epoch"], "version": opened["version"]}
    synced = scene.call("sync", **WAITING, **known)
    assert (synced["resync"], synced["query"]) == (False, "is:waiting")


def test_what_asks_the_same_is_one_list_under_the_names_that_were_given(scene):
    other = {"query": "is:waiting  is:waiting", "sort": "longest_wait"}
    scene.open(**WAITING)
    scene.open(**other)
    assert len(scene.lists()) == 1
    scene.order.post("d")
    assert sorted(frame["query"] for frame in scene.frames()) == [*sorted(
        [WAITING["query"], other["query"]]
    )]  # fmt: skip


def test_a_list_that_takes_longer_says_so_and_a_frame_tells_when_it_is_there(scene, monkeypatch):
    """First `building`, and at the end a frame. (docs/protocol.md)"""
    monkeypatch.setattr(live_lists_module, "WAIT_SECONDS", 0.01)
    monkeypatch.setattr(scene.order.services.list_builder, "_build", lambda list_id: None)
    answer = scene.call("open", **WAITING, limit=10)
    assert answer == {"ok": True, "building": True, "progress": 0.0}
    assert scene.frames() == []
    scene.order.tick()
    [frame] = scene.frames()
    assert (frame["query"], frame["set"]) == ("is:waiting", [])
    assert frame["from"] == frame["version"] and frame["epoch"]
    assert scene.call("open", **WAITING, limit=10)["ids"] == [1, 2, 3]


@pytest.mark.parametrize(
    ("given", "ids"),
    [
        ({"view": "arrival", "filter": "mine"}, []),
        ({"query": "assigned:me"}, []),
        ({"query": "is:open", "filter": "unassigned"}, [1, 2, 3, 4]),
        ({"query": "is:open", "filter": "mine"}, []),
    ],
)
def test_a_filter_narrows_any_view_by_one_more_condition(scene, given, ids):
    assert sorted(scene.open(**given, sort="arrival")["ids"]) == ids


def test_a_view_with_a_filter_is_there_while_somebody_looks_and_counted_always(scene):
    """Redis keeps only the number of unassigned threads until somebody opens their list."""
    order, unassigned = scene.order, {"view": "arrival", "sort": "priority", "filter": "unassigned"}

    def counted():
        return order.ranking.states(["arrival"], {})["arrival"].assigned

    assert (counted(), scene.lists()) == ({0: 4}, {})
    opened = scene.open(**unassigned)
    [list_id] = scene.lists()
    order.ingest.act(order.services.actions.claim, Admin(scene.mai, "Mai"), 1)
    [frame] = scene.frames()
    assert {name: frame[name] for name in unassigned} == unassigned
    assert (frame["from"], frame["set"], frame["del"]) == (opened["version"], [], [1])
    assert counted() == {0: 3, scene.mai: 1} and frame["total"] == 3
    scene.call("close", **unassigned)
    order.clock.advance(81_000)
    scene.worker.live_lists.renew()
    order.tick()
    assert scene.lists() == {} and not order.client.keys(f"*{list_id}*")
    assert counted() == {0: 3, scene.mai: 1}


def test_a_mistake_is_told_at_its_place(scene):
    with pytest.raises(Problem) as raised:
        scene.call("open", query="is:open refund", sort="arrival", limit=1)
    problem = raised.value.body()
    assert (problem["code"], problem["status"]) == ("invalid_query", 422)
    assert (problem["pointer"], problem["at"]) == ("/query", 8)
    assert "member:" in problem["expected"]
    for wrong in ({"query": "", "view": "arrival"}, {}, {"query": "", "timezone": "Mars"}):
        with pytest.raises(Problem):
            scene.call("open", **wrong, sort="arrival", limit=1)
    with pytest.raises(NotFound):
        scene.call("open", view="v99", sort="arrival", limit=1)
    with pytest.raises(Problem):
        scene.call("open", query="", sort="no_such_sort", limit=1)
    assert scene.lists() == {}


def test_a_list_is_kept_while_somebody_looks_and_goes_a_minute_later(scene):
    scene.open(**WAITING)
    for _ in range(10):
        scene.order.clock.advance(20_000)
        scene.worker.live_lists.renew()
        scene.order.tick()
        assert len(scene.lists()) == 1
    scene.call("close", **WAITING)
    scene.order.clock.advance(59_000)
    scene.worker.live_lists.renew()
    scene.order.tick()
    assert len(scene.lists()) == 1
    scene.order.clock.advance(list_keeper.RENEWED_MS + 1_001)
    scene.order.tick()
    assert scene.lists() == {}
    assert not [key for key in scene.order.client.keys("*") if b"q:" in key]


def test_renewing_writes_only_when_it_is_time(scene, monkeypatch):
    scene.open(**WAITING)
    writes = []
    write = scene.order.database.write
    monkeypatch.setattr(
        scene.order.database, "write", lambda work, **how: writes.append(work) or write(work, **how)
    )
    for _ in range(4):
        scene.order.clock.advance(5_000)
        scene.worker.live_lists.renew()
    assert writes == []
    scene.order.clock.advance(1)
    scene.worker.live_lists.renew()
    scene.worker.live_lists.renew()
    assert len(writes) == 1


def test_a_view_that_is_changed_on_screens_is_opened_anew_as_what_it_is_now(scene):
    view = scene.save("is:waiting")
    named = {"view": view.public_id, "sort": "longest_wait"}
    assert scene.open(**named)["ids"] == [1, 2, 3]
    scene.order.database.write(
        lambda connection: views.change(
            connection, view, Draft("b", "is:open", "longest_wait", "UTC", None), scene.mai, 5
        )
    )
    scene.worker.live_lists.views_changed(None)
    [frame] = wait_until(scene.frames, what="the frame when the new list is there")
    assert (frame["view"], frame["set"], frame["total"]) == (view.public_id, [], 4)
    assert sorted(scene.open(**named)["ids"]) == [1, 2, 3, 4]
    scene.order.post("a")
    assert [frame["view"] for frame in scene.frames()] == [view.public_id]


def change_to_all_open(scene, view):
    draft = Draft("b", "is:open", "longest_wait", "UTC", None)
    scene.order.database.write(
        lambda connection: views.change(connection, view, draft, scene.mai, 5)
    )


def test_a_changed_view_that_a_page_opens_before_it_is_told_leaves_no_old_list(scene):
    """The old list was kept in Redis, and its frames were sent, until the worker ended."""
    view = scene.save("is:waiting")
    named = {"view": view.public_id, "sort": "longest_wait"}
    scene.open(**named)
    change_to_all_open(scene, view)
    assert sorted(scene.open(**named)["ids"]) == [1, 2, 3, 4]
    scene.worker.live_lists.views_changed(None)
    assert len(list(scene.worker.broadcaster.subscriptions)) == 1
    scene.order.post("a")
    [frame] = scene.frames()
    assert frame["view"] == view.public_id and frame["from"] > 0


def test_a_socket_that_closes_while_its_list_is_found_anew_is_not_subscribed_again(
    scene, monkeypatch
):
    view = scene.save("is:waiting")
    scene.open(view=view.public_id, sort="longest_wait")
    change_to_all_open(scene, view)
    lists, subscriptions = scene.worker.live_lists, scene.worker.broadcaster.subscriptions
    find = lists.find

    def find_slowly(caller, name):
        target = find(caller, name)
        subscriptions.drop(caller.sid)
        return target

    monkeypatch.setattr(lists, "find", find_slowly)
    lists.views_changed(None)
    assert list(subscriptions) == []


def test_an_unsaved_query_in_a_saved_sort_follows_the_rules_of_the_sort(scene):
    """No view has changed, and the list is another one."""

    def change(rules):
        def write(connection):
            views.begin_change(connection)
            before = sorts.known(connection).get("newest")
            sort = Sort("newest", (rules,), "Newest")
            if before is None:
                sorts.create(connection, sort, scene.mai, 5)
            else:
                sorts.change(connection, before, sort, scene.mai, 6)

        scene.order.database.write(write)
        scene.worker.live_lists.views_changed(None)

    change(Rule("", "created_at", "newest"))
    named = {"query": "is:waiting", "sort": "newest"}
    assert scene.open(**named)["ids"] == [3, 2, 1]
    change(Rule("", "created_at", "oldest"))
    [frame] = wait_until(scene.frames, what="the frame when the new list is there")
    assert (frame["query"], frame["set"], frame["total"]) == ("is:waiting", [], 3)
    assert scene.open(**named)["ids"] == [1, 2, 3]


def test_a_view_that_is_deleted_on_screens_says_that_it_is_gone(scene):
    view = scene.save("is:waiting", owner=scene.mai)
    named = {"view": view.public_id, "sort": "longest_wait"}
    scene.open(**named)
    scene.order.database.write(lambda connection: views.remove(connection, view, 5))
    told = []
    scene.worker.network.send = lambda sid, event, data, acknowledged=None: told.append(event)
    scene.worker.live_lists.views_changed(scene.mai + 1)
    assert told == []
    scene.worker.live_lists.views_changed(scene.mai)
    assert told == ["list:gone"]
    assert not [*scene.worker.broadcaster.subscriptions]
    with pytest.raises(NotFound):
        scene.call("open", **named, limit=1)


def test_a_view_that_goes_to_a_desk_out_of_sight_is_gone(scene):
    scene.order.database.write(
        lambda c: [admin_desks.add(c, name, 0) for name in ("billing", "vip")]
    )
    draft = Draft("a view", "is:waiting", "longest_wait", "UTC", None, "main")
    view = scene.order.database.write(lambda c: views.create(c, draft, scene.mai, 5))
    named = {"view": view.public_id, "sort": "longest_wait"}
    scene.worker.network.wires["lan"] = Wire()
    scene.worker.broadcaster.admins.add("lan", scene.mai, frozenset(["main", "vip"]))
    lan = Caller("lan", scene.mai, desks=frozenset(["main", "vip"]))
    scene.open(**named)
    scene.open(caller=lan, **named)
    told = []
    scene.worker.network.send = lambda sid, event, *_: told.append((sid, event))
    for desk, gone in (("vip", []), ("billing", [("lan", "list:gone")])):
        scene.order.database.write(
            lambda c, desk=desk: views.change(
                c, views.lock(c, view.id, scene.mai, None), draft._replace(desk=desk), 1, 5
            )
        )
        scene.worker.live_lists.views_changed(None)
        assert [each for each in told if each[1] == "list:gone"] == gone
    with pytest.raises(NotFound):
        scene.call("open", lan, **named, limit=1)
    assert scene.open(**named)["total"] == 3


def test_while_redis_is_away_lists_of_queries_are_those_of_sql(scene):
    scene.worker.broadcaster.status.read_failed()
    answer = scene.call("open", **WAITING, limit=2)
    assert (answer["late"], answer["epoch"], answer["ids"]) == (True, None, [1, 2])
    assert answer["total"] == 3
    more = scene.call("more", **WAITING, after=[answer["scores"][0], 1], through=3)
    assert (more["ids"], more["rank"], more["late"]) == ([2, 3], 2, True)
    assert scene.lists() == {}


def test_lists_are_limited_for_an_admin_in_all_windows_and_for_all(scene, monkeypatch):
    monkeypatch.setattr(live_lists_module, "LISTS_MAX", 2)
    other = scene.socket("another window")
    for number, caller in ((1, None), (2, other)):
        scene.open(caller, query=f"age:>{number}m", sort="arrival")
    scene.open(other, query="age:>1m", sort="arrival")
    for caller in (None, other):
        with pytest.raises(Problem) as raised:
            scene.call("open", caller, query="age:>3m", sort="arrival", limit=1)
        assert raised.value.status == 429
    scene.call("close", other, query="age:>2m", sort="arrival")
    scene.open(query="age:>3m", sort="arrival")
    monkeypatch.setattr(live_lists_module, "LISTS_MAX", 50)
    monkeypatch.setattr(list_keeper, "TEMPORARY_MAX", 3)
    answer = scene.call("open", scene.socket("other"), query="age:>4m", sort="arrival", limit=1)
    assert (answer["late"], answer["epoch"]) == (True, None)
    monkeypatch.setattr(live_lists_module, "NEW_LISTS", NEW_LISTS._replace(size=1))
    with pytest.raises(Problem) as raised:
        for number in (5, 6):
            scene.call(
                "open", scene.socket("third"), query=f"age:>{number}m", sort="arrival", limit=1
            )
    assert (raised.value.status, raised.value.code) == (429, "rate_limited")


def test_lists_on_screens_are_limited_by_what_they_cost(scene, monkeypatch):
    """A list above the limit is read from SQL, as where there are too many lists."""
    one = scene.socket("one")

    def is_live(text):
        answer = scene.call("open", one, query=text, sort="arrival", limit=1)
        return answer.get("late") is not True

    assert is_live("age:<4m")
    assert not is_live(wide_query(1)), "too many alternatives"
    monkeypatch.setattr(allowances, "LOOKED_AT", Allowance("yours", Most(4, 8, 99)))
    assert is_live("is:open -tag:a")
    assert not is_live("is:open -tag:b") and is_live("tag:b")
    assert not is_live("age:<7m"), "a time that is not asked for yet"
    assert is_live("age:<4m"), "it is asked for already"
    monkeypatch.setattr(allowances, "LOOKED_AT", Allowance("yours", Most(99, 99, 99)))
    monkeypatch.setattr(allowances, "TEMPORARY", Allowance("all", Most(5, 8, 99)))
    assert is_live("tag:d") and not is_live("tag:e is:open")


def test_redis_loses_all_and_the_list_is_opened_anew(scene):
    opened = scene.open(**WAITING)
    scene.order.client.flushall()
    scene.order.tick(2)
    scene.worker.broadcaster.notify(None)
    [frame] = scene.frames()
    assert frame["epoch"] != opened["epoch"] and frame["set"] == []
    assert scene.open(**WAITING)["ids"] == [1, 2, 3]


def test_a_list_of_another_epoch_than_that_of_sql_is_not_shown(scene, monkeypatch):
    """H1: Redis is back with an older dump, and the list is not rebuilt yet."""
    client = scene.order.client
    held = scene.open(**WAITING)["epoch"]
    dump = {key: client.dump(key) for key in client.scan_iter()}
    client.flushall()
    scene.order.tick(2)
    assert scene.open(**WAITING)["epoch"] != held
    client.flushall()
    for key, value in dump.items():
        client.restore(key, 0, value)
    monkeypatch.setattr(live_lists_module, "WAIT_SECONDS", 0.01)
    monkeypatch.setattr(scene.order.services.list_builder, "_build", lambda list_id: None)
    answer = scene.call("open", **WAITING, limit=10)
    assert answer == {"ok": True, "building": True, "progress": 0.0}


def test_the_totals_of_filters_are_asked_for_of_an_open_list(scene):
    filters = scene.worker.live_lists.view_totals.list_totals
    with pytest.raises(NotFound):
        scene.call("totals", **WAITING)
    scene.open(**WAITING)
    scene.call("totals", **WAITING)
    assert filters
    scene.call("totals", view="arrival", sort="arrival")
    assert not filters, "those of built-in views come by themselves"
    scene.call("totals", **WAITING)
    scene.call("close", **WAITING)
    assert not filters
