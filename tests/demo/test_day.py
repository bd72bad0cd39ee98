"""A day of the demo's desk in seconds: the queue breathes, and colleagues come back."""

from collections import Counter
from random import Random
from typing import Any

from demo.clients import DashboardError
from demo.desk import TAKES_AWAY_SHARE, Colleague, Desk, Person
from demo.stories import DAY_MS, HOUR_MS, MINUTE_MS, stories
from demo.traffic import StaffedTraffic
from tests.demo.test_stories import NOW_MS, folded

PEOPLE = [Person(1, "Kenji", ("ja", "en")), Person(2, "Linh", ("vi",)), Person(3, "Emma", ("en",))]
VISITOR = 9
#: Bounds of the queue, and the most messages in a row without an answer.
WAITING = (20, 200)
UNANSWERED_MAX = 12


class Server:
    """What the desk's server knows: who waits, since when, and who has the thread."""

    def __init__(self, model: StaffedTraffic):
        self.model = model
        self.now_ms = NOW_MS
        self.rows: dict[str, dict[str, Any]] = {}
        self.is_away = False
        self.ids = 0
        self.replies: Counter[int] = Counter()

    def take(self, event: dict[str, Any]) -> None:
        kind = event.get("role", event["type"])
        row = self.rows.get(event.get("thread", ""))
        if kind in ("client", "thread.handoff"):
            row = self.rows.setdefault(event["thread"], self.row(event["thread"]))
            row["waiting_since"] = row["waiting_since"] or self.now_ms
            row["unanswered"] += kind == "client"
        elif row is not None and kind == "thread.close":
            del self.rows[event["thread"]]

    def row(self, thread: str) -> dict[str, Any]:
        self.ids += 1
        return {
            "id": self.ids, "thread": thread, "waiting_since": None, "unanswered": 0,
            "assignee": None,
        }  # fmt: skip

    def waiting(self) -> list[dict[str, Any]]:
        return [row for row in self.rows.values() if row["waiting_since"]]

    def answer(self, id: int, person: int) -> None:
        self.replies[person] += 1
        for thread, row in self.rows.items():
            if row["id"] == id:
                row["waiting_since"], row["unanswered"] = None, 0
                self.model.happened({"type": "message.created", "thread": thread, "data": {}})

    def get(self, path: str) -> Any:
        """The bot API's answer to a look at a thread."""
        if self.is_away:
            raise DashboardError("network")
        row = self.rows.get(path.rpartition("/")[2], {})
        return type("Answer", (), {"body": row})


class Window:
    """A colleague's window."""

    def __init__(self, server: Server, person: Person):
        self.server = server
        self.person = person
        self.is_open = False
        self.viewers: list[dict[str, Any]] = []

    def connect(self) -> None:
        if self.server.is_away:
            raise DashboardError("network")
        self.is_open = True

    def close(self) -> None:
        self.is_open = False

    def call(self, name: str, data: dict[str, Any]) -> dict[str, Any]:
        if self.server.is_away or not self.is_open:
            raise DashboardError("disconnected")
        rows = [row for row in self.server.rows.values() if row["id"] == data.get("id")]
        if name == "thread:open" and not rows:
            raise DashboardError("not_found")
        return {"row": (rows or [{}])[0], "messages": [], "viewers": self.viewers}

    def request(self, method: str, path: str, document: Any) -> dict[str, Any]:
        if self.server.is_away:
            raise DashboardError("network")
        if path.endswith("/replies") and not document["private"]:
            self.server.answer(int(path.split("/")[1]), self.person.id)
        return {"message": {"id": 1}}


