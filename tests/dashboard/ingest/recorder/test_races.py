"""Concurrent writers of one thread, one customer or one id, on PostgreSQL."""

import threading
from collections.abc import Callable
from functools import partial

import pytest
from sqlalchemy import select

from dashboard.db import placing
from dashboard.db.accounts import sources
from dashboard.db.database import Database
from dashboard.db.models.threads import threads as thread_table
from dashboard.db.threads import events
from dashboard.ingest.schema import Outcome, ParsedEvent
from scoring.facts import fold
from tests.dashboard.ingest.shop import Shop, customer_event, message, thread_event

pytestmark = pytest.mark.postgres
ROUNDS = 200


@pytest.fixture
def shops(postgres_database, clock):
    """The same source through two pools of connections, as two processes have it."""
    other = Database(postgres_database.url)
    yield Shop(postgres_database, clock), Shop(other, clock)
    other.close()


def race(*runners: Callable[[], object]) -> None:
    """Runs all concurrently and raises the first failure."""
    start = threading.Barrier(len(runners))
    failures: list[BaseException] = []

    def run(runner: Callable[[], object]) -> None:
        start.wait()
        try:
            runner()
        except BaseException as error:
            failures.append(error)

    running = [threading.Thread(target=run, args=(runner,)) for runner in runners]
    for one in running:
        one.start()
    for one in running:
        one.join()
    if failures:
        raise failures[0]


def check_threads_equal_their_events(shop: Shop) -> None:
    with shop.database.read() as connection:
        kept = connection.execute(
            select(thread_table).where(thread_table.c.source_id == shop.source_id)
        ).all()
        found = events.folded(connection, [row.id for row in kept])
    for row in kept:
        facts = fold(found[row.id])
        for fact in ("last_client_at", "last_admin_at", "unanswered_since", "unanswered", "closed"):
            assert getattr(row, fact) == getattr(facts, fact), (row.external_id, fact)


def test_two_writers_of_a_thread_lose_no_event_and_no_revision(shops):
    """Both writers' events count, and each revision is given once. (F44)"""
    kinds = ["client", "admin", "bot"]
    revisions: list[int] = []

    def writer(shop: Shop, offset: int):
        def run() -> None:
            for number in range(ROUNDS):
                given = {"role": kinds[number % 3], "fields": {"member_status": number % 6}}
                recorded = shop.send(message(2 * number + offset, **given))
                revisions.extend(place.revision for place in recorded.placements)

        return run

    race(writer(shops[0], 0), writer(shops[1], 1))
    check_threads_equal_their_events(shops[0])
    assert sorted(revisions) == list(range(1, shops[0].row()["rev"] + 1))
    assert len(shops[0].conversation()) == 2 * ROUNDS
    assert shops[0].row()["customer"]["member_status"] == (ROUNDS - 1) % 6


def test_two_writers_create_the_same_thread_once(shops):
    for number in range(ROUNDS // 4):
        name = f"t-{number}"
        race(*(partial(shop.says, 0, thread=name, customer=name) for shop in shops))
        assert shops[0].row(name)["unanswered"] == 2
    check_threads_equal_their_events(shops[0])


def send(shop: Shop, event: ParsedEvent, outcomes: list[Outcome]) -> None:
    outcomes += shop.send(event).outcomes


def test_two_writers_of_the_same_event_create_it_once(shops):
    for number in range(ROUNDS // 4):
        outcomes: list[Outcome] = []
        given = message(number, id=f"m-{number}", thread=f"t-{number % 3}")
        race(*(partial(send, shop, given, outcomes) for shop in shops))
        assert sorted(outcome.status for outcome in outcomes) == ["created", "duplicate"]
        assert outcomes[0].thread_id == outcomes[1].thread_id
    check_threads_equal_their_events(shops[0])


def test_batches_of_the_same_threads_in_different_orders_do_not_deadlock(shops):
    names = [f"t-{number}" for number in range(20)]

    def writer(shop: Shop, order: list[str], kind: str):
        def run() -> None:
            for number in range(10):
                shop.send(
                    *(message(number, role=kind, thread=name, customer=name) for name in order)
                )

        return run

    race(writer(shops[0], names, "client"), writer(shops[1], names[::-1], "admin"))
    check_threads_equal_their_events(shops[0])


def test_scores_are_right_after_concurrent_writes_of_customer_and_thread(shops):
    """Scores hold the customer's status, whichever of thread and customer was written last."""
    shops[0].says(0)

    def change() -> None:
        for number in range(ROUNDS):
            shops[0].send(customer_event(number, member_status=number % 6))

    def move() -> None:
        for number in range(ROUNDS // 2):
            shops[1].does("thread.close", 2 * number)
            shops[1].does("thread.reopen", 2 * number + 1)

    race(change, move)
    before = placement(shops[0])
    shops[0].send(thread_event("thread.priority", 0, priority="low"))
    assert placement(shops[0]).lists["arrival"][3] == before.lists["arrival"][3]
    assert shops[0].row()["customer"]["member_status"] == (ROUNDS - 1) % 6


def placement(shop: Shop):
    with shop.database.read() as connection:
        return placing.of(connection, [shop.row()["id"]], 0)[0]


def test_a_source_that_begins_to_hand_over_is_folded_so_whoever_writes_meanwhile(shops):
    names = [f"t-{number}" for number in range(10)]
    shops[0].send(*(message(0, thread=name) for name in names))

    def write() -> None:
        for number in range(60):
            shops[0].says(number + 1, thread=names[number % 10])

    def switch() -> None:
        shops[1].database.write(
            lambda connection: sources.set_handoff_only(connection, shops[1].source_id)
        )
        for _ in shops[1].recorder.refold(shops[1].source_id):
            pass

    race(write, switch)
    assert shops[0].listed("not_respond", "arrival") == []
