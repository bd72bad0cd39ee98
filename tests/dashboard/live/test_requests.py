"""Every part of a browser's request is checked."""

import pytest

from dashboard.errors import Invalid
from dashboard.live.requests import (
    ListMoreRequest,
    ListName,
    ListOpenRequest,
    ListSyncRequest,
    WatchThreadsRequest,
)
from dashboard.validation.field_errors import read_call

OPEN = {"view": "arrival", "sort": "priority", "limit": 50}


def codes(model, *given):
    with pytest.raises(Invalid) as raised:
        read_call(model, given)
    return {(error.pointer, error.code) for error in raised.value.errors}


def test_a_call_without_a_filter_is_of_all():
    assert read_call(ListOpenRequest, (OPEN,)).list_of(None) == ListName(
        "arrival", "priority", "all"
    )


def test_a_list_with_a_filter_is_not_always_there():
    assert read_call(ListOpenRequest, (OPEN,)).list_of(None).standing_id == "arrival"
    for filter in ("unassigned", "mine"):
        list = read_call(ListOpenRequest, (OPEN | {"filter": filter},)).list_of(None)
        assert list.indexed_view == "arrival" and list.standing_id is None


@pytest.mark.parametrize("given", [(), ({}, {}), ([],), ("x",), (None,), (5,)], ids=repr)
def test_a_call_takes_one_object(given):
    assert codes(ListOpenRequest, *given) == {("", "wrong_type")}


def test_all_wrong_fields_are_answered_at_once():
    given = {"view": "inbox", "sort": 5, "x": 1}
    assert codes(ListOpenRequest, given) == {
        ("/view", "unknown_value"),
        ("/sort", "wrong_type"),
        ("/limit", "missing_field"),
        ("/x", "unknown_field"),
    }


@pytest.mark.parametrize(
    ("limit", "code"),
    [
        (0, "number_out_of_range"),
        (501, "number_out_of_range"),
        (2**70, "number_out_of_range"),
        (True, "wrong_type"),
        (1.0, "wrong_type"),
        ("5", "wrong_type"),
        (float("nan"), "wrong_type"),
        (None, "missing_field"),
    ],
)
def test_a_limit_is_a_whole_number_in_its_range(limit, code):
    assert codes(ListOpenRequest, OPEN | {"limit": limit}) == {("/limit", code)}


def test_a_place_is_a_score_and_an_id():
    more = {"view": "arrival", "sort": "priority", "after": [2**52, 7], "limit": 9}
    assert read_call(ListMoreRequest, (more,)).after == (2**52, 7)
    assert codes(ListMoreRequest, more | {"after": [1]}) == {("/after", "wrong_type")}
    assert codes(ListMoreRequest, more | {"after": ["1", 2]}) == {("/after/0", "wrong_type")}
    assert codes(ListMoreRequest, more | {"after": [-1, 2]}) == {
        ("/after/0", "number_out_of_range")
    }


def test_at_most_500_rows_are_watched_in_a_call():
    ids = list(range(1, 501))
    assert read_call(WatchThreadsRequest, ({"add": ids},)).add == ids
    assert codes(WatchThreadsRequest, {"add": [*ids, 501]}) == {("/add", "too_long")}
    assert codes(WatchThreadsRequest, {"del": [1, "2"]}) == {("/del/1", "wrong_type")}


def test_hostile_names_are_cut_and_stay_text():
    found = codes(ListSyncRequest, {"__proto__": 1, "\ud800" + "x" * 5000: 1})
    assert ("/__proto__", "unknown_field") in found
    assert all(len(pointer) <= 62 and pointer.encode() for pointer, _ in found)
