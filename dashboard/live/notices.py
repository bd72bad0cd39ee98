"""Sends admins notices of what concerns them, to all their sockets on this worker."""

from collections.abc import Collection, Iterable

from dashboard.db.accounts.admin_desks import sees
from dashboard.db.notices import Notice
from dashboard.live.reads import Reads
from dashboard.live.socket_admins import SocketAdmins
from dashboard.transport.caller import Caller
from dashboard.transport.emitter import Emitter
from dashboard.transport.packets import EncodedJson, encode

#: Greatest age of a notice that is sent: a worker may hear late of a change. No notice is sent
#: twice.
WINDOW_MS = 30_000
#: Greatest age of notices that a returning socket may ask for, and how many it gets, newest first.
MISSED_MS = 7 * 24 * 3_600_000
MISSED_MAX = 20

#: Admin, kind and id of a notice.
Key = tuple[int, str, int]


class Notices:
    """Sends the notices from changed threads to the admins who are connected to this worker."""

    def __init__(self, reads: Reads, emitter: Emitter, admins: SocketAdmins):
        self._reads = reads
        self._emitter = emitter
        self._admins = admins
        #: Notices that were sent, with their times.
        self._sent: dict[Key, int] = {}
        #: Changed threads that could not be read yet; None: any may have changed.
        self._unchecked: set[int] | None = set()

    def __bool__(self) -> bool:
        return len(self._admins) > 0

    @property
    def has_unchecked(self) -> bool:
        """Whether a read has failed, and must be repeated."""
        return self._unchecked is None or bool(self._unchecked)

    def check(self, changed: Iterable[int] | None) -> None:
        """Sends the new notices from these threads; None: from all.

        Raises StorageUnavailable; a later call reads them again.
        """
        if changed is None or self._unchecked is None:
            self._unchecked = None
        else:
            self._unchecked |= {*changed}
        sockets = self._sockets()
        since = self._reads.now() - WINDOW_MS
        notices = self._reads.notices(sockets, since, self._unchecked)
        self._unchecked = set()
        self._sent = {key: at for key, at in self._sent.items() if at >= since}
        for notice in notices:
            key = (notice.admin_id, notice.kind, notice.id)
            if key not in self._sent:
                self._sent[key] = notice.at
                self._send(notice, sockets[notice.admin_id])

    def missed(self, caller: Caller, since_ms: int) -> tuple[list[Notice], int]:
        """Returns the notices that an admin missed since then, by time: one for each thread, the
        newest, up to MISSED_MAX; and the number of all these threads. Raises StorageUnavailable."""
        since = max(since_ms, self._reads.now() - MISSED_MS)
        notices = self._reads.notices([caller.admin_id], since, None)
        newest = {notice.thread_id: notice for notice in notices if sees(caller.desks, notice.desk)}
        by_time = sorted(newest.values(), key=lambda notice: notice.at)
        return by_time[-MISSED_MAX:], len(by_time)

    def _sockets(self) -> dict[int, list[str]]:
        sockets: dict[int, list[str]] = {}
        for sid, admin_id in self._admins:
            sockets.setdefault(admin_id, []).append(sid)
        return sockets

    def _send(self, notice: Notice, sids: Collection[str]) -> None:
        data = EncodedJson(encode(notice.to_json()))
        for sid in sids:
            if sees(self._admins.desks_of(sid), notice.desk):
                self._emitter.send(sid, "notices:new", data)