class World:
    """A desk of three colleagues, with its traffic; `pass_time` lets it work."""

    def __init__(self, rate: float):
        self.model = StaffedTraffic(Random(4), "sim-run", {person.id for person in PEOPLE})
        self.server = Server(self.model)
        self.step_ms = round(1000 / rate)
        self.desk = Desk(PEOPLE)
        self.desk.model = self.model
        self.windows = [Window(self.server, person) for person in PEOPLE]
        self.colleagues = [
            Colleague(window.person, window, self.server, self.desk, Random(at))  # type: ignore[arg-type]
            for at, window in enumerate(self.windows)
        ]

    def pass_time(self, ms: int) -> list[tuple[int, int, int]]:
        """The number of those who wait, the longest wait and the longest row at each minute."""
        seen, end_ms = [], self.server.now_ms + ms
        next_ms = self.server.now_ms
        while self.server.now_ms < end_ms:
            self.server.now_ms += self.step_ms
            if not self.server.is_away:
                self.server.take(self.model.next_event(self.server.now_ms))
            for colleague in self.colleagues:
                colleague.tick(self.server.now_ms)
            if self.server.now_ms >= next_ms:
                next_ms += MINUTE_MS
                seen.append(self._measured())
        return seen

    def _measured(self) -> tuple[int, int, int]:
        waiting = self.server.waiting()
        oldest = min((row["waiting_since"] for row in waiting), default=self.server.now_ms)
        most = max((row["unanswered"] for row in waiting), default=0)
        return len(waiting), self.server.now_ms - oldest, most


def test_on_a_whole_day_the_queue_breathes_and_nobody_writes_on_and_on():
    world = World(rate=0.25)
    world.pass_time(HOUR_MS)
    counts, waits, rows = zip(*world.pass_time(DAY_MS), strict=True)
    assert WAITING[0] <= min(counts) and max(counts) <= WAITING[1]
    assert max(counts) - min(counts) > 30, "it breathes"
    assert 5 * MINUTE_MS < max(waits) < 2 * HOUR_MS
    assert max(rows) <= UNANSWERED_MAX
    assert set(world.server.replies) == {person.id for person in PEOPLE}
    assert len(world.server.rows) < 1_000, "threads end"


def test_without_colleagues_customers_give_up_and_the_queue_stays_within_its_bounds():
    world = World(rate=1)
    world.server.rows.clear()
    for window in world.windows:
        window.connect = lambda: (_ for _ in ()).throw(DashboardError("network"))  # type: ignore[method-assign]
    world.pass_time(HOUR_MS)
    counts, waits, rows = zip(*world.pass_time(3 * HOUR_MS), strict=True)
    assert WAITING[0] <= min(counts) and max(counts) <= WAITING[1]
    assert max(waits) < 90 * MINUTE_MS and max(rows) <= UNANSWERED_MAX
    assert not world.server.replies


def test_a_colleague_comes_back_after_a_lost_connection_and_after_the_server_was_away():
    world = World(rate=1)
    world.pass_time(20 * MINUTE_MS)
    world.windows[0].close()
    before = world.server.replies.copy()
    world.pass_time(10 * MINUTE_MS)
    assert all(world.server.replies[person.id] > before[person.id] + 5 for person in PEOPLE)
    world.server.is_away = True
    world.pass_time(30 * MINUTE_MS)
    assert not any(window.is_open for window in world.windows)
    world.server.is_away = False
    before = world.server.replies.copy()
    world.pass_time(10 * MINUTE_MS)
    assert all(window.is_open for window in world.windows)
    assert all(world.server.replies[person.id] > before[person.id] + 5 for person in PEOPLE)


def test_a_thread_that_a_visitor_has_open_is_taken_away_only_now_and_then():
    world = World(rate=1)
    world.pass_time(HOUR_MS)
    alone = sum(world.server.replies.values())
    for window in world.windows:
        window.viewers = [{"id": VISITOR}]
    world.pass_time(HOUR_MS)
    beside = sum(world.server.replies.values()) - alone
    assert 0 < beside < alone * 2 * TAKES_AWAY_SHARE


def test_the_desk_that_a_newcomer_sees_is_not_drowning():
    """Waits are of minutes, some of them long, and the rows are short, at any number of threads."""
    for count in (200, 5000):
        facts = [folded(story) for story in stories(count, 3, 1, NOW_MS, at_desk=True)]
        waits = [
            NOW_MS - each.waiting_since
            for each in facts
            if each.waiting_since is not None and not each.closed
        ]
        assert WAITING[0] <= len(waits) <= WAITING[1]
        late = sum(wait > 30 * MINUTE_MS for wait in waits)
        assert 0 < late < len(waits) / 4 and max(waits) < 90 * MINUTE_MS
        assert max(each.unanswered for each in facts) <= UNANSWERED_MAX
