"""Who follows which list: one board a tag, with the version that each follower was brought to."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from dashboard.live.calls import ListName

#: Followers that lag behind are read for together, in so many steps a tag at most.
STEPS_MAX = 4


@dataclass(eq=False)
class Follower:
    """One list on one socket; `unacknowledged_since` in monotonic seconds.

    `missed`: something was pushed meanwhile, which waits for the acknowledgement.
    """

    sid: str
    list: ListName
    epoch: str
    version: int
    unacknowledged_since: float | None = None
    missed: bool = False
    gone: bool = False


@dataclass
class Step:
    """Followers that one read serves: all are at `since`, or further."""

    epoch: str
    since: int
    followers: list[Follower]

    def sorts(self) -> list[str]:
        return sorted({follower.list.sort for follower in self.followers})


@dataclass
class Board:
    followers: dict[tuple[str, ListName], Follower] = field(default_factory=dict)

    def steps(self) -> list[Step]:
        """Those who may be sent a frame, in few groups: the front, and the laggards together."""
        ready = []
        for each in self.followers.values():
            if each.unacknowledged_since is None:
                ready.append(each)
            else:
                each.missed = True
        ready.sort(key=lambda follower: (follower.epoch, -follower.version))
        steps: list[Step] = []
        for follower in ready:
            last = steps[-1] if steps else None
            if (
                last
                and last.epoch == follower.epoch
                and (last.since == follower.version or len(steps) >= STEPS_MAX)
            ):
                last.followers.append(follower)
                last.since = follower.version
            else:
                steps.append(Step(follower.epoch, follower.version, [follower]))
        return steps


class Boards:
    """All boards of this worker."""

    def __init__(self) -> None:
        self._boards: dict[str, Board] = {}
        self._lists: dict[str, dict[ListName, str]] = {}

    def __contains__(self, tag: str) -> bool:
        return tag in self._boards

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._boards))

    def followers(self) -> Iterable[Follower]:
        return [each for board in self._boards.values() for each in board.followers.values()]

    def steps(self, tag: str) -> list[Step]:
        board = self._boards.get(tag)
        return board.steps() if board else []

    def follow(self, tag: str, sid: str, list: ListName, epoch: str, version: int) -> None:
        """The socket holds the list at this version; frames bring it on from there."""
        board = self._boards.setdefault(tag, Board())
        known = board.followers.get((sid, list))
        if known is None:
            board.followers[sid, list] = Follower(sid, list, epoch, version)
            self._lists.setdefault(sid, {})[list] = tag
        else:
            known.epoch, known.version = epoch, version

    def leave(self, sid: str, list: ListName) -> None:
        lists = self._lists.get(sid, {})
        tag = lists.pop(list, None)
        if tag is not None:
            self._remove(tag, sid, list)
        if not lists:
            self._lists.pop(sid, None)

    def drop(self, sid: str) -> None:
        """The socket is gone."""
        for list in tuple(self._lists.get(sid, ())):
            self.leave(sid, list)

    def lists_of(self, sid: str) -> dict[ListName, str]:
        """The lists that a socket follows, with their tags."""
        return dict(self._lists.get(sid, {}))

    def _remove(self, tag: str, sid: str, list: ListName) -> None:
        board = self._boards[tag]
        board.followers.pop((sid, list)).gone = True
        if not board.followers:
            del self._boards[tag]
