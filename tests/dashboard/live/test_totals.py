"""Totals are sent to their subscribers when they change."""

import pytest

from dashboard.live.totals import ALL_THREADS, Totals, scope_of
from scoring.reading import State
from scoring.views import VIEWS
from tests.dashboard.live.emitter import FakeEmitter


@pytest.fixture
def emitter():
    return FakeEmitter()


@pytest.fixture
def totals(emitter):
    return Totals(emitter)


def numbers(*counts, **assigned):
    """The states of the views with these totals; `a1=2`: two threads are assigned to admin 1."""
    of_admins = {int(name[1:]): count for name, count in assigned.items()}
    states = [State("e", 1, total, assigned=of_admins) for total in counts]
    return dict(zip(VIEWS, states, strict=True))


def test_a_new_socket_gets_the_totals_and_then_only_changes(totals, emitter):
    totals.subscribe("a", ALL_THREADS)
    assert totals.list_ids_to_read([]) == {"arrival", "not_respond", "history"}
    totals.announce(numbers(3, 2, 1))
    expected = {"filter": "all", "arrival": 3, "not_respond": 2, "history": 1}
    assert emitter.take("pages:totals") == [expected]
    totals.announce(numbers(3, 2, 1))
    assert emitter.take("pages:totals") == []
    totals.announce(numbers(3, 1, 1))
    assert emitter.take("pages:totals") == [expected | {"not_respond": 1}]


def test_a_second_socket_does_not_send_the_totals_to_the_first_again(totals, emitter):
    for sid in ("a", "b"):
        totals.subscribe(sid, ALL_THREADS)
        totals.announce(numbers(3, 2, 1))
    assert [sid for sid, _, _ in emitter.sent] == ["a", "b"]


def test_a_socket_that_asks_for_versions_gets_them_at_once_and_with_each_change(totals, emitter):
    for sid in ("a", "b"):
        totals.subscribe(sid, ALL_THREADS)
    totals.announce(numbers(3, 2, 1))
    emitter.sent.clear()
    totals.send_versions("b")
    expected = {"filter": "all", "arrival": 3, "not_respond": 2, "history": 1}
    versions = {"as_of": dict.fromkeys(VIEWS, 1)}
    assert emitter.sent == [("b", "pages:totals", expected | versions)]
    emitter.sent.clear()
    totals.announce(numbers(4, 2, 1))
    assert emitter.take("pages:totals", "a") == [expected | {"arrival": 4}]
    assert emitter.take("pages:totals", "b") == [expected | {"arrival": 4} | versions]


def test_a_new_socket_gets_no_totals_of_sockets_that_have_left(totals, emitter):
    """It waits for the next read, as without versions: the numbers may be hours old."""
    totals.subscribe("a", ALL_THREADS)
    totals.announce(numbers(3, 2, 1))
    totals.drop("a")
    emitter.sent.clear()
    totals.subscribe("b", ALL_THREADS)
    totals.send_versions("b")
    assert emitter.sent == []
    totals.announce(numbers(5, 2, 1))
    [sent] = emitter.take("pages:totals", "b")
    assert (sent["arrival"], sent["as_of"]) == (5, dict.fromkeys(VIEWS, 1))


def test_a_socket_that_subscribes_and_asks_for_versions_gets_its_totals_once(totals, emitter):
    totals.subscribe("a", ALL_THREADS)
    totals.announce(numbers(3, 2, 1))
    totals.subscribe("b", ALL_THREADS)
    totals.send_versions("b")
    totals.announce(numbers(3, 2, 1))
    assert len(emitter.take("pages:totals", "b")) == 1


def test_totals_of_mine_are_sent_to_their_admin_alone(totals, emitter):
    mai, bob = scope_of("mine", 1), scope_of("mine", 2)
    totals.subscribe("a", mai)
    totals.subscribe("b", bob)
    totals.announce(numbers(4, 4, 4, a0=1, a1=1, a2=2))
    assert emitter.take("pages:totals", "a")[0]["arrival"] == 1
    assert emitter.take("pages:totals", "b")[0]["arrival"] == 2


def test_a_change_of_one_view_reads_all_of_them(totals):
    totals.subscribe("a", scope_of("mine", 1))
    totals.announce(numbers(0, 0, 0))
    assert totals.list_ids_to_read(["history", "q:1:arrival"]) == set(VIEWS)
    assert totals.list_ids_to_read(["q:1:arrival"]) == set()


def test_who_has_none_of_the_threads_is_told_so(totals, emitter):
    totals.subscribe("a", scope_of("mine", 1))
    totals.subscribe("b", scope_of("unassigned", 2))
    totals.announce(numbers(4, 2, 1, a7=1))
    nothing = {"arrival": 0, "not_respond": 0, "history": 0}
    assert emitter.take("pages:totals", "a") == [{"filter": "mine"} | nothing]
    assert emitter.take("pages:totals", "b") == [{"filter": "unassigned"} | nothing]
    totals.announce(numbers(4, 2, 1, a0=3, a7=1))
    assert emitter.take("pages:totals", "a") == []
    assert emitter.take("pages:totals", "b")[0]["arrival"] == 3


