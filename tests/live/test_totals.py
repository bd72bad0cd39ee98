"""Totals are told to those who listen, when they change."""

import pytest

from dashboard.live.totals import EVERYBODY, Totals, scope_of
from tests.live.outlet import FakeOutlet


@pytest.fixture
def outlet():
    return FakeOutlet()


@pytest.fixture
def totals(outlet):
    return Totals(outlet)


def numbers(scope, *counts):
    return dict(zip(scope.tags().values(), counts, strict=True))


def test_a_new_socket_is_told_at_once_and_then_only_of_changes(totals, outlet):
    totals.greet("a", EVERYBODY)
    assert totals.wanted([]) == {"arrival", "not_respond", "history"}
    totals.tell(numbers(EVERYBODY, 3, 2, 1))
    told = {"filter": "all", "arrival": 3, "not_respond": 2, "history": 1}
    assert outlet.take("pages:totals") == [told]
    totals.tell(numbers(EVERYBODY, 3, 2, 1))
    assert outlet.take("pages:totals") == []
    totals.tell(numbers(EVERYBODY, 3, 1, 1))
    assert outlet.take("pages:totals") == [told | {"not_respond": 1}]


def test_the_second_socket_is_greeted_alone(totals, outlet):
    for sid in ("a", "b"):
        totals.greet(sid, EVERYBODY)
        totals.tell(numbers(EVERYBODY, 3, 2, 1))
    assert [sid for sid, _, _ in outlet.sent] == ["a", "b"]


def test_mine_goes_to_its_admin_alone(totals, outlet):
    mai, bob = scope_of("mine", 1), scope_of("mine", 2)
    totals.greet("a", mai)
    totals.greet("b", bob)
    totals.tell(numbers(mai, 1, 1, 1) | numbers(bob, 2, 2, 2))
    assert outlet.take("pages:totals", "a")[0]["arrival"] == 1
    assert outlet.take("pages:totals", "b")[0]["arrival"] == 2


def test_a_change_of_one_page_reads_the_whole_filter(totals):
    totals.greet("a", scope_of("mine", 1))
    totals.tell({})
    wanted = totals.wanted(["history:mine:1", "arrival:mine:9"])
    assert wanted == {"arrival:mine:1", "not_respond:mine:1", "history:mine:1"}


def test_greetings_wait_until_the_numbers_can_be_read(totals, outlet):
    totals.greet("a", EVERYBODY)
    totals.tell({})
    totals.tell(numbers(EVERYBODY, 0, 0, 0))
    assert len(outlet.take("pages:totals")) == 1


def test_nothing_is_left_of_a_socket_that_has_gone(totals):
    for scope in (EVERYBODY, scope_of("mine", 1), scope_of("unassigned", 1)):
        totals.greet("a", scope)
    totals.tell({})
    totals.drop("a")
    assert totals._listeners == {EVERYBODY: set()}
    assert not totals._greeted and not totals._told
    assert set(totals.tags) <= set(EVERYBODY.tags().values())
