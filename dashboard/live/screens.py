"""Which threads are on screen on this worker's sockets: their rows go along with frames."""

from collections import Counter
from collections.abc import Iterable

from dashboard.live.calls import WATCH_MAX


class Screens:
    """Counts, over all sockets, who has a thread's row on screen; at most 500 a socket."""

    def __init__(self) -> None:
        self._watched: dict[str, dict[int, None]] = {}
        self._counts: Counter[int] = Counter()
        #: Sockets on whose screens other rows are; taken out by who follows them.
        self.changed: set[str] = set()

    def watch(self, sid: str, add: Iterable[int], remove: Iterable[int] = ()) -> None:
        """Adds and removes rows; beyond the most, those that came first are dropped."""
        watched = self._watched.setdefault(sid, {})
        self.changed.add(sid)
        for id in remove:
            if id in watched:
                self._forget(watched, id)
        for id in add:
            if watched.pop(id, self) is self:
                self._counts[id] += 1
            watched[id] = None
        while len(watched) > WATCH_MAX:
            self._forget(watched, next(iter(watched)))

    def drop(self, sid: str) -> None:
        """The socket is gone."""
        watched = self._watched.pop(sid, {})
        self.changed.discard(sid)
        for id in tuple(watched):
            self._forget(watched, id)

    def of(self, sid: str) -> list[int]:
        """What the socket has on screen, the newest last."""
        return list(self._watched.get(sid, ()))

    def on_screen(self, ids: Iterable[int]) -> list[int]:
        """Those of the threads that anybody has on screen."""
        return [id for id in ids if id in self._counts]

    def _forget(self, watched: dict[int, None], id: int) -> None:
        del watched[id]
        self._counts[id] -= 1
        if not self._counts[id]:
            del self._counts[id]
