"""The events that the simulator draws."""

from collections import Counter
from random import Random

from dashboard.ingest.schema import parse
from demo.traffic import THREADS_MIN, TrafficModel
from scoring.facts import Facts, ThreadEvent, fold

NOW_MS = 1_790_000_000_000
ROW = {
    "id": 12,
    "thread": "t-12",
    "source": "shop",
    "customer": {"id": "shop/c-3", "name": "Mai", "locale": "vi", "member_status": 2},
    "open": True,
    "waiting_since": NOW_MS - 60_000,
    "unanswered": 1,
}


def events_of(model: TrafficModel, count: int, gap_ms: int = 200) -> list[dict]:
    return [model.next_event(NOW_MS + number * gap_ms) for number in range(count)]


def test_every_event_is_taken_by_the_schema_and_later_than_the_one_before():
    parsed = [parse(event) for event in events_of(TrafficModel(Random(1), "run"), 3000, gap_ms=0)]
    assert len({event.id for event in parsed}) == 3000
    times = [event.occurred_at for event in parsed]
    assert times == sorted(set(times))


def test_the_same_random_seed_gives_the_same_events():
    assert events_of(TrafficModel(Random(5), "run"), 300) == events_of(
        TrafficModel(Random(5), "run"), 300
    )


def test_every_kind_of_event_is_drawn():
    given = events_of(TrafficModel(Random(2), "run"), 3000)
    types = Counter(event["type"] for event in given)
    assert set(types) == {
        "message", "customer",
        "thread.close", "thread.reopen", "thread.handoff", "thread.priority", "thread.tags",
    }  # fmt: skip
    assert {event["role"] for event in given if "role" in event} == {
        "client", "admin", "bot", "system",
    }  # fmt: skip
    assert any(event.get("private") for event in given)


def test_admins_answer_only_waiting_threads_and_close_only_answered_ones():
    histories: dict[str, list[ThreadEvent]] = {}
    for event in map(parse, events_of(TrafficModel(Random(4), "run"), 2000)):
        if event.thread is None:
            continue
        known = histories.setdefault(event.thread, [])
        facts = fold(known) if known else Facts()
        if event.role == "admin" and not event.private:
            assert facts.waiting_since is not None
            known.append(ThreadEvent("admin", event.occurred_at))
        elif event.type == "thread.close":
            assert not facts.closed
            assert facts.waiting_since is None
            known.append(ThreadEvent("close", event.occurred_at))
        elif event.role == "client":
            known.append(ThreadEvent("client", event.occurred_at))
        elif event.type in ("thread.reopen", "thread.handoff"):
            known.append(ThreadEvent(event.type.removeprefix("thread."), event.occurred_at))


def test_the_lists_keep_their_length_and_no_open_thread_is_dropped():
    model = TrafficModel(Random(6), "run")
    threads: dict[str, list[ThreadEvent]] = {}
    for event in map(parse, events_of(model, 30_000)):
        if event.role == "client" or event.type == "thread.close":
            kind = "close" if event.type == "thread.close" else "client"
            threads.setdefault(event.thread, []).append(ThreadEvent(kind, event.occurred_at))
        elif event.type in ("thread.reopen", "thread.handoff"):
            kind = event.type.removeprefix("thread.")
            threads.setdefault(event.thread, []).append(ThreadEvent(kind, event.occurred_at))
    opened = {id for id, known in threads.items() if not fold(known).closed}
    assert len(threads) > 1_000
    assert 50 < len(opened) <= THREADS_MIN
    ahead = {thread.id for thread, _ in model._ahead}
    assert (
        opened - ahead == {thread.id for thread in model._threads.values() if thread.open} - ahead
    )


def test_customers_write_in_bursts():
    given = events_of(TrafficModel(Random(8), "run"), 2000)
    writers = [event["thread"] for event in given if event.get("role") == "client"]
    assert max(Counter(writers).values()) >= 4


def test_an_existing_thread_goes_on_under_its_own_ids():
    model = TrafficModel(Random(1), "run")
    model.add_existing(ROW)
    found = [event for event in events_of(model, 200) if event.get("thread") == "t-12"]
    assert found
    assert {event["customer"]["id"] for event in found if "customer" in event} == {"c-3"}


def test_an_existing_thread_may_lack_a_customer_or_a_language():
    model = TrafficModel(Random(1), "run")
    model.add_existing(ROW | {"customer": None})
    model.add_existing(ROW | {"thread": "t-13", "customer": ROW["customer"] | {"locale": None}})
    for event in events_of(model, 100):
        parse(event)
