"""Policies and calendars over one database, with events and a settable time."""

import fakeredis
from sqlalchemy import select

from dashboard.db import calendars, policies
from dashboard.db import policies as known_policies
from dashboard.db.calendars import CalendarDraft
from dashboard.db.conditions import subjects
from dashboard.db.lists import entries, query_lists, versions
from dashboard.db.lists.query_lists import ListedQuery
from dashboard.db.models.threads import threads
from dashboard.db.models.webhooks import outgoing_events
from dashboard.db.policies import PolicyDraft
from dashboard.db.threads import thread_rows
from dashboard.db.threads import threads as threads_of
from tests.dashboard.ordering.order import Order


class HoursDriver:
    """A supervisor who changes policies while a chatbot sends events."""

    def __init__(self, database, clock):
        self.order = Order(database, fakeredis.FakeRedis(), clock)
        self.order.tick()
        self.database, self.clock = database, clock
        self.recompute, self.due = self.order.services.recompute, self.order.services.due_queue

    def save_calendar(self, name, week, timezone="UTC", exceptions=()):
        draft = CalendarDraft(name, timezone, week, list(exceptions))

        def write(connection):
            versions.grow_policies(connection)
            for known in calendars.listing(connection):
                if known.name == name:
                    return calendars.change(connection, known, draft, None, self.clock()).id
            return calendars.create(connection, draft, None, self.clock()).id

        return self.database.write(write)

    def save_policy(self, name, query, calendar_id, first=30, next=60):
        draft = PolicyDraft(name, query, calendar_id, first, next)

        def write(connection):
            versions.grow_policies(connection)
            for known in policies.listing(connection):
                if known.name == name:
                    return policies.change(connection, known, draft, None, self.clock()).id
            return policies.create(connection, draft, None, self.clock()).id

        return self.database.write(write)

    def put_in_order(self, ids):
        def write(connection):
            versions.grow_policies(connection)
            policies.put_in_order(connection, ids)

        self.database.write(write)

    def remove(self, policy_id):
        def write(connection):
            versions.grow_policies(connection)
            policies.remove(connection, policy_id)

        self.database.write(write)

    def keep(self, query):
        """Adds a list of a query; its id."""
        listed = ListedQuery(query, "next_due", "UTC")
        id, _ = self.database.write(lambda c: query_lists.keep(c, listed))
        self.order.tick()
        return id

    def on(self, list_id):
        """The threads that Redis has on a list; SQL must have the same."""
        with self.database.read() as connection:
            found = query_lists.current(connection).lists[list_id]
            in_sql = entries.entries(connection, found, self.clock(), 1_000)
        assert self.order.ranking.head(list_id, "next_due", 1_000).entries == in_sql
        return [entry.id for entry in in_sql]

    def set_clock(self, at_ms):
        self.clock.advance(at_ms - self.clock())

    def row(self, thread):
        with self.database.read() as connection:
            id = threads_of.id_of(connection, self.order.source_id, thread)
            return thread_rows.rows(connection, [id])[id]

    def told(self):
        """The events `thread.due`, in order."""
        of_type = outgoing_events.c.type == "thread.due"
        with self.database.read() as connection:
            found = select(outgoing_events.c.data).where(of_type).order_by(outgoing_events.c.id)
            return list(connection.scalars(found))

    def assert_all_follow(self):
        """Checks SQL's due times against the pure function, over the facts in SQL."""
        now = self.clock()
        with self.database.read() as connection:
            known = known_policies.current(connection)
            stored = dict(connection.execute(select(threads.c.id, threads.c.due_at)).all())
            for id, subject in subjects(connection, list(stored)).items():
                promise = known.policies.promise(subject, now)
                assert stored[id] == (promise.due_at if promise else None), id
            assert known_policies.progress(connection) is None

    def policies(self):
        """All policies in their order."""
        with self.database.read() as connection:
            return policies.listing(connection)
