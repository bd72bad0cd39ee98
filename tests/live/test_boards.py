"""Who follows which list."""

from dashboard.live.boards import STEPS_MAX, Boards
from dashboard.live.calls import ListName

ARRIVAL = ListName("arrival", "arrival", "all")
PRIORITY = ListName("arrival", "priority", "all")


def followed(*versions, list=ARRIVAL, epoch="e"):
    boards = Boards()
    for at, version in enumerate(versions):
        boards.follow("arrival", f"s{at}", list, epoch, version)
    return boards


def shape(boards):
    return [
        (step.since, sorted(follower.sid for follower in step.followers))
        for step in boards.steps("arrival")
    ]


def test_those_in_step_are_read_for_together():
    assert shape(followed(7, 7, 5)) == [(7, ["s0", "s1"]), (5, ["s2"])]


def test_many_laggards_are_read_for_together_from_the_last_of_them():
    boards = followed(*range(100, 0, -1))
    steps = boards.steps("arrival")
    assert len(steps) == STEPS_MAX
    assert steps[0].since == 100
    assert steps[-1].since == 1
    assert sum(len(step.followers) for step in steps) == 100
    assert all(each.version >= step.since for step in steps for each in step.followers)


def test_who_has_not_acknowledged_gets_nothing_and_missed_something():
    boards = followed(7, 7)
    waiting, ready = boards.followers()
    waiting.unacknowledged_since = 1.0
    assert shape(boards) == [(7, [ready.sid])]
    assert waiting.missed and not ready.missed


def test_epochs_are_never_mixed():
    boards = followed(7)
    boards.follow("arrival", "other", ARRIVAL, "f", 7)
    assert sorted(step.epoch for step in boards.steps("arrival")) == ["e", "f"]


def test_opening_anew_keeps_what_is_under_way():
    boards = followed(7)
    [follower] = boards.followers()
    follower.unacknowledged_since = 1.0
    boards.follow("arrival", "s0", ARRIVAL, "f", 9)
    [again] = boards.followers()
    assert again is follower
    assert (again.epoch, again.version, again.unacknowledged_since) == ("f", 9, 1.0)


def test_a_step_names_the_sorts_that_its_followers_show():
    boards = followed(7, 7)
    boards.follow("arrival", "s0", PRIORITY, "e", 7)
    [step] = boards.steps("arrival")
    assert step.sorts() == ["arrival", "priority"]


def test_nothing_is_left_of_a_socket_that_has_gone():
    boards = followed(7)
    boards.follow("history:mine:3", "s0", ListName("history", "arrival", "mine"), "e", 1)
    [first, _] = boards.followers()
    boards.drop("s0")
    assert list(boards) == [] and boards._lists == {} and boards._boards == {}
    assert first.gone


def test_leaving_a_list_that_is_not_followed_does_nothing():
    boards = followed(7)
    boards.leave("s0", PRIORITY)
    boards.leave("stranger", ARRIVAL)
    assert boards.lists_of("s0") == {ARRIVAL: "arrival"}
