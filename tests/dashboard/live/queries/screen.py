"""A dashboard with lists of queries open, each held by the page's own reducer."""

from typing import Any

from dashboard.db.lists.named_lists import ListName
from dashboard.errors import Problem
from dashboard.transport.caller import Caller
from tests.dashboard.live.emitter import Wire
from tests.dashboard.live.queries.process import Process
from tests.drivers.replay import Replay

LIMIT = 3
_NAMING = ("view", "query", "sort", "filter", "timezone")
_NOTHING = {"epoch": "", "version": 0, "total": 0, "ids": [], "scores": [], "rows": []}


class Screen:
    """A dashboard with lists open, each held by the page's own reducer."""

    def __init__(self, name: str, admin_id: int, process: Process, replay: Replay):
        self.caller = Caller(name, admin_id)
        self.process = process
        self._replay = replay
        #: Name of a list, and whether it must be read again.
        self.lists: dict[tuple[str, ...], bool] = {}
        self._lost: set[tuple[str, ...]] = set()
        process.worker.broadcaster.admins.add(name, admin_id)
        self.wire = process.network.wires.setdefault(name, Wire())

    def open(self, **named: str) -> None:
        """Opens a list, or syncs it, or opens it again if a sync is not enough."""
        name = _name(named)
        held = self.dump(name) if name in self.lists else None
        if held is not None and held["epoch"]:
            known = {"epoch": held["epoch"], "version": held["version"]}
            answer = self._ask("sync", named, **known)
            if answer is None:
                return
            if self._do("sync", name, answer=answer) in ("applied", "old"):
                self.lists[name] = False
                return
        answer = self._ask("open", named, limit=LIMIT)
        if answer is None:
            return
        is_there = "ids" in answer
        if is_there:
            self._do("open", name, answer=answer)
        self.lists[name] = not is_there or bool(answer.get("late"))
        if not is_there:
            self._do("open", name, answer=_NOTHING)

    def deliver(self, place: int = 0, *, lost: bool = False) -> None:
        """Delivers one of the frames that are under way, or loses it; not always the first.

        The next frame shows the gap; without one, the connection that lost it ends, and `freshen`
        syncs the list.
        """
        if not self.wire.frames:
            return
        place %= len(self.wire.frames)
        frame, acknowledged = self.wire.frames[place]
        del self.wire.frames[place]
        name = _name({field: frame[field] for field in _NAMING if field in frame})
        if lost:
            self._lost.add(name)
        elif name in self.lists and self._do("frame", name, frame=frame) == "sync":
            self.lists[name] = True
        if acknowledged is not None:
            acknowledged()

    def freshen(self) -> bool:
        """Takes all frames, and reads outdated lists again; returns whether anything came."""
        for gone in self.process.network.gone.pop(self.caller.sid, ()):
            self.lists.pop(_name({field: gone[field] for field in _NAMING if field in gone}), None)
        came = bool(self.wire.frames)
        while self.wire.frames:
            self.deliver()
        lost, self._lost = self._lost, set()
        for name, is_stale in [*self.lists.items()]:
            if is_stale or name in lost:
                came = True
                self.open(**dict(name))  # type: ignore[arg-type]
        return came

    def dump(self, name: tuple[str, ...]) -> dict[str, Any]:
        return self._replay.do("dump", self._key(name))

    def _ask(self, call: str, named: dict[str, str], **more: Any) -> dict[str, Any] | None:
        """Returns None if there is no such list any more."""
        try:
            return self.process.worker.call(self.caller, f"list:{call}", named | more)
        except Problem:
            self.lists.pop(_name(named), None)
            return None

    def _do(self, op: str, name: tuple[str, ...], **given: Any) -> str:
        return self._replay.do(op, self._key(name), **given)["result"]

    def _key(self, name: tuple[str, ...]) -> str:
        return f"{id(self)}:{self.caller.sid}:{name}"


def _name(named: dict[str, str]) -> tuple[Any, ...]:
    return tuple(sorted(({"filter": "all"} | named).items()))


def list_name(named: dict[str, Any]) -> ListName:
    return ListName(
        named.get("view"), named["sort"], named["filter"], named.get("query"), named.get("timezone")
    )
