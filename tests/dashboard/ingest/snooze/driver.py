"""A thread that admins snooze: every part of ingest and ordering, and a clock that tests move."""

from typing import Any

import fakeredis
from sqlalchemy import select

from dashboard.db.database import Database
from dashboard.db.models.threads import threads
from dashboard.db.models.webhooks import outgoing_events
from dashboard.db.threads import conversations, thread_rows
from dashboard.ingest.actions import Admin, Reply
from tests.dashboard.ingest.shop import new_admin
from tests.dashboard.ordering.order import Order
from tests.support import SettableClock

MINUTE_MS = 60_000


class SnoozeDriver:
    """The thread 1, which Mai and Ken snooze; `order` has Redis and SQL."""

    def __init__(self, database: Database, clock: SettableClock):
        self.order = Order(database, fakeredis.FakeRedis(), clock)
        self.clock = clock
        self.services = self.order.services
        self.mai = Admin(new_admin(database, "Mai"), "Mai")
        self.ken = Admin(new_admin(database, "Ken"), "Ken")
        self.order.tick()
        self.order.post("t")
        self._replies = 0

    def snooze(self, minutes: float = 60, wake: str = "reply", by: Admin | None = None) -> int:
        """Returns the id of the act."""
        until = self.clock() + int(minutes * MINUTE_MS)
        return self.act(self.services.snoozing.snooze, 1, until, wake, by=by)

    def act(self, action: Any, *given: Any, by: Admin | None = None) -> Any:
        return self.services.ingest.act(action, by or self.mai, *given)

    def wake(self, by: Admin | None = None) -> int:
        return self.act(self.services.snoozing.wake, 1, by=by)

    def undo(self, act: int, by: Admin | None = None) -> None:
        self.act(self.services.undo.undo, act, by=by)

    def close(self, by: Admin | None = None) -> int:
        return self.act(self.services.actions.close, 1, by=by)

    def reopen(self, by: Admin | None = None) -> int:
        return self.act(self.services.actions.reopen, 1, by=by)

    def reply(self, private: bool = False) -> None:
        self._replies += 1
        reply = Reply("Hello", f"reply-{self._replies}", private=private, confirm=True)
        self.act(self.services.actions.reply, 1, reply)

    def pass_minutes(self, minutes: float) -> int:
        """Time passes, and the queue takes up what is due; returns how many threads that were."""
        self.clock.advance(int(minutes * MINUTE_MS))
        return self.services.due_queue.turn()

    def row(self) -> dict[str, Any]:
        with self.order.database.read() as connection:
            return thread_rows.rows(connection, [1])[1]

    def columns(self) -> dict[str, Any]:
        with self.order.database.read() as connection:
            return dict(connection.execute(select(threads)).mappings().one())

    def views(self) -> set[str]:
        """The views of the thread in Redis; SQL must have the same lists."""
        assert self.order.differences() == []
        ranking = self.order.ranking
        views = ("arrival", "not_respond", "history")
        return {view for view in views if ranking.head(view, "arrival", 1).total}

    def said(self) -> list[tuple[str, dict[str, Any]]]:
        """The acts, as the conversation and the chatbot get them: type and data."""
        with self.order.database.read() as connection:
            done = [each.to_json() for each in conversations.acts_after(connection, 1, 0)]
            sent = select(outgoing_events.c.type, outgoing_events.c.data)
            out = connection.execute(sent.order_by(outgoing_events.c.seq)).all()
        shown = [(each.pop("type"), each) for each in done]
        for _, each in shown:
            del each["id"], each["at"]
        names = [type for type, _ in out]
        assert [type for type, _ in shown if type in names] == [
            type for type in names if type != "message.created"
        ]
        for type, data in out:
            assert data.pop("thread_id") == 1
            assert type == "message.created" or (type, data) in shown, (type, data)
        return shown
