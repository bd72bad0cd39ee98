"""The desk of the product, as the machine drives it: its services over a database, no Redis."""

from collections import Counter
from collections.abc import Sequence

from sqlalchemy import select

from dashboard.db.accounts import admin_desks, admins, sources
from dashboard.db.database import Database
from dashboard.db.lists import sorts, views
from dashboard.db.models.threads import thread_acts, threads
from dashboard.db.models.webhooks import outgoing_events
from dashboard.db.queues import admins as queue_admins
from dashboard.db.queues import definitions, entries
from dashboard.db.queues.admins import Presence
from dashboard.db.queues.definitions import QueueDraft
from dashboard.errors import Problem
from dashboard.event_types import ASSIGNED, RELEASED
from dashboard.ingest import outgoing
from dashboard.ingest.actions import Actions
from dashboard.ingest.assigning import Assigning, HandOver
from dashboard.ingest.due import DueQueue
from dashboard.ingest.handing_out import HandingOut, HandOuts, Outlook
from dashboard.ingest.recorder import Recorder
from dashboard.ingest.replies import Reply
from dashboard.ingest.snoozing import Snoozing
from scoring.sorting.rules import Rule, Sort
from tests.dashboard.ingest.shop import message
from tests.dashboard.queues.record import Admin, Given, Queue, Returned
from tests.support import SettableClock

DESKS = ("main", "sales")
KINDS = ("help", "order")
YEAR_MS = 365 * 24 * 3_600_000
#: The longest wait first; the others in the order in which they came.
BY_WAIT = Sort(
    "wait",
    (
        Rule("is:waiting", "waiting_since", "oldest"),
        Rule("", "created_at", "oldest"),
    ),
    "Wait",
)


class _NoPlacer:
    """Takes placements and places nothing: queues need no Redis."""

    def place(self, placements: Sequence[object]) -> None:
        pass


