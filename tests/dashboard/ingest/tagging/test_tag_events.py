"""Events of chatbots change the tags of threads: the last writer of each tag wins."""

from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from dashboard.db import migrate
from dashboard.db.models.threads import events, threads
from dashboard.db.threads import conversations
from tests.dashboard.ingest.shop import START_MS, Shop, message, thread_event
from tests.support import SettableClock, examples

_shops = count(1)
TWENTY = [f"t{number:02}" for number in range(20)]


def tags(shop: Shop, at: int, add=(), remove=(), **given):
    return thread_event("thread.tags", at, add=[*add], remove=[*remove], **given)


def said(shop: Shop, thread: int) -> list[tuple[int, dict]]:
    """When tags were changed, and what was added and removed."""
    with shop.database.read() as connection:
        found = [act.to_json() for act in conversations.acts_after(connection, thread, 0)]
    assert all(act["by"] is None for act in found)
    changes = [act for act in found if act["type"] == "thread.tags_changed"]
    return [
        (act["at"] - START_MS, {key: act[key] for key in ("added", "removed") if key in act})
        for act in changes
    ]


def test_a_row_has_the_tags_in_order_and_an_act_says_what_changed(shop):
    thread = shop.says(0).thread_id
    before = shop.row()
    assert before["tags"] == []
    shop.does("thread.tags", 10, add=["vip", "đổi-trả"])
    assert shop.row()["tags"] == ["vip", "đổi-trả"]
    assert shop.row()["rev"] == before["rev"] + 1
    shop.does("thread.tags", 20, add=["vip", "refund"], remove=["đổi-trả", "never-there"])
    assert shop.row()["tags"] == ["refund", "vip"]
    shop.does("thread.tags", 30, add=["vip"], remove=["đổi-trả"])
    assert shop.row()["rev"] == before["rev"] + 2, "nothing has changed"
    shop.does("thread.tags", 40, remove=["vip", "refund"])
    assert shop.row()["tags"] == []
    assert said(shop, thread) == [
        (10, {"added": ["vip", "đổi-trả"]}),
        (20, {"added": ["refund"], "removed": ["đổi-trả"]}),
        (40, {"removed": ["refund", "vip"]}),
    ]
    with shop.database.read() as connection:
        assert connection.scalar(select(threads.c.tags)) is None


def test_tags_that_a_thread_has_from_its_beginning_were_not_changed(shop):
    thread = shop.does("thread.tags", 0, add=["vip"]).thread_id
    assert shop.row()["tags"] == ["vip"]
    assert said(shop, thread) == []


def test_one_batch_is_one_act_of_what_was_changed_in_all(shop):
    thread = shop.says(0).thread_id
    shop.send(tags(shop, 3, ["a"]), message(4), tags(shop, 2, ["b"], ["a"]), tags(shop, 5, (), "b"))
    assert shop.row()["tags"] == ["a"]
    assert [change for _, change in said(shop, thread)] == [{"added": ["a"]}]


def test_what_comes_late_changes_the_tags_that_nobody_has_written_since(shop):
    shop.says(0)
    shop.does("thread.tags", 20, remove=["a"], add=["b"])
    shop.does("thread.tags", 10, add=["a", "c"], remove=["b"])
    assert shop.row()["tags"] == ["b", "c"]
    shop.does("thread.tags", 20, id="0", add=["a"])
    assert shop.row()["tags"] == ["b", "c"], "of equal times the greater id wins"
    shop.does("thread.tags", 20, id="x", add=["a"])
    assert shop.row()["tags"] == ["a", "b", "c"]


def test_a_senders_fast_clock_wins_no_more_than_the_time_of_receipt(shop, clock):
    shop.does("thread.tags", clock.now_ms - START_MS + 60_000, add=["a"])
    clock.advance(1_000)
    shop.does("thread.tags", clock.now_ms - START_MS, remove=["a"])
    assert shop.row()["tags"] == []


