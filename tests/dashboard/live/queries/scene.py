"""An order with threads, a worker, and sockets that have lists of queries open."""

import fakeredis

from dashboard.db.lists import entries, query_lists, views
from dashboard.db.lists.views import Draft
from dashboard.transport.caller import Caller
from tests.dashboard.ingest.shop import new_admin
from tests.dashboard.live.emitter import Wire
from tests.dashboard.live.model import Worker
from tests.dashboard.ordering.order import Order
from tests.support import SettableClock, wait_until


class Scene:
    """An order with some threads, a worker, and Mai's socket on it."""

    def __init__(self, database):
        self.order = Order(database, fakeredis.FakeRedis(), SettableClock())
        self.mai = new_admin(database, "Mai", "supervisor")
        for name in "abc":
            self.order.post(name)
        self.order.post("d", role="bot")
        self.order.tick()
        self.worker = Worker(self.order)
        self.caller = self.socket("socket")

    def socket(self, sid):
        self.worker.network.wires[sid] = Wire()
        self.worker.broadcaster.admins.add(sid, self.mai)
        return Caller(sid, self.mai)

    def call(self, name, caller=None, **fields):
        return self.worker.call(caller or self.caller, f"list:{name}", fields)

    def open(self, caller=None, **fields):
        """Opens a list, which is there after a moment; returns the answer."""

        def answer():
            found = self.call("open", caller, limit=10, **fields)
            return {} if found.get("building") else found

        found = wait_until(answer, what="the list")
        assert "late" not in found
        return found

    def frames(self, sid="socket"):
        """Returns the frames of the next turn; all are acknowledged."""
        self.order.seconds += 1
        self.worker.broadcaster.notify_queries()
        self.worker.broadcaster.turn()
        wire = self.worker.network.wires[sid]
        found = [*wire.frames]
        wire.frames.clear()
        for _, acknowledged in found:
            acknowledged()
        return [frame for frame, _ in found]

    def save(self, query, sort="longest_wait", owner=None):
        draft = Draft("a view", query, sort, "UTC", owner)
        return self.order.database.write(
            lambda connection: views.create(connection, draft, self.mai, self.order.clock())
        )

    def lists(self):
        with self.order.database.read() as connection:
            return dict(query_lists.current(connection).lists)

    def in_sql(self, list_id):
        with self.order.database.read() as connection:
            found = query_lists.current(connection).lists[list_id]
            return entries.entries(connection, found, self.order.clock(), 100)
