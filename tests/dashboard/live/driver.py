"""A broadcaster over a real ranking, with time and acknowledgements in the test's hands."""

import itertools

from dashboard.db.lists.named_lists import ListName
from dashboard.db.threads.thread_rows import SharedRow
from dashboard.live.broadcaster import FRAME_SECONDS, Broadcaster
from dashboard.live.status import Status
from scoring.placing import Placement
from scoring.ranking import Ranking
from tests.dashboard.live.emitter import FakeEmitter

ARRIVAL = ListName("arrival", "arrival", "all")
PRIORITY = ListName("arrival", "priority", "all")
VIEWS = ("arrival", "not_respond", "history")


class FakeReads:
    """Rows, messages and acts as the test sets them; keeps which rows were read."""

    def __init__(self):
        self.row_reads = []
        self.stored = []
        self.acts = []
        #: The advice of the threads that have some.
        self.advised = {}

    def now(self):
        return 0

    def notices(self, admin_ids, since_ms, thread_ids):
        """Returns none: notices have tests of their own."""
        return []

    def desks_of(self, ids):
        return dict.fromkeys(ids, "main")

    def rows(self, ids, desks=None):
        self.row_reads.append(sorted(ids))
        return {id: {"id": id, "name": f"thread {id}", "desk": "main"} for id in ids}

    def shared_rows(self, ids):
        return {id: SharedRow(row, None) for id, row in self.rows(ids).items()}

    def acts_after(self, thread_id, act_id):
        return [act for act in self.acts if act["id"] > act_id]

    def advice(self, thread_id):
        return self.advised.get(thread_id)

    def messages_after(self, thread_id, message_id):
        return [
            message
            for message in self.stored
            if message["thread_id"] == thread_id and message["id"] > message_id
        ]


class BroadcasterDriver:
    """Places threads, notifies the broadcaster, and takes the frames that it sends."""

    def __init__(self, client):
        self.client = client
        self.now = 1000.0
        self.late_since = None
        self.reads = FakeReads()
        self.emitter = FakeEmitter()
        self.ranking = Ranking(client)
        status = Status(lambda: self.late_since, lambda: int(self.now * 1000), self.emitter)
        self.broadcaster = Broadcaster(
            self.ranking, self.reads, status, self.emitter, lambda: self.now
        )
        self.revisions = itertools.count(1)
        self.rebuild("one")
        self.broadcaster.turn()

    def rebuild(self, epoch, list_ids=VIEWS):
        with self.ranking.begin_rebuild(list_ids) as rebuild:
            for list_id in list_ids:
                rebuild.swap(list_id, epoch)

    def place(self, id, score, enter=("arrival",), leave=()):
        scores = (score,) * len(self.ranking.sorts)
        lists = {**dict.fromkeys(leave), **dict.fromkeys(enter, scores)}
        self.ranking.place([Placement(id, next(self.revisions), lists)])

    def subscribe(self, sid, list=ARRIVAL):
        head = self.ranking.head("arrival", list.sort, 500)
        self.broadcaster.subscriptions.subscribe("arrival", sid, list, head.epoch, head.version)
        self.broadcaster.notify(["arrival"])
        self.turn()

    def turn(self, seconds=FRAME_SECONDS):
        self.now += seconds
        self.broadcaster.turn()

    def push(self, id, score, **where):
        """A change, its notification and the next turn; the frames that were sent."""
        self.place(id, score, **where)
        self.broadcaster.notify(["arrival"])
        self.turn()
        return self.frames()

    def frames(self, sid=None):
        return self.emitter.take("list:order", sid)