def test_a_new_socket_waits_until_the_totals_can_be_read(totals, emitter):
    totals.subscribe("a", ALL_THREADS)
    totals.announce({})
    totals.announce(numbers(0, 0, 0))
    assert len(emitter.take("pages:totals")) == 1


def test_nothing_is_kept_for_a_closed_socket(totals):
    for scope in (ALL_THREADS, scope_of("mine", 1), scope_of("unassigned", 1)):
        totals.subscribe("a", scope)
    totals.announce({})
    totals.announce(numbers(3, 2, 1))
    totals.drop("a")
    assert totals._subscribers == {ALL_THREADS: set()}
    assert not totals._new and not totals._announced
    assert not totals._encoded and not totals._with_versions


def test_nothing_that_was_put_off_is_kept_for_a_closed_socket(emitter):
    totals = Totals(emitter, views_of=lambda sid: ["history"])
    totals.subscribe("a", scope_of("unassigned", 1))
    for count in (1, 2):
        totals.announce(with_unassigned(arrival=count))
    assert totals._put_off
    totals.drop("a")
    assert not totals._put_off


def with_unassigned(**counts):
    """The states of the views with so many unassigned threads in each."""
    return {view: State("e", 1, 9, assigned={0: counts.get(view, 0)}) for view in VIEWS}


def test_totals_of_views_that_a_socket_does_not_show_are_put_off(emitter):
    totals = Totals(emitter, views_of={"a": ["arrival"], "b": ["not_respond", None]}.get)
    for sid in ("a", "b"):
        totals.subscribe(sid, scope_of("unassigned", 1))
    totals.announce(with_unassigned(arrival=1, not_respond=1))
    emitter.sent.clear()
    for count in (2, 3, 1):
        totals.announce(with_unassigned(arrival=1, not_respond=count))
    assert emitter.take("pages:totals", "a") == []
    sent = [each["not_respond"] for each in emitter.take("pages:totals", "b")]
    assert sent == [2, 3, 1], "a list that shrinks is told as one that grows"
    totals.send_put_off()
    assert [each["not_respond"] for each in emitter.take("pages:totals", "a")] == [1]
    totals.send_put_off()
    assert emitter.sent == []


def test_what_was_put_off_goes_out_with_a_change_that_is_shown(emitter):
    totals = Totals(emitter, views_of=lambda sid: ["arrival"])
    totals.subscribe("a", scope_of("unassigned", 1))
    totals.announce(with_unassigned(arrival=1))
    emitter.sent.clear()
    totals.announce(with_unassigned(arrival=1, history=1))
    totals.announce(with_unassigned(arrival=2, history=1))
    [sent] = emitter.take("pages:totals")
    assert (sent["arrival"], sent["history"]) == (2, 1)
    totals.send_put_off()
    assert emitter.sent == []


def test_what_a_busy_socket_is_owed_is_not_put_off_as_well(emitter):
    busy = {"a"}
    totals = Totals(emitter, busy.__contains__, lambda sid: ["arrival"])
    totals.subscribe("a", scope_of("unassigned", 1))
    totals.announce(with_unassigned(arrival=1))
    totals.announce(with_unassigned(arrival=1, history=1))
    busy.clear()
    totals.send_put_off()
    assert [each["history"] for each in emitter.take("pages:totals")] == [1]
    totals.send_put_off()
    assert emitter.sent == []


def test_totals_of_all_threads_are_never_put_off(emitter):
    totals = Totals(emitter, views_of=lambda sid: [])
    totals.subscribe("a", ALL_THREADS)
    totals.announce(numbers(1, 1, 1))
    totals.announce(numbers(1, 2, 1))
    assert len(emitter.take("pages:totals")) == 2


def test_a_busy_socket_gets_the_last_totals_once_it_is_not(emitter):
    busy = {"a"}
    totals = Totals(emitter, busy.__contains__)
    for sid in ("a", "b"):
        totals.subscribe(sid, ALL_THREADS)
    for count in (3, 4, 5):
        totals.announce(numbers(count, 2, 1))
    assert emitter.take("pages:totals", "a") == []
    assert [each["arrival"] for each in emitter.take("pages:totals", "b")] == [3, 4, 5]
    busy.clear()
    totals.announce({})
    assert [each["arrival"] for each in emitter.take("pages:totals", "a")] == [5]
    totals.settle("a")
    assert emitter.take("pages:totals", "a") == []


def test_a_socket_that_has_left_is_owed_nothing(emitter):
    totals = Totals(emitter, lambda sid: True)
    totals.subscribe("a", ALL_THREADS)
    totals.announce(numbers(3, 2, 1))
    totals.drop("a")
    totals.settle("a")
    assert emitter.sent == []
