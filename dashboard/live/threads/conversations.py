"""Open threads: their new messages and acts go to the sockets that have them open."""

from collections.abc import Iterable
from typing import Any

from dashboard.live.reads import Reads
from dashboard.transport.emitter import Emitter
from dashboard.transport.packets import EncodedJson, encode


class Conversations:
    """Pushes what SQL holds: a notification only starts a read, so a lost one loses no message."""

    def __init__(self, reads: Reads, emitter: Emitter):
        self._reads = reads
        self._emitter = emitter
        self._readers: dict[int, set[str]] = {}
        self._pushed: dict[int, int] = {}
        self._pushed_acts: dict[int, int] = {}
        self._unchecked: set[int] = set()

    def join(self, sid: str, thread_id: int) -> None:
        """Pushes to this socket from now on. Join before reading, so that nothing falls between."""
        self._readers.setdefault(thread_id, set()).add(sid)

    def has_read(self, thread_id: int, message_id: int, act_id: int) -> None:
        """Notes that a reader has every message and every act up to these."""
        if thread_id in self._readers:
            self._pushed.setdefault(thread_id, message_id)
            self._pushed_acts.setdefault(thread_id, act_id)
            # More may have been stored since that read.
            self._unchecked.add(thread_id)

    def leave(self, sid: str, thread_id: int) -> None:
        readers = self._readers.get(thread_id, set())
        readers.discard(sid)
        if not readers:
            self._readers.pop(thread_id, None)
            self._pushed.pop(thread_id, None)
            self._pushed_acts.pop(thread_id, None)
            self._unchecked.discard(thread_id)

    def drop(self, sid: str) -> None:
        """Closes all threads of a closed socket."""
        for thread_id in [id for id, readers in self._readers.items() if sid in readers]:
            self.leave(sid, thread_id)

    @property
    def open_threads(self) -> tuple[int, ...]:
        return tuple(self._readers)

    def readers_of(self, thread_id: int) -> tuple[str, ...]:
        return tuple(self._readers.get(thread_id, ()))

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
