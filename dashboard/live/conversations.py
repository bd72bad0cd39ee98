"""Open threads: what is written in them, and done to them, goes to those who have them open."""

from collections.abc import Iterable
from typing import Any

from dashboard.live.outlet import Outlet
from dashboard.live.packets import Fragment, encode
from dashboard.live.reads import Reads
from dashboard.store.acts import Mark


class Conversations:
    """Pushes from what SQL holds, not from what somebody said: a lost bell loses no message."""

    def __init__(self, reads: Reads, outlet: Outlet):
        self._reads = reads
        self._outlet = outlet
        self._readers: dict[int, set[str]] = {}
        self._pushed: dict[int, int] = {}
        self._acts: dict[int, Mark] = {}
        self._unsure: set[int] = set()

    def join(self, sid: str, thread_id: int) -> None:
        """From now on what is new goes to this socket; join first, then read what is there."""
        self._readers.setdefault(thread_id, set()).add(sid)

    def has_read(self, thread_id: int, message_id: int) -> None:
        """A reader was given everything up to this message."""
        if thread_id in self._readers:
            self._pushed.setdefault(thread_id, message_id)
            if thread_id not in self._acts:
                self._acts[thread_id] = self._reads.acts_mark(thread_id)
            # Something may have been stored between that reading and now.
            self._unsure.add(thread_id)

    def leave(self, sid: str, thread_id: int) -> None:
        readers = self._readers.get(thread_id, set())
        readers.discard(sid)
        if not readers:
            self._readers.pop(thread_id, None)
            self._pushed.pop(thread_id, None)
            self._acts.pop(thread_id, None)
            self._unsure.discard(thread_id)

    def drop(self, sid: str) -> None:
        """The socket is gone."""
        for thread_id in [id for id, readers in self._readers.items() if sid in readers]:
            self.leave(sid, thread_id)

    @property
    def open_threads(self) -> tuple[int, ...]:
        return tuple(self._readers)

    def readers_of(self, thread_id: int) -> tuple[str, ...]:
        return tuple(self._readers.get(thread_id, ()))

    @property
    def are_open(self) -> bool:
        return bool(self._readers)

    @property
    def are_unsure(self) -> bool:
        return bool(self._unsure)

    def push(self, changed: Iterable[int] | None) -> None:
        """Sends what is new in those of the changed threads that are open; None: in all.

        Raises StorageUnavailable; what was not sent is sent by a later call.
        """
        threads = set(self._readers) if changed is None else set(changed) & set(self._readers)
        self._unsure |= threads
        for thread_id in sorted(self._unsure):
            self._push(thread_id)
            self._unsure.discard(thread_id)

    def _push(self, thread_id: int) -> None:
        pushed = self._pushed.get(thread_id)
        if pushed is None:
            return
        for message in self._reads.messages_after(thread_id, pushed):
            self._tell(thread_id, "thread:message", {"message": message})
            if thread_id in self._pushed:
                self._pushed[thread_id] = max(self._pushed[thread_id], message["id"])
        self._push_acts(thread_id)

    def _push_acts(self, thread_id: int) -> None:
        known = self._acts.get(thread_id)
        if known is None:
            return
        acts, known = self._reads.acts_after(thread_id, known)
        for act in acts:
            self._tell(thread_id, "thread:act", act)
        if thread_id in self._acts:
            self._acts[thread_id] = known

    def _tell(self, thread_id: int, event: str, what: dict[str, Any]) -> None:
        data = Fragment(encode({"thread_id": thread_id, **what}))
        for sid in self.readers_of(thread_id):
            self._outlet.send(sid, event, data)
