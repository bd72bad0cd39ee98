"""Key names are those of docs/protocol.md, and are recognized in notifications."""

import pytest

from scoring.keys import Keys, channel, member, thread_id

keys = Keys("lineup")


def test_names_are_those_of_the_protocol():
    assert keys.sort("arrival", "longest_wait") == "{lineup:arrival}|longest_wait"
    assert keys.sort("not_respond", "arrival") == "{lineup:not_respond}|arrival"
    assert keys.changes("history") == "{lineup:history}|changes"
    assert keys.meta("not_respond") == "{lineup:not_respond}|meta"


def test_members_are_twelve_digits_and_read_back():
    assert member(42) == "000000000042"
    assert thread_id(b"000000000042") == thread_id("000000000042") == 42


@pytest.mark.parametrize("name", [b"", b"42", b"00000000004x", b"0000000000042", "é" * 12, b"\xff"])
def test_a_member_that_is_no_thread_is_none(name):
    assert thread_id(name) is None


@pytest.mark.parametrize("list_id", ["arrival", "history", "not_respond"])
def test_a_tag_is_found_in_its_keys(list_id):
    names = [
        keys.sort(list_id, "arrival"),
        keys.changes(list_id),
        keys.meta(list_id),
        keys.group(list_id).revisions,
    ]
    assert [keys.list_id_of(name) for name in names] == [list_id] * 4


def test_keys_of_others_and_of_a_rebuild_belong_to_no_list_id():
    others = ["{other:arrival}|changes", "{lineup}|canary", "lineup", ""]
    arrival = keys.of("arrival", ["priority"])
    others += [arrival.next, arrival.lease, *arrival.filled]
    assert [keys.list_id_of(name) for name in others] == [None] * len(others)


@pytest.mark.real_redis
def test_each_placing_notifies_on_the_pattern(redis_server):
    client = redis_server.client()
    client.flushall()
    with client.pubsub() as listener:
        listener.psubscribe(keys.changes_pattern())
        listener.subscribe(channel(keys.canary), *keys.loss_channels())
        client.zadd(keys.changes("not_respond"), {member(1): 1})
        client.zadd(keys.canary, {"at": 5})
        client.delete(keys.changes("not_respond"))
        heard = []
        while len(heard) < 4:
            message = listener.get_message(ignore_subscribe_messages=True, timeout=5)
            if message is not None:
                heard.append((message["channel"].decode(), message["data"].decode()))
    changes = keys.changes("not_respond")
    assert set(heard) == {
        (f"__keyspace@0__:{changes}", "zadd"),
        (channel(keys.canary), "zadd"),
        (f"__keyspace@0__:{changes}", "del"),
        ("__keyevent@0__:del", changes),
    }
