"""Tells admins what queues do: threads that were given to them or went back, and the numbers."""

from collections.abc import Callable, Mapping, Set
from typing import Any

from sqlalchemy import Connection

from dashboard.db.accounts.admin_desks import sees
from dashboard.db.database import Database
from dashboard.db.queues import definitions, news, standing
from dashboard.db.queues.news import Pending, Return
from dashboard.db.queues.standing import Reader, Told
from dashboard.db.threads import thread_rows
from dashboard.errors import StorageUnavailable
from dashboard.tasks import PeriodicTask, RunsTask
from dashboard.transport.caller import Caller
from dashboard.transport.emitter import Emitter
from dashboard.transport.packets import EncodedJson, encode
from dashboard.validation.strict_json import JsonObject

#: Interval of reads: any worker may have handed out a thread. Longer while there are no queues: the
#: first one comes with a notification (`look`).
READ_SECONDS, REST_SECONDS = 0.5, 10.0
#: Longest time between two readings of all numbers (ms).
LOOK_MS = 5_000
#: Acts that are read again: another transaction may have committed an earlier one meanwhile.
OVERLAP = 200

#: A thread and the time of its assignment.
_Key = tuple[int, int]


class _Socket:
    """A socket and the news that it has got."""

    def __init__(self, caller: Caller):
        self.caller = caller
        #: Threads to open; None: nothing was told yet.
        self.given: set[_Key] | None = None
        self.state = Told({}, None, 0)

    @property
    def reader(self) -> Reader:
        return Reader(self.caller.admin_id, self.caller.role, self.caller.desks)


class QueueNews(RunsTask):
    """Reads from SQL what queues did, and sends it to the sockets of this worker.

    Nothing is sent twice to a socket; after connecting it is told of all threads that its admin has
    still to open.
    """

    def __init__(self, database: Database, clock: Callable[[], int], emitter: Emitter):
        self._database = database
        self._clock = clock
        self._emitter = emitter
        self._sockets: dict[str, _Socket] = {}
        self._has_queues = False
        self._has_news = False
        self._signature: tuple[Any, ...] = ()
        self._look_at = 0
        self._act_id: int | None = None
        self._returned: set[int] = set()
        self._task = PeriodicTask(
            "telling admins what queues do",
            self.turn,
            interval_seconds=lambda: (
                READ_SECONDS if self._has_queues and self._sockets else REST_SECONDS
            ),
            expected=(StorageUnavailable,),
        )

    def look(self) -> None:
        """Has the next turn read everything, at once: a queue was changed, or a thread opened."""
        self._has_news = True
        self._task.wake()

    def turn(self) -> None:
        """Sends what is new. Raises StorageUnavailable."""
        if not self._sockets:
            self._act_id = None
            return
        if self._has_news:
            self._has_news, self._look_at = False, 0
        with self._database.read() as connection:
            signature, now = news.signature(connection), self._clock()
            # Time changes numbers as well.
            if signature == self._signature and now < self._look_at:
                return
            # Until all is sent: a turn that fails is done again.
            self._look_at = 0
            queues = definitions.listing(connection)
            if not (queues or self._has_queues):
                return
            sockets = {**self._sockets}
            names = {queue.id: queue.name for queue in queues}
            returned = self._send_returned(connection, sockets)
            joined = self._send_given(connection, sockets, names, returned)
            self._send_numbers(connection, sockets, joined)
        self._has_queues, self._signature, self._look_at = bool(queues), signature, now + LOOK_MS

    def _send_given(
        self,
        connection: Connection,
        sockets: Mapping[str, _Socket],
        names: Mapping[int, str],
        returned: Set[int],
    ) -> dict[str, list[int]]:
        """Sends which threads are to be opened and which not any more, except those that returned;
        returns the first ones for the sockets that have got nothing before."""
        pending = news.pending(connection, {one.caller.admin_id for one in sockets.values()})
        rows = thread_rows.rows(connection, [one.thread_id for one in pending]) if pending else {}
        joined: dict[str, list[int]] = {}
        for sid, socket in sockets.items():
            own = {
                (one.thread_id, one.given_at): one
                for one in pending
                if one.admin_id == socket.caller.admin_id
                and sees(socket.caller.desks, one.desk)
                and one.thread_id in rows
            }
            before = socket.given
            ids = {id for id, _ in own}
            for id in sorted({id for id, _ in before or ()} - ids - returned):
                self._send(sid, "queue:taken", {"thread_id": id})
            for key, one in own.items():
                if before is None or key not in before:
                    self._send(sid, "queue:given", _given(one, names, rows[one.thread_id]))
            if before is None:
                joined[sid] = [id for id, _ in own]
            socket.given = {*own}
        return joined

    def _send_returned(
        self, connection: Connection, sockets: Mapping[str, _Socket]
    ) -> frozenset[int]:
        """Sends which threads went back by themselves; returns them."""
        last_id = news.last_act_id(connection)
        since, self._act_id = self._act_id, last_id
        if since is None:
            self._returned = {one.act_id for one in news.returns(connection, last_id - OVERLAP)}
            return frozenset()
        returns = news.returns(connection, since - OVERLAP)
        told, self._returned = self._returned, {one.act_id for one in returns}
        untold = [one for one in returns if one.act_id not in told]
        for one in untold:
            for sid, socket in sockets.items():
                if socket.caller.admin_id == one.admin_id:
                    self._send(sid, "queue:returned", _returned(one))
        return frozenset(one.thread_id for one in untold)

    def _send_numbers(
        self,
        connection: Connection,
        sockets: Mapping[str, _Socket],
        joined: Mapping[str, list[int]],
    ) -> None:
        now = self._clock()
        cached: dict[Reader, Told] = {}
        all_queues = standing.AllQueues(connection, now)
        for sid, socket in sockets.items():
            reader = socket.reader
            if reader not in cached:
                cached[reader] = all_queues.told_to(connection, reader)
            before, told = socket.state, cached[reader]
            if told == before and sid not in joined:
                continue
            changed = [one for id, one in told.queues.items() if one != before.queues.get(id)]
            if before.queues.keys() - told.queues.keys():
                changed = [*told.queues.values()]
            data: JsonObject = {"queues": changed, "ids": [*told.queues], "next": told.next}
            if told.me != before.me:
                data["me"] = told.me
            if sid in joined:
                data["given"] = joined[sid]
            socket.state = told
            self._send(sid, "queues:state", data)

    def _send(self, sid: str, event: str, data: Mapping[str, Any]) -> None:
        if sid in self._sockets:
            self._emitter.send(sid, event, EncodedJson(encode(data)))

    # A SocketObserver

    def on_connect(self, caller: Caller) -> None:
        """Does nothing: nothing can be sent yet."""

    def on_ready(self, caller: Caller) -> None:
        self._sockets[caller.sid] = _Socket(caller)
        self.look()

    def on_role(self, caller: Caller) -> None:
        if caller.sid in self._sockets:
            self._sockets[caller.sid].caller = caller
            self.look()

    def on_message(self, sid: str) -> None:
        """Does nothing: the news do not depend on the time of a socket's last call."""

    def on_disconnect(self, sid: str, reason: str) -> None:
        self._sockets.pop(sid, None)


def _given(one: Pending, names: Mapping[int, str], row: Any) -> JsonObject:
    return {
        "thread_id": one.thread_id,
        "queue": {"id": one.queue_id, "name": names.get(one.queue_id, "")},
        "until": one.until,
        "row": row,
    }


def _returned(one: Return) -> JsonObject:
    return {
        "thread_id": one.thread_id,
        "queue": one.queue,
        "reason": one.reason,
        "accepting": one.accepting,
    }
