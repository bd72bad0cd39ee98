"""Open threads: their new messages and acts go to the sockets that have them open."""

from collections.abc import Iterable
from typing import Any

from dashboard.db.accounts.admin_desks import Desks, sees
from dashboard.live.reads import Reads
from dashboard.transport.emitter import Emitter
from dashboard.transport.packets import EncodedJson, encode


class Conversations:
    """Pushes what SQL holds: a notification only starts a read, so a lost one loses no message."""

    def __init__(self, reads: Reads, emitter: Emitter):
        self._reads = reads
        self._emitter = emitter
        #: Thread id to the sockets that have it open, each with the desks that it sees.
        self._readers: dict[int, dict[str, Desks]] = {}
        self._pushed: dict[int, int] = {}
        self._pushed_acts: dict[int, int] = {}
        self._unchecked: set[int] = set()

    def join(self, sid: str, thread_id: int, desks: Desks = None) -> None:
        """Pushes to this socket from now on, while the thread is at one of these desks; None: at
        any. Join before reading, so that nothing falls between."""
        self._readers.setdefault(thread_id, {})[sid] = desks

    def has_read(self, thread_id: int, message_id: int, act_id: int) -> None:
        """Notes that a reader has every message and every act up to these."""
        if thread_id in self._readers:
            self._pushed.setdefault(thread_id, message_id)
            self._pushed_acts.setdefault(thread_id, act_id)
            # More may have been stored since that read.
            self._unchecked.add(thread_id)

    def leave(self, sid: str, thread_id: int) -> None:
        readers = self._readers.get(thread_id, {})
        readers.pop(sid, None)
        if not readers:
            self._readers.pop(thread_id, None)
            self._pushed.pop(thread_id, None)
            self._pushed_acts.pop(thread_id, None)
            self._unchecked.discard(thread_id)

    def drop(self, sid: str) -> None:
        """Closes all threads of a closed socket."""
        for thread_id in self.opened_by(sid):
            self.leave(sid, thread_id)

    def opened_by(self, sid: str) -> list[int]:
        """The threads that a socket has open."""
        return [id for id, readers in self._readers.items() if sid in readers]

    @property
    def open_threads(self) -> tuple[int, ...]:
        return tuple(self._readers)

    def sockets_at(self, thread_id: int) -> list[str]:
        """The sockets that have the thread open."""
        return list(self._readers.get(thread_id, ()))

    def readers_of(self, thread_id: int) -> list[str]:
        """The sockets that have the thread open, and see the desk at which it is now: ask after
        reading what they are sent. Raises StorageUnavailable."""
        readers = dict(self._readers.get(thread_id, {}))
        if all(desks is None for desks in readers.values()):
            return list(readers)
        desk = self._reads.desks_of([thread_id]).get(thread_id, "")
        return [sid for sid, desks in readers.items() if sees(desks, desk)]

    @property
    def has_readers(self) -> bool:
        return bool(self._readers)

    @property
    def has_unchecked(self) -> bool:
        return bool(self._unchecked)

    def push(self, changed: Iterable[int] | None) -> None:
        """Sends what is new in those changed threads that are open; None: in all open ones.

        Raises StorageUnavailable; a later call sends what was not sent.
        """
        threads = set(self._readers) if changed is None else set(changed) & set(self._readers)
        self._unchecked |= threads
        for thread_id in sorted(self._unchecked):
            self._push(thread_id)
            self._unchecked.discard(thread_id)

    def _push(self, thread_id: int) -> None:
        pushed = self._pushed.get(thread_id)
        if pushed is None:
            return
        for message in self._reads.messages_after(thread_id, pushed):
            self._send(thread_id, "thread:message", {"message": message})
            if thread_id in self._pushed:
                self._pushed[thread_id] = max(self._pushed[thread_id], message["id"])
        self._push_acts(thread_id)

    def _push_acts(self, thread_id: int) -> None:
        pushed = self._pushed_acts.get(thread_id)
        if pushed is None:
            return
        for act in self._reads.acts_after(thread_id, pushed):
            self._send(thread_id, "thread:act", act)
            if thread_id in self._pushed_acts:
                self._pushed_acts[thread_id] = max(self._pushed_acts[thread_id], act["id"])

    def _send(self, thread_id: int, event: str, data_of_event: dict[str, Any]) -> None:
        data = EncodedJson(encode({"thread_id": thread_id, **data_of_event}))
        for sid in self.readers_of(thread_id):
            self._emitter.send(sid, event, data)
