"""The place of a thread in line, and the time until it is expected to be handed out."""

import pytest
from sqlalchemy import select

from dashboard.db.accounts import admin_desks
from dashboard.db.lists import views
from dashboard.db.models.webhooks import outgoing_events
from dashboard.db.queues import admins, definitions, entries, history, standing
from dashboard.db.queues.definitions import QueueDraft
from dashboard.ingest.due import TOLD_PAUSE_SECONDS, PlaceNews
from dashboard.ingest.handing_out import HandingOut
from dashboard.ingest.outgoing import Admin
from tests.dashboard.ingest.shop import Shop, new_admin

SECOND = 1_000


class Line:
    """Five threads that wait, the fourth and fifth at the desk sales, and queues of them."""

    def __init__(self, database, clock):
        self.database, self.clock = database, clock
        database.write(lambda connection: admin_desks.add(connection, "sales", 0))
        self.mai = new_admin(database, "Mai")
        self.handing_out = HandingOut(database, clock)
        self.shop = Shop(database, clock)
        self.ids = []
        for number in range(5):
            thread = f"t-{number}"
            if number > 2:
                self.shop.does("thread.handoff", number * 10, thread=thread, desk="sales")
            self.ids.append(self.shop.says(number * 10 + 1, thread=thread).thread_id)

    def queue(
        self,
        query: str = "is:waiting",
        admins: frozenset[str] | None = None,
        delay: int = 0,
    ) -> int:
        def write(connection):
            draft = views.Draft(query, query, "longest_wait", "UTC", None)
            view = views.create(connection, draft, self.mai, self.clock())
            fields = QueueDraft(view.id, "pull", admins, 60, delay, 120, "waiting")
            id = definitions.create(connection, fields, self.mai, self.clock())
            entries.synchronize(connection)
            return id

        id = self.database.write(write)
        while self.handing_out.fill():
            pass
        return id

    def accept(self, status: str = "online", shown: str = "") -> None:
        values = {"accepting": True, "status": status, "shown_status": shown or status}
        self.database.write(lambda connection: admins.put(connection, self.mai, **values))

    def gave(self, queue: int, *at_seconds: int, first: int = 1) -> None:
        """Notes hand-outs at these times."""

        def write(connection):
            for number, at in enumerate(at_seconds, first):
                history.note_hand_out(connection, queue, number, at * SECOND)

        self.database.write(write)

    def between(self, *queues: int) -> dict[int, float]:
        with self.database.read() as connection:
            return history.seconds_between(connection, queues)

    def place(self, number: int, desks=None):
        with self.database.read() as connection:
            return standing.place(connection, self.ids[number], desks)


@pytest.fixture
def line(database, clock) -> Line:
    return Line(database, clock)


def test_the_place_is_the_rank_among_the_threads_that_wait(line):
    """Q80: in the first queue in which the thread waits."""
    assert line.place(0) is None, "there is no queue"
    first = line.queue("is:waiting desk:sales")
    second = line.queue()
    places = [line.place(number) for number in range(5)]
    assert [(at.queue.id, at.position, at.of) for at in places] == [
        *((second, number, 5) for number in (1, 2, 3)),
        *((first, number, 2) for number in (1, 2)),
    ]
    pulled = line.handing_out.pull(Admin(line.mai, "Mai", "supervisor"))[0]
    assert (pulled.queue.id, pulled.rank, pulled.of) == (second, 1, 3), "those at the main desk"
    assert line.place(0) is None, "it waits no more"
    assert (line.place(1).position, line.place(1).of) == (1, 4)
    line.shop.does("thread.close", 100, thread="t-1")
    assert line.place(1) is None and line.place(2).position == 1


def test_a_thread_whose_delay_runs_on_has_its_place_and_counts(line):
    """Q80: the place is the rank in the list; no customer's place gets worse by time alone."""
    line.queue(delay=60)
    line.clock.advance(60 * SECOND)
    line.ids.append(line.shop.says(0, thread="t-9").thread_id)
    before = [(place.position, place.of) for place in map(line.place, range(6))]
    assert [position for position, _ in before] == [2, 3, 4, 5, 6, 1]
    line.clock.advance(60 * SECOND)
    assert [(place.position, place.of) for place in map(line.place, range(6))] == before


def test_a_reader_of_some_desks_gets_places_among_their_threads(line):
    """Q65."""
    line.queue()
    sales = frozenset({"sales"})
    for number, position in ((3, 1), (4, 2)):
        place = line.place(number, sales)
        assert (place.position, place.of) == (position, 2)
    assert (line.place(4).position, line.place(4).of) == (5, 5)


def test_places_are_the_same_for_one_thread_and_for_many(line, monkeypatch):
    line.queue("is:waiting desk:sales")
    line.queue()
    with line.database.read() as connection:
        one_by_one = standing.places(connection, line.ids)
        monkeypatch.setattr(standing, "_ONE_BY_ONE", 0)
        together = standing.places(connection, line.ids)
        one_desk = standing.places(connection, line.ids, frozenset({"sales"}))
    assert one_by_one == together and len(together) == 5
    assert [one_desk[id].position for id in line.ids[3:]] == [1, 2]


