"""Ends what sockets hold of threads that their admins see no more: moved to a desk, or erased."""

from collections.abc import Callable, Iterable

from dashboard.live.reads import Reads
from dashboard.live.socket_admins import SocketAdmins
from dashboard.live.threads.conversations import Conversations
from dashboard.live.visible_rows import VisibleRows
from dashboard.transport.emitter import Emitter
from dashboard.transport.packets import EncodedJson, encode

#: Called with a socket and a thread that it has open no more.
OnGone = Callable[[str, int], object]


class HeldThreads:
    """Open threads of all sockets, and rows on screen of those that see some desks alone."""

    def __init__(
        self,
        reads: Reads,
        admins: SocketAdmins,
        visible_rows: VisibleRows,
        conversations: Conversations,
        emitter: Emitter,
    ):
        self._reads = reads
        self._admins = admins
        self._visible_rows = visible_rows
        self._conversations = conversations
        self._emitter = emitter
        self._observers: list[OnGone] = []
        #: Changed threads that could not be looked at yet; None: all.
        self._unchecked: set[int] | None = set()

    def __bool__(self) -> bool:
        return bool(self._admins.of_some_desks())

    @property
    def has_unchecked(self) -> bool:
        """Whether a look has failed, and must be repeated."""
        return self._unchecked is None or bool(self._unchecked)

    def observe(self, on_gone: OnGone) -> None:
        """Calls this for each thread that a socket had open."""
        self._observers.append(on_gone)

    def check(self, changed: Iterable[int] | None) -> None:
        """Looks at which desks these threads are, where a socket holds them; None: at all held.

        One that was erased is at no desk.

        Raises StorageUnavailable; a later call looks at them again.
        """
        if changed is None or self._unchecked is None:
            self._unchecked = None
        else:
            self._unchecked |= {*changed}
        held = {sid: self._of(sid) for sid in self._admins.of_some_desks()}
        if self._unchecked is not None:
            held = {sid: threads & self._unchecked for sid, threads in held.items()}
        opened = frozenset(self._conversations.open_threads)
        if self._unchecked is not None:
            opened &= self._unchecked
        asked = opened.union(*held.values())
        desks_of = self._reads.desks_of(asked) if asked else {}
        self._unchecked = set()
        for sid, threads in held.items():
            seen = self._admins.desks_of(sid)
            for id in threads & desks_of.keys():
                if seen is not None and desks_of[id] not in seen:
                    self._end(sid, id)
        for id in opened - desks_of.keys():
            for sid in self._conversations.sockets_at(id):
                self._end(sid, id)

    def _of(self, sid: str) -> frozenset[int]:
        return frozenset([*self._visible_rows.of(sid), *self._conversations.opened_by(sid)])

    def _end(self, sid: str, thread_id: int) -> None:
        self._visible_rows.watch(sid, (), [thread_id])
        if thread_id not in self._conversations.opened_by(sid):
            return
        self._conversations.leave(sid, thread_id)
        for on_gone in self._observers:
            on_gone(sid, thread_id)
        self._emitter.send(sid, "thread:gone", EncodedJson(encode({"thread_id": thread_id})))
