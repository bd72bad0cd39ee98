"""The threads on the screens of this worker's sockets: frames carry their rows."""

from collections import Counter
from collections.abc import Iterable

from dashboard.live.requests import WATCH_MAX


class VisibleRows:
    """Counts the sockets on which each thread's row is visible; at most 500 rows a socket."""

    def __init__(self) -> None:
        self._watched: dict[str, dict[int, None]] = {}
        self._counts: Counter[int] = Counter()
        #: Sockets with changed visible rows; presence reads and clears this.
        self.changed: set[str] = set()

    def watch(self, sid: str, add: Iterable[int], remove: Iterable[int] = ()) -> None:
        """Adds and removes rows; beyond `WATCH_MAX` the oldest are dropped."""
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
        """Removes the rows of a closed socket."""
        watched = self._watched.pop(sid, {})
        self.changed.discard(sid)
        for id in tuple(watched):
            self._forget(watched, id)

    def of(self, sid: str) -> list[int]:
        """Returns the visible rows of a socket, the newest last."""
        return list(self._watched.get(sid, ()))

    def on_screen(self, ids: Iterable[int]) -> list[int]:
        """Returns the given threads that have a row visible on a socket of this worker."""
        return [id for id in ids if id in self._counts]

    def _forget(self, watched: dict[int, None], id: int) -> None:
        del watched[id]
        self._counts[id] -= 1
        if not self._counts[id]:
            del self._counts[id]