def test_a_list_that_is_not_filled_has_no_places(line, monkeypatch):
    """More important threads may still come."""
    monkeypatch.setattr("dashboard.ingest.handing_out.FILLED_AT_ONCE", 2)
    fill = line.handing_out.fill
    monkeypatch.setattr(line.handing_out, "fill", lambda: False)
    line.queue()
    assert fill() and line.place(0) is None
    while fill():
        pass
    assert (line.place(0).position, line.place(0).of) == (1, 5)


def test_the_pace_is_the_median_of_the_times_between_the_last_hand_outs(line):
    """Q81: a night without a hand-out does not move it."""
    first, second = line.queue(), line.queue("is:open")
    assert line.between(first, second) == {}
    line.gave(first, *range(0, 90, 10))
    assert line.between(first) == {}, "nine are too few"
    line.gave(first, 40_000, first=10)
    assert line.between(first, second) == {first: 10.0}
    line.gave(second, *range(0, 36, 4))
    line.gave(second, 33, first=10)
    assert line.between(first, second) == {first: 10.0, second: 4.0}


def test_only_the_last_fifty_hand_outs_make_the_pace(line):
    """Q81."""
    queue = line.queue()
    line.gave(queue, *range(0, 60 * 100, 100))
    line.gave(queue, *range(10_000, 10_049), first=61)
    assert line.between(queue) == {queue: 1.0}
    with line.database.read() as connection:
        assert definitions.find(connection, queue).given == 109


def test_the_expected_time_is_the_pace_for_each_thread_up_to_this_one(line):
    """Q81: null while no admin of the queue accepts threads."""
    queue = line.queue()
    line.accept()
    assert line.place(0).expected_seconds is None, "there were no hand-outs"
    line.gave(queue, *(7 * number // 2 for number in range(11)))
    assert line.between(queue) == {queue: 3.5}
    assert [line.place(number).expected_seconds for number in range(3)] == [4, 7, 11]
    assert line.place(0).to_json() == {
        **{"queue": {"id": queue, "name": "is:waiting"}, "position": 1, "of": 5},
        "expected_seconds": 4,
    }
    line.accept("busy")
    assert line.place(0).expected_seconds is None


def test_no_chatbot_hears_by_the_expected_time_that_a_hidden_admin_is_here(line):
    """Q28: though that admin gets threads."""
    queue = line.queue()
    line.gave(queue, *range(11))
    line.accept(shown="offline")
    assert line.place(0).expected_seconds is None
    assert line.handing_out.pull(Admin(line.mai, "Mai"))[0] is not None


def test_an_admin_of_another_queue_does_not_serve_this_one(line):
    """Q20, Q81."""
    queue = line.queue(admins=frozenset({"sales"}))
    line.gave(queue, *range(10))
    line.accept()
    assert line.place(0).expected_seconds is None
    line.database.write(lambda connection: admin_desks.save(connection, line.mai, ("sales",)))
    assert line.place(0).expected_seconds == 1


def told(line: Line, source_id: int) -> list[int | None]:
    """The positions that the chatbot was told."""
    statement = select(outgoing_events.c.data).where(
        outgoing_events.c.type == "thread.position", outgoing_events.c.source_id == source_id
    )
    with line.database.read() as connection:
        return [data["position"] for data in connection.scalars(statement)]


def test_a_chatbot_is_told_when_the_place_has_changed_at_most_every_15_seconds(line):
    """Q82: once, whichever process tells it; closing ends it."""
    line.queue()
    deliveries: list[int] = []
    pauses: list[float] = []
    processes = [
        PlaceNews(line.database, line.clock, lambda: deliveries.append(1), pauses.append)
        for _ in range(2)
    ]

    def turns(after_seconds: int) -> list[int]:
        line.clock.advance(after_seconds * SECOND)
        return [process.turn() for process in processes]

    assert turns(0) == [0, 0]
    line.shop.does("thread.handoff", 100, thread="t-2", watch_place=True)
    assert turns(0) == [1, 0]
    assert turns(60) == [0, 0], "nothing has changed"
    line.handing_out.pull(Admin(line.mai, "Mai"))
    assert turns(0) == [1, 0]
    line.handing_out.pull(Admin(line.mai, "Mai"))
    assert turns(14) == [0, 0], "too soon"
    assert turns(1) == [1, 0]
    assert told(line, line.shop.source_id) == [3, 2, 1] and len(deliveries) == 3
    assert pauses == [TOLD_PAUSE_SECONDS] * 3, "others run after each slice"
    line.handing_out.pull(Admin(line.mai, "Mai"))
    assert turns(15) == [1, 0]
    assert told(line, line.shop.source_id)[-1] is None, "it waits no more"
    line.shop.does("thread.close", 200, thread="t-2")
    turns(15)
    line.shop.says(300, thread="t-2")
    assert turns(60) == [0, 0]
