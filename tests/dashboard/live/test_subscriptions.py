"""The lists to which each socket is subscribed, and the groups that share a read."""

from dashboard.db.lists.named_lists import ListName
from dashboard.live.subscriptions import READ_GROUPS_MAX, Subscriptions

ARRIVAL = ListName("arrival", "arrival", "all")
PRIORITY = ListName("arrival", "priority", "all")


def subscribed(*versions, list=ARRIVAL, epoch="e"):
    subscriptions = Subscriptions()
    for at, version in enumerate(versions):
        subscriptions.subscribe("arrival", f"s{at}", list, epoch, version)
    return subscriptions


def shape(subscriptions):
    return [
        (group.since, sorted(subscriber.sid for subscriber in group.subscribers))
        for group in subscriptions.read_groups("arrival")
    ]


def test_subscribers_of_one_version_share_a_read():
    assert shape(subscribed(7, 7, 5)) == [(7, ["s0", "s1"]), (5, ["s2"])]


def test_many_versions_share_the_last_read_from_the_oldest_of_them():
    subscriptions = subscribed(*range(100, 0, -1))
    groups = subscriptions.read_groups("arrival")
    assert len(groups) == READ_GROUPS_MAX
    assert groups[0].since == 100
    assert groups[-1].since == 1
    assert sum(len(group.subscribers) for group in groups) == 100
    assert all(each.version >= group.since for group in groups for each in group.subscribers)


def test_an_unacknowledged_subscriber_is_not_read_for_and_has_missed_something():
    subscriptions = subscribed(7, 7)
    waiting, ready = subscriptions.subscribers()
    waiting.unacknowledged_since = 1.0
    assert shape(subscriptions) == [(7, [ready.sid])]
    assert waiting.missed and not ready.missed


def test_epochs_are_never_mixed():
    subscriptions = subscribed(7)
    subscriptions.subscribe("arrival", "other", ARRIVAL, "f", 7)
    assert sorted(group.epoch for group in subscriptions.read_groups("arrival")) == ["e", "f"]


def test_opening_again_keeps_the_unacknowledged_frame():
    subscriptions = subscribed(7)
    [subscriber] = subscriptions.subscribers()
    subscriber.unacknowledged_since = 1.0
    subscriptions.subscribe("arrival", "s0", ARRIVAL, "f", 9)
    [again] = subscriptions.subscribers()
    assert again is subscriber
    assert (again.epoch, again.version, again.unacknowledged_since) == ("f", 9, 1.0)


def test_a_step_names_the_sorts_that_its_followers_show():
    subscriptions = subscribed(7, 7)
    subscriptions.subscribe("arrival", "s0", PRIORITY, "e", 7)
    [group] = subscriptions.read_groups("arrival")
    assert group.sorts() == ["arrival", "priority"]


def test_nothing_is_kept_for_a_closed_socket():
    subscriptions = subscribed(7)
    subscriptions.subscribe("q:1:arrival", "s0", ListName("history", "arrival", "mine"), "e", 1)
    [first, _] = subscriptions.subscribers()
    subscriptions.drop("s0")
    assert (
        list(subscriptions) == []
        and subscriptions._lists == {}
        and subscriptions._subscriptions == {}
    )
    assert first.is_unsubscribed


def test_unsubscribing_from_another_list_does_nothing():
    subscriptions = subscribed(7)
    subscriptions.unsubscribe("s0", PRIORITY)
    subscriptions.unsubscribe("unknown", ARRIVAL)
    assert subscriptions.lists_of("s0") == {ARRIVAL: "arrival"}


def test_a_name_that_means_another_list_now_leaves_nothing_on_the_old_one():
    """Otherwise frames of both lists came, and the old list was kept for ever."""
    subscriptions, name = Subscriptions(), ListName("v17", "arrival", "all")
    subscriptions.subscribe("q:old", "s", name, "e", 1)
    subscriptions.subscribe("q:new", "s", name, "f", 1)
    assert list(subscriptions) == ["q:new"]
    assert subscriptions.lists_of("s") == {name: "q:new"}
    subscriptions.drop("s")
    assert list(subscriptions) == []
