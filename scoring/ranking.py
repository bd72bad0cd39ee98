"""The order in Redis: places threads on sorted sets, and reads them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import redis

from scoring.keys import Keys, member, thread_id
from scoring.reading import Changes, Entry, Head, State, changes, entries, text
from scoring.rebuilding import Rebuild
from scoring.scripts import Args, Call, Script, run
from scoring.sorts import SORTS

#: Threads that one call places: Redis serves nobody else meanwhile (about 1 ms).
THREADS_PER_CALL = 200
#: What is seen of a list that is not scrolled, and a little more; see `Changes.lands_on_top`.
TOP_ENTRIES = 30
#: Entries that `scan` reads at a time.
SCAN_ENTRIES = 5_000

_PLACE = Script.read("place")
_READ = Script.read("read")
_SINCE = Script.read("since")
_STATE = Script.read("state")


class RankingLost(Exception):
    """Redis has lost `tags`, or part of them, or has never held them. Rebuild them."""

    def __init__(self, tags: Iterable[str]):
        self.tags = frozenset(tags)
        super().__init__(f"Redis does not hold {', '.join(sorted(self.tags))}")


class Placement(NamedTuple):
    """Where a thread stands as of a revision: the tags that it enters, with a score for each
    sort, and those that it leaves (or is not on anyway)."""

    thread_id: int
    revision: int
    leave: frozenset[str]
    enter: frozenset[str]
    scores: tuple[int, ...]


class Ranking:
    """The lists under one prefix. Raises redis.RedisError as it comes."""

    def __init__(
        self, client: redis.Redis, prefix: str = "lineup", sorts: Iterable[str] = tuple(SORTS)
    ):
        self.keys = Keys(prefix)
        self.sorts = tuple(sorts)
        self._client = client

    def place(self, placements: Sequence[Placement]) -> int:
        """Puts threads where they stand, in one round trip, leaving before entering.

        Revisions older than the one held are refused, so it may be repeated and raced at will.
        Returns how many places changed (threads, counted on each tag). Raises RankingLost if a
        tag is lost (no epoch, or a log cut off); all is placed on the other tags.
        """
        calls = self._place_calls(placements)
        changed = run(self._client, [call for _, call in calls])
        lost = {tag for (tag, _), count in zip(calls, changed, strict=True) if count < 0}
        if lost:
            raise RankingLost(lost)
        return sum(changed)

    def head(self, tag: str, sort: str, limit: int) -> Head:
        """The first entries of a list. Raises RankingLost if the tag has no epoch."""
        return self._read(tag, sort, "", "", limit)[0]

    def after(self, tag: str, sort: str, score: int, id: int, limit: int) -> Head:
        """The entries that follow (score, id), whether or not that entry is still there.

        Raises RankingLost if the tag has no epoch.
        """
        return self._read(tag, sort, str(score), member(id), limit)[0]

    def through(
        self,
        tag: str,
        sort: str,
        score: int,
        id: int,
        target_id: int,
        beyond: int = 20,
        most: int = 20_000,
    ) -> tuple[Head, int | None]:
        """The entries that follow (score, id) as far as `beyond` past the target, at most `most`;
        and the target's rank from 0. No entries and None if the target is not on the list.

        Raises RankingLost if the tag has no epoch.
        """
        return self._read(tag, sort, str(score), member(id), beyond, member(target_id), most)

    def since(
        self, tag: str, sorts: Sequence[str], epoch: str, version: int, limit: int
    ) -> Changes | None:
        """What changed on the sorts of a tag since a version, at the cost of the changes alone.

        None where that cannot be told: the epoch is another or lost, the version is none of it,
        or more than `limit` threads changed. Then the list is to be opened anew.
        """
        keys = [self.keys.changes(tag), self.keys.meta(tag)]
        keys += [self.keys.sort(tag, sort) for sort in sorts]
        [answer] = run(self._client, [Call(_SINCE, keys, [epoch, version, limit, TOP_ENTRIES])])
        return None if answer is None else changes(epoch, tuple(sorts), answer)

    def rank(self, tag: str, sort: str, id: int) -> tuple[int | None, int]:
        """The thread's rank from 0, None if it is not on the list; and how long the list is."""
        pipeline = self._client.pipeline(transaction=True)
        pipeline.zrank(self.keys.sort(tag, sort), member(id))
        pipeline.zcard(self.keys.sort(tag, sort))
        rank, total = pipeline.execute()
        return rank, total

    def columns(self, ids: Mapping[str, Sequence[int]]) -> dict[str, list[list[float | None]]]:
        """For each tag, and then each sort, the scores of these threads; None where not there.

        All in one round trip; scores are whole numbers, as the client reads them.
        """
        named = {id: member(id) for found in ids.values() for id in found}
        pipeline = self._client.pipeline(transaction=False)
        tags = [tag for tag, found in ids.items() if found]
        for tag in tags:
            names = [named[id] for id in ids[tag]]
            for key in self._sort_keys(tag):
                pipeline.zmscore(key, names)
        answers = iter(pipeline.execute() if tags else [])
        return {tag: [next(answers) for _ in self.sorts] for tag in tags}

    def states(self, tags: Iterable[str]) -> dict[str, State]:
        """Where each tag stands, in one round trip. `total` is that of the first sort."""
        names = list(tags)
        calls = [
            Call(_STATE, [*self._sort_keys(tag), self.keys.changes(tag), self.keys.meta(tag)])
            for tag in names
        ]
        return {
            tag: State(None if epoch is None else text(epoch), int(version), total)
            for tag, (epoch, version, total) in zip(names, run(self._client, calls), strict=True)
        }

    def scan(self, tag: str, sort: str) -> Iterator[list[Entry]]:
        """The whole list in order, in batches; what moves meanwhile may come twice or not at all.

        Raises RankingLost if the tag has no epoch.
        """
        score: bytes | str = ""
        name: bytes | str = ""
        while flat := self._answer(tag, sort, [score, name, SCAN_ENTRIES, "", SCAN_ENTRIES])[4]:
            yield entries(flat)
            name, score = flat[-2:]

    def weed(self, tag: str) -> int:
        """Takes members that are no threads, a stranger's, off the lists; returns how many."""
        weeds: set[bytes | str] = set()
        for key in self._sort_keys(tag):
            found = (name for name, _ in self._client.zscan_iter(key, count=1_000))
            weeds.update(name for name in found if thread_id(name) is None)
        if weeds:
            pipeline = self._client.pipeline(transaction=False)
            for key in self._sort_keys(tag):
                pipeline.zrem(key, *weeds)
            pipeline.execute()
        return len(weeds)

    def begin_rebuild(self, tags: Iterable[str]) -> Rebuild:
        """Begins to build the lists of some tags anew, beside the live ones.

        Raises RebuildBusy while another process does so.
        """
        return Rebuild(self._client, self.keys, self.sorts, tags)

    def _place_calls(self, placements: Sequence[Placement]) -> list[tuple[str, Call]]:
        leaving: dict[str, list[list[str]]] = {}
        entering: dict[str, list[list[str]]] = {}
        for placement in placements:
            name, revision = member(placement.thread_id), str(placement.revision)
            off = [name, revision, *("" for _ in self.sorts)]
            on = [name, revision, *map(str, placement.scores)]
            for tag in placement.leave - placement.enter:
                leaving.setdefault(tag, []).append(off)
            for tag in placement.enter:
                entering.setdefault(tag, []).append(on)
        return [
            (tag, self._place_call(tag, rows[first : first + THREADS_PER_CALL]))
            for places in (leaving, entering)
            for tag, rows in places.items()
            for first in range(0, len(rows), THREADS_PER_CALL)
        ]

    def _place_call(self, tag: str, rows: list[list[str]]) -> Call:
        names = [self.keys.changes(tag), self.keys.meta(tag), self.keys.revisions(tag)]
        return Call(_PLACE, self._sort_keys(tag) + names, [value for row in rows for value in row])

    def _sort_keys(self, tag: str) -> list[str]:
        return [self.keys.sort(tag, sort) for sort in self.sorts]

    def _read(
        self,
        tag: str,
        sort: str,
        score: str,
        after: str,
        count: int,
        target: str = "",
        most: int = 0,
    ) -> tuple[Head, int | None]:
        args: Args = [score, after, count, target, most if target else count]
        epoch, version, total, rank, flat = self._answer(tag, sort, args)
        return Head(text(epoch), int(version), total, entries(flat)), rank

    def _answer(self, tag: str, sort: str, args: Args) -> list[Any]:
        keys = [self.keys.sort(tag, sort), self.keys.meta(tag)]
        [answer] = run(self._client, [Call(_READ, keys, args)])
        if answer is None:
            raise RankingLost([tag])
        return answer
