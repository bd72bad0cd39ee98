"""Two workers on one database and one Redis, with views, and dashboards that look at them."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from sqlalchemy import Connection, select

from dashboard.db.accounts import admins
from dashboard.db.conditions import joined
from dashboard.db.database import Database
from dashboard.db.lists import entries, kept_lists, query_lists, views
from dashboard.db.lists.query_lists import QueryList
from dashboard.db.lists.views import Draft, View
from dashboard.db.models.accounts import sources
from dashboard.db.models.threads import customers, threads
from dashboard.db.threads import threads as threads_in_sql
from dashboard.errors import Problem
from dashboard.ingest.actions import Admin
from dashboard.ingest.replies import Reply
from dashboard.ingest.schema import parse
from scoring.conditions.language.query import QueryError
from scoring.ranking import RankingLost
from scoring.rebuilding import RebuildLost
from tests.dashboard.live.queries.process import Process
from tests.dashboard.live.queries.screen import Screen, list_name
from tests.drivers.lineup import rfc3339
from tests.drivers.replay import Replay
from tests.scoring.conditions import oracle
from tests.scoring.conditions.oracle import ADMINS, World
from tests.support import SettableClock

Entries = list[tuple[int, int]]
#: More than any round trip takes.
ROUNDS_MAX = 12


class TwoWorkers:
    """The workers and dashboards, and what must be equal when they have come to rest."""

    def __init__(self, url: str, client: Any, replay: Replay):
        self.clock = SettableClock(1_780_000_000_000)
        self._number = 0
        database = Database(url)
        for email in ADMINS:
            database.write(
                lambda connection, email=email: admins.create(
                    connection, email, email[:3], "supervisor", "", 0
                )
            )
        database.close()
        self.client = client
        self.was_flushed = False
        self.processes = [Process(url, client, self.clock) for _ in range(2)]
        self.processes[0].order.tick()
        self.screens = [
            Screen(f"s{number}", 1 + number % 2, self.processes[number % 2], replay)
            for number in range(2)
        ]

    def close(self) -> None:
        for process in self.processes:
            process.database.close()

    # Actions

    def event(self, process: int, back_ms: int = 0, **fields: Any) -> None:
        self.clock.advance(1)
        self._number += 1
        at = rfc3339(self.clock() - back_ms)
        event = {"id": f"e-{self._number}", "occurred_at": at, **fields}
        order = self.processes[process].order
        [outcome] = order.ingest.accept(order.source_id, [parse(event)])
        assert outcome.status == "created", outcome

    def act(self, process: int, admin_id: int, action: str, thread_id: int) -> None:
        order = self.processes[process].order
        try:
            actions = order.services.actions
            order.ingest.act(getattr(actions, action), Admin(admin_id, "An admin"), thread_id)
        except Problem as problem:
            assert problem.status in (404, 409), problem

    def mention(self, process: int, admin_id: int, thread_id: int, is_note: bool) -> None:
        """Lan mentions an admin in a note, or the admin reads all that there is."""
        order, name = self.processes[process].order, {1: "mai", 2: "ken"}[admin_id]
        self._number += 1
        note = Reply(f"@{name}: look", f"n-{self._number}", True)
        try:
            if is_note:
                order.ingest.act(order.services.actions.reply, Admin(3, "lan"), thread_id, note)
            else:
                reading = order.services.mentioning.read
                order.ingest.act(reading, Admin(admin_id, name), thread_id, 2**40)
        except Problem as problem:
            assert problem.status == 404, problem

    def save(self, process: int, draft: Draft) -> None:
        self._write(process, lambda connection: views.create(connection, draft, 1, self.clock()))

    def change(self, process: int, number: int, draft: Draft | None) -> None:
        """Edits a view, or deletes it."""
        view = self._view(number)
        if view is None:
            return

        def write(connection: Connection) -> None:
            locked = views.lock(connection, view.id, view.owner_id or 1, None)
            assert locked is not None
            if draft is None:
                views.remove(connection, locked, self.clock())
            else:
                views.change(connection, locked, draft, 1, self.clock())

        self._write(process, write)

    def rebuild(self, process: int, number: int) -> None:
        """Builds a list again, while what waits is placed."""
        found = sorted(self.lists())
        if found:
            each = self.processes[process]
            other = self.processes[1 - process]
            # As the builder does: the reconciler goes on with what was lost.
            with suppress(RankingLost, RebuildLost):
                each.order.rebuilder.rebuild(
                    [found[number % len(found)]], lambda threads: (each.place(1), other.place(0))
                )

    def flush(self) -> None:
        self.client.flushall()
        self.was_flushed = True

    def _write(self, process: int, work: Callable[[Connection], object]) -> None:
        self.clock.advance(1)
        try:
            self.processes[process].database.write(work)
        except (QueryError, Problem):
            return
        for each in self.processes:
            each.worker.live_lists.views_changed(None)

    def _view(self, number: int) -> View | None:
        found = self.saved()
        return found[number % len(found)] if found else None

    # State and checks

    def saved(self) -> list[View]:
        with self.processes[0].database.read() as connection:
            mine, kens = (views.visible_to(connection, admin_id, None) for admin_id in (1, 2))
        return [*mine, *(view for view in kens if view not in mine)]

    def lists(self) -> dict[str, QueryList]:
        with self.processes[0].database.read() as connection:
            return dict(query_lists.current(connection).lists)

    def rest(self) -> None:
        """Runs until nothing is under way any more."""
        for _ in range(ROUNDS_MAX):
            for process in self.processes:
                while process.waiting:
                    process.place(-1)
                process.due.turn()
                while process.waiting:
                    process.place(0)
            repairs = self._repairs()
            is_right = [process.order.tick() for process in self.processes]
            # Else the reconciler would hide what an event or time should have placed.
            assert self.was_flushed or self._repairs() == repairs, "placed by the reconciler alone"
            for process in self.processes:
                # After a loss of data all totals are read every 5 s, and that makes them right.
                process.turn(6 if self.was_flushed else 0.3)
            moved = [screen.freshen() for screen in self.screens]
            if all(is_right) and not any(moved) and self._are_built() and not self._is_due():
                self.was_flushed = False
                return
        raise AssertionError("the lists do not come to rest")

    def _repairs(self) -> int:
        return sum(process.order.reconciler.repairs for process in self.processes)

    def _is_due(self) -> bool:
        """A list that was built just now may have threads that time moves at once."""
        with self.processes[0].database.read() as connection:
            return bool(threads_in_sql.due(connection, self.clock(), 1))

    def _are_built(self) -> bool:
        """Badges may have asked for lists that are new."""
        states = self.processes[0].order.ranking.states(self.lists())
        return all(state.epoch is not None for state in states.values())

    def check(self) -> None:
        """Redis = SQL = the oracle for each list, and so each badge and each screen."""
        lists = self.lists()
        texts = self._texts()
        in_sql = {}
        ranking = self.processes[0].order.ranking
        with self.processes[0].database.read() as connection:
            facts = _facts(connection)
            for list_id, each in lists.items():
                found = entries.entries(connection, each, self.clock(), 100)
                in_sql[list_id] = [(entry.id, entry.score) for entry in found]
            unordered = query_lists.current(connection).unordered
        for list_id, each in lists.items():
            found = ranking.head(list_id, each.sort, 100).entries
            if list_id in unordered:
                assert {e.id for e in found} == {id for id, _ in in_sql[list_id]}, texts[list_id]
            else:
                assert [(e.id, e.score) for e in found] == in_sql[list_id], texts[list_id]
            query, timezone, admin_id = texts[list_id]
            world = World(self.clock(), admin_id or 0, timezone)
            held = {id for id, thread in facts.items() if oracle.holds(query, thread, world)}
            assert {id for id, _ in in_sql[list_id]} == held, (query, facts)
        self._check_badges(lists, in_sql)
        for screen in self.screens:
            self._check_screen(screen, in_sql)
        self._check_kept()
        kept = {key.decode() for key in self.client.keys("*|q:*")}
        assert {key.split("|")[1] for key in kept} <= set(lists), "keys of lists that are no more"

    def _check_badges(self, lists: dict[str, QueryList], in_sql: dict[str, Entries]) -> None:
        for screen in self.screens:
            told = screen.process.network.totals.get(screen.caller.sid, {})
            with screen.process.database.read() as connection:
                seen = views.visible_to(connection, screen.caller.admin_id, None)
                [mentions] = kept_lists.own(screen.caller.admin_id).values()
                mentioned = query_lists.list_of(connection, mentions).id
            assert told["mentions"] == len(in_sql[mentioned])
            for view in seen:
                if view.list_id is not None:
                    assert told[view.public_id] == len(in_sql[view.list_id]), view

    def _check_kept(self) -> None:
        """Lists are always kept for saved views, and for nothing else."""
        table = query_lists.query_lists
        with self.processes[0].database.read() as connection:
            kept = set(connection.scalars(select(table.c.id).where(table.c.kept_until.is_(None))))
        assert kept == {view.list_id for view in self.saved()} - {None}

    def _check_screen(self, screen: Screen, in_sql: dict[str, Entries]) -> None:
        for name in screen.lists:
            found = screen.process.worker.live_lists.find(screen.caller, list_name(dict(name)))
            held, right = screen.dump(name), in_sql[found.list_id]
            bound = held["bound"]
            if bound is not None:
                right = [(id, score) for id, score in right if [score, id] <= bound]
            assert [*zip(held["ids"], held["scores"], strict=True)] == right, (name, held)
            assert held["total"] == len(in_sql[found.list_id])

    def _texts(self) -> dict[str, tuple[str, str, int | None]]:
        """List id to (query, time zone, admin) with which it was kept first; the query includes
        what the filter adds."""
        table = query_lists.query_lists
        columns = table.c.id, table.c.query, table.c.filter, table.c.timezone, table.c.admin_id
        with self.processes[0].database.read() as connection:
            found = connection.execute(select(*columns)).all()
        return {
            row.id: (_narrowed(row.query, row.filter), row.timezone, row.admin_id) for row in found
        }


def _narrowed(query: str, filter: str) -> str:
    added = {"all": "", "unassigned": "assigned:none", "mine": "assigned:me"}[filter]
    return f"({query}) {added}" if query and added else query or added


def _facts(connection: Connection) -> dict[int, dict[str, Any]]:
    """Thread id to the facts that the oracle asks for."""
    names = ("closed", "last_admin_at", "first_request_at", "assignee_id", "priority", "last_role")
    names += ("waiting_since", "last_client_at", "first_event_at", "closed_at", "due_at")
    names += ("snoozed_until", "tags", "desk", "mentioned", "has_file")
    columns = [threads.c[name].label(name) for name in names]
    columns += [sources.c.name.label("source"), customers.c.locale, customers.c.member_status]
    rows = connection.execute(select(threads.c.id, *columns).select_from(joined())).mappings()
    return {
        row["id"]: {**row}
        | {"member_status": -1 if row["member_status"] is None else row["member_status"]}
        | {name: (row[name] or "").split() for name in ("tags", "mentioned")}
        for row in rows
    }