def test_a_twenty_first_tag_is_refused_and_the_rest_of_the_batch_is_stored(shop):
    shop.does("thread.tags", 0, add=TWENTY)
    events_before, rev = shop.count(events), shop.row()["rev"]
    too_many = tags(shop, 10, ["new"], id="one-more")
    result = shop.send(too_many, too_many, tags(shop, 11, ["t01"]), message(12))
    assert [each.status for each in result.outcomes] == [
        "rejected",
        "rejected",
        "created",
        "created",
    ]
    [error] = result.outcomes[0].problem.errors
    assert (result.outcomes[0].problem.status, error.pointer) == (422, "/add")
    assert error.code == "too_many_tags"
    assert (shop.row()["tags"], shop.row()["rev"]) == (TWENTY, rev + 1)
    assert shop.count(events) == events_before + 2


def test_a_refused_event_may_come_again_once_there_is_room(shop):
    shop.does("thread.tags", 0, add=TWENTY)
    late = tags(shop, 5, ["new"], id="one-more")
    assert shop.send(late).outcomes[0].status == "rejected"
    full = tags(shop, 20, ["other"], ["t00", "t01"])
    both = shop.send(full, late).outcomes
    assert [each.status for each in both] == ["created", "created"]
    assert shop.row()["tags"] == ["new", "other", *TWENTY[2:]]
    assert shop.send(late).outcomes[0].status == "duplicate"


def test_what_changes_no_tag_any_more_is_taken_by_a_full_thread(shop):
    """It loses against later writers, so the thread gets no more tags."""
    shop.does("thread.tags", 10, add=TWENTY)
    shop.does("thread.tags", 20, remove=["late"])
    assert shop.does("thread.tags", 15, add=["late"]).status == "created"
    assert shop.does("thread.tags", 5, remove=["t00"]).status == "created"
    assert shop.row()["tags"] == TWENTY


def test_each_thread_of_a_batch_has_room_of_its_own(shop):
    shop.does("thread.tags", 0, add=TWENTY)
    result = shop.send(tags(shop, 1, ["x"]), tags(shop, 1, TWENTY, thread="u"))
    assert [each.status for each in result.outcomes] == ["rejected", "created"]


def test_revision_0016_adds_tags_to_stored_threads(any_database, shop):
    shop.says(0)
    any_database.write(lambda connection: migrate.downgrade(connection, "0015"))
    migrate.bring_to_head(any_database)
    assert shop.row()["tags"] == []
    shop.does("thread.tags", 1, add=["vip"])
    assert shop.row()["tags"] == ["vip"]


TAGS = st.sets(st.sampled_from("abcd"), max_size=3)


@st.composite
def deliveries(draw: st.DrawFn):
    """Events about two threads, and two ways to deliver them: in batches, some of them repeated."""
    written = draw(st.lists(st.tuples(TAGS, TAGS, st.integers(0, 5)), min_size=1, max_size=12))
    found = [
        {"add": sorted(add - remove), "remove": sorted(remove), "at": at, "id": f"e{number}"}
        for number, (add, remove, at) in enumerate(written)
        if add | remove
    ]
    for each in found:
        each["thread"] = draw(st.sampled_from(["t", "u"]))
    ways = []
    for _ in range(2):
        batches: list[list[dict]] = [[]]
        for event in draw(st.permutations(found)):
            if draw(st.booleans()):
                batches.append([])
            batches[-1] += [event] * draw(st.integers(1, 2))
        ways.append(batches)
    return found, ways


def expected(events: list[dict], thread: str) -> list[str]:
    last = {}
    for event in sorted(events, key=lambda each: (each["at"], each["id"])):
        if event["thread"] == thread:
            last |= dict.fromkeys(event["add"], True) | dict.fromkeys(event["remove"], False)
    return sorted(tag for tag, is_there in last.items() if is_there)


@given(deliveries())
@settings(max_examples=examples(60))
def test_any_order_and_any_batches_end_in_the_same_tags(database, drawn):
    check(database, *drawn)


@pytest.mark.postgres
@given(deliveries())
@settings(max_examples=examples(20))
def test_on_postgres_too(postgres_database, drawn):
    check(postgres_database, *drawn)


def check(database, written, ways) -> None:
    for batches in ways:
        shop = Shop(database, SettableClock(), f"shop-{next(_shops)}")
        for batch in batches:
            outcomes = shop.send(*(tags(shop, **event) for event in batch)).outcomes
            assert all(each.status in ("created", "duplicate") for each in outcomes)
        for thread in {event["thread"] for event in written}:
            assert shop.row(thread)["tags"] == expected(written, thread)