class ProductDesk:
    """Threads of a kind at a desk are those of one source; the queues are views of sources."""

    def __init__(self, database: Database, queues: Sequence[Queue], people: Sequence[Admin]):
        self._database = database
        self._clock = clock = SettableClock()
        self._begin = clock()
        self._actions = Actions(database, clock)
        self._assigning = Assigning(database, clock)
        self._snoozing = Snoozing(database, clock)
        self._recorder = Recorder(database, clock)
        self._handing_out = HandingOut(database, clock)
        self._due = DueQueue(database, _NoPlacer(), clock, sleep=lambda seconds: None)
        self._hand_outs = HandOuts(self._handing_out, lambda placements: None, clock)
        self._chosen: dict[int, Outlook] = {}
        self._presence_version = 0
        self._log: list[Given | Returned] = []
        self._log_id = 0
        self._messages = 0
        self._sources = database.write(self._add_sources)
        database.write(lambda connection: self._add_people(connection, people))
        self._queues = database.write(lambda connection: self._add_queues(connection, queues))
        self._supervisor = outgoing.Admin(len(people) + 1, "Sue", "supervisor")
        self._hand_outs.turn()

    def _add_sources(self, connection):
        admin_desks.add(connection, "sales", 0)
        added = {}
        for kind in KINDS:
            for desk in DESKS:
                added[kind, desk] = sources.ensure(connection, f"{kind}-{desk}", 0)
                sources.set_desk(connection, added[kind, desk], desk)
        return added

    def _add_people(self, connection, people: Sequence[Admin]) -> None:
        for person in people:
            email = f"a{person.id}@desk.example"
            id = admins.create(connection, email, f"A{person.id}", "admin", "x", 0, person.desks)
            assert id == person.id
            values = {"capacity": person.capacity, "accepting": person.accepting}
            queue_admins.put(connection, id, **values, status=person.status)
        admins.create(connection, "sue@desk.example", "Sue", "supervisor", "x", 0)
        sorts.create(connection, BY_WAIT, 1, 0)

    def _add_queues(self, connection, queues: Sequence[Queue]) -> dict[int, int]:
        numbers = {}
        for queue in queues:
            names = ",".join(f"{kind}-{desk}" for kind in sorted(queue.kinds) for desk in DESKS)
            # Two queues of the same kinds share a list.
            draft = views.Draft(f"view {queue.id}", f"source:{names}", "wait", "UTC", None)
            view = views.create(connection, draft, 1, 0)
            draft = QueueDraft(
                view.id,
                queue.mode,
                queue.admins,
                queue.take_within,
                queue.delay,
                queue.offline_after,
                queue.which,
            )
            assert definitions.create(connection, draft, 1, 0) == queue.id
        entries.synchronize(connection)
        for queue in definitions.listing(connection):
            numbers[queue.id] = queue.number
        return numbers

    def come(self, thread: int, kind: str, desk: str) -> None:
        self._write(thread, f"{kind}-{desk}")

    def act(self, what: str, thread: int) -> None:
        if what == "write":
            with self._database.read() as connection:
                name = connection.scalar(select(threads.c.source_id).where(threads.c.id == thread))
                source = next(key for key, id in self._sources.items() if id == name)
            self._write(thread, "-".join(source))
        elif what == "answer":
            self._messages += 1
            reply = Reply("Here you are.", token=f"token-{self._messages}", confirm=True)
            self._actions.reply(self._supervisor, thread, reply)
        elif what in ("close", "reopen"):
            getattr(self._actions, what)(self._supervisor, thread)
        elif what == "wake":
            self._snoozing.wake(self._supervisor, thread)
        else:
            self._snooze(thread)

    def set(
        self, admin: int, status: str | None, accepting: bool | None, capacity: int | None
    ) -> None:
        self._presence_version += 1
        presence = Presence(status or "", status or "", self._presence_version)
        values = {"accepting": accepting, "capacity": capacity}
        changes = {name: value for name, value in values.items() if value is not None}

        def write(connection):
            definitions.lock(connection)
            if status is not None:
                queue_admins.set_statuses(connection, [(admin, presence)], self._clock())
            if changes:
                queue_admins.put(connection, admin, **changes)

        self._database.write(write)

    def pull(self, admin: int) -> None:
        try:
            self._handing_out.pull(outgoing.Admin(admin, f"A{admin}"))
        except Problem as problem:
            assert problem.code == "at_capacity"

    def release(self, thread: int) -> None:
        admin = self.assignees()[thread]
        self._actions.release(outgoing.Admin(admin, f"A{admin}"), thread)

    def open(self, thread: int) -> None:
        self._handing_out.open(self.assignees()[thread], thread)

    def assign(self, thread: int, admin: int) -> None:
        self._assigning.hand_over(self._supervisor, thread, HandOver(admin))

    def work(self, worker: int) -> None:
        chosen = self._chosen.pop(worker, None)
        if chosen is None:
            self._chosen[worker] = self._handing_out.look()
        elif chosen.has_hand_outs:
            self._handing_out.push()

    def die(self, worker: int) -> None:
        self._chosen.pop(worker, None)

    def advance(self, milliseconds: int) -> None:
        self._clock.advance(milliseconds)

    def settle(self) -> None:
        while self._due.turn() + self._hand_outs.turn():
            pass

    def log(self) -> list[Given | Returned]:
        columns = (thread_acts.c[name] for name in ("id", "thread_id", "type", "admin_id", "data"))
        statement = select(*columns).where(
            thread_acts.c.id > self._log_id, thread_acts.c.type.in_([ASSIGNED.name, RELEASED.name])
        )
        with self._database.read() as connection:
            rows = connection.execute(statement.order_by(thread_acts.c.id)).all()
        for id, thread, type, admin, data in rows:
            self._log_id = id
            if type == ASSIGNED.name and "queue" in data:
                pulled, given = admin is not None, data["assignee"]["id"]
                self._log.append(Given(thread, given, data["queue"]["id"], pulled))
            elif "returned" in data:
                self._log.append(Returned(thread, data["before"]["id"], data["returned"]))
        return self._log

    def events(self) -> Counter[tuple[int, int]]:
        statement = select(outgoing_events.c.data).where(outgoing_events.c.type == ASSIGNED.name)
        with self._database.read() as connection:
            told = [data for data in connection.scalars(statement) if "queue" in data]
        return Counter((data["thread_id"], data["assignee"]["id"]) for data in told)

    def assignees(self) -> dict[int, int]:
        statement = select(threads.c.id, threads.c.assignee_id)
        with self._database.read() as connection:
            rows = connection.execute(statement.where(threads.c.assignee_id.is_not(None)))
            return {row.id: row.assignee_id for row in rows}

    def order(self, queue: Queue) -> list[tuple[int, int | None]]:
        since = self._clock() - queue.delay * 1_000
        with self._database.read() as connection:
            number = self._queues[queue.id]
            ids = [entry.thread_id for entry in entries.first(connection, number, None, since, 100)]
            waits = select(threads.c.id, threads.c.waiting_since).where(threads.c.id.in_(ids))
            waiting_since = {row.id: row.waiting_since for row in connection.execute(waits)}
        return [(id, self._since_begin(waiting_since[id])) for id in ids]

    def _since_begin(self, at: int | None) -> int | None:
        return None if at is None else at - self._begin

    def _write(self, thread: int, source: str) -> None:
        self._messages += 1
        kind, desk = source.split("-")
        event = message(0, id=f"m{self._messages}", thread=f"t{thread}", customer=f"c{thread}")
        event = event._replace(occurred_at=self._clock())
        self._recorder.record(self._sources[kind, desk], [event])

    def _snooze(self, thread: int) -> None:
        try:
            self._snoozing.snooze(self._supervisor, thread, self._clock() + YEAR_MS, "reply")
        except Problem as problem:
            assert problem.code == "thread_closed"
