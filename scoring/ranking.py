"""The order in Redis: places threads on sorted sets, and reads them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from lua_scripts.runner import Args, LuaCall, text_of
from lua_scripts.servers import Client, run_id_of
from lua_scripts.sources import read_lua
from scoring.keys import Keys, is_query_list, member, sort_of
from scoring.placing import PlacedLate, Placement, place_calls
from scoring.pulse import Pulse, Watch, read_pulse
from scoring.query_ranking import QueryRanking
from scoring.reading import Changes, Entry, Head, Known, State, changes, entries
from scoring.rebuilding import Rebuild
from scoring.server_life import LifeUnknown, RunId, ServerLife
from scoring.sorts import SORTS
from scoring.states import LOST, counts_in, state_calls

#: Members that one call removes.
REMOVED_PER_CALL = 200
#: Entries that count as the top of a list: a screen and a little more; see `Changes.on_top`.
TOP_ENTRIES = 30
#: Entries that `scan` reads at a time.
SCAN_ENTRIES = 5_000
#: Entries among which one call looks for members that are no thread (about 0.5 ms).
FOREIGN_ENTRIES = 2_000

_OF_VIEWS = (
    "begin",
    "fill",
    "foreign",
    "place",
    "pulse",
    "read",
    "remove",
    "since",
    "state",
    "swap",
)
_OF_QUERIES = ("begin", "fill", "place", "raise_revisions", "states", "totals")
_NAMES = (*_OF_VIEWS, "unlisted", *(f"queries/{name}" for name in _OF_QUERIES))
_SCRIPTS = {name: read_lua("scoring", name) for name in _NAMES}
for _name in ("place", "queries/place"):
    _SCRIPTS[_name] = read_lua("scoring", "leaving") + _SCRIPTS[_name]
_SCRIPTS["queries/begin"] = read_lua("scoring", "lease") + _SCRIPTS["queries/begin"]


class RankingLost(Exception):
    """Redis has lost data of these list ids, or never held them. Rebuild them."""

    def __init__(self, list_ids: Iterable[str]):
        self.list_ids = frozenset(list_ids)
        super().__init__(f"Redis does not hold {', '.join(sorted(self.list_ids))}")


class Ranking(QueryRanking):
    """The lists under one prefix. Raises redis.RedisError as it comes.

    Lists are lost, too, where Redis was started since they were rebuilt: see scoring/server_life.
    """

    def __init__(
        self,
        client: Client,
        prefix: str = "lineup",
        sorts: Iterable[str] = tuple(SORTS),
        run_id: RunId = run_id_of,
    ):
        keys = Keys(prefix)
        super().__init__(client, keys, ServerLife(client, _SCRIPTS, keys.life, run_id))
        self.sorts = tuple(sorts)

    def sorts_of(self, list_id: str) -> Sequence[str]:
        """The sorts in which Redis holds the threads of a list id."""
        return (sort_of(list_id),) if is_query_list(list_id) else self.sorts

    def place(self, placements: Sequence[Placement]) -> int:
        """Places threads in one round trip; they leave lists before they enter others.

        A revision older than the held one is refused, so calls may be repeated and may race.
        Returns how many threads changed, counted on each list id. Raises RankingLost if a list id
        of a view is lost (no epoch, or a log cut off); threads are placed on the others all the
        same. The list of a query may be built at this moment, or be no longer needed. Raises
        PlacedLate; all else is done.
        """
        calls = place_calls(placements, self.keys, self.sorts)
        concerned = (id for each in placements for id in (*each.leave, *each.enter))
        answers = self._run([each.call for each in calls], concerned)
        results = [each.result(answer) for each, answer in zip(calls, answers, strict=True)]
        lost = {id for _, found, _ in results for id in found if not is_query_list(id)}
        if lost:
            raise RankingLost(lost)
        changed = sum(changed for changed, _, _ in results)
        late = {id for _, _, ids in results for id in ids}
        if late:
            raise PlacedLate(late, changed)
        return changed

    def head(self, list_id: str, sort: str, limit: int) -> Head:
        """The first entries of a list. Raises RankingLost if the list id has no epoch."""
        return self._read(list_id, sort, "", "", limit)[0]

    def after(self, list_id: str, sort: str, score: int, id: int, limit: int) -> Head:
        """The entries that follow (score, id), whether or not that entry is still there.

        Raises RankingLost if the list id has no epoch.
        """
        return self._read(list_id, sort, str(score), member(id), limit)[0]

    def through(
        self,
        list_id: str,
        sort: str,
        score: int,
        id: int,
        target_id: int,
        beyond: int = 20,
        most: int = 20_000,
    ) -> tuple[Head, int | None]:
        """The entries that follow (score, id) as far as `beyond` past the target, at most `most`;
        and the target's rank from 0. No entries and None if the target is not on the list.

        Raises RankingLost if the list id has no epoch.
        """
        return self._read(list_id, sort, str(score), member(id), beyond, member(target_id), most)

    def since(
        self, list_id: str, sorts: Sequence[str], epoch: str, version: int, limit: int
    ) -> Changes | None:
        """What changed on the sorts of a list id since a version, at the cost of the changes alone.

        None where that is not known: the epoch is another or lost, the version is none of it,
        or more than `limit` threads changed. Then read the list again.
        """
        return self.since_all([Known(list_id, sorts, epoch, version)], limit)[0]

    def since_all(self, known: Sequence[Known], limit: int) -> list[Changes | None]:
        """`since` of many lists, in one round trip."""
        calls = []
        for each in known:
            keys = [self.keys.changes(each.list_id), self.keys.meta(each.list_id)]
            keys += [self.keys.sort(each.list_id, sort) for sort in each.sorts]
            calls.append(LuaCall("since", keys, [each.epoch, each.version, limit, TOP_ENTRIES]))
        answers = self._run(calls, [each.list_id for each in known]) if calls else []
        return [
            None if answer is None else changes(each.epoch, tuple(each.sorts), answer)
            for each, answer in zip(known, answers, strict=True)
        ]

    def rank(self, list_id: str, sort: str, id: int) -> tuple[int | None, int]:
        """The thread's rank from 0, None if it is not on the list; and how long the list is."""
        pipeline = self._client.pipeline(transaction=True)
        pipeline.zrank(self.keys.sort(list_id, sort), member(id))
        pipeline.zcard(self.keys.sort(list_id, sort))
        rank, total = pipeline.execute()
        return rank, total

    def count_below(self, list_id: str, sort: str, score: int) -> int:
        """How many threads of a list have a lower score; 0 where Redis does not hold it."""
        return self._client.zcount(self.keys.sort(list_id, sort), "-inf", f"({score}")

    def columns(self, ids: Mapping[str, Sequence[int]]) -> dict[str, list[list[float | None]]]:
        """For each list id, and then each sort, the scores of these threads; None where not on it.

        One round trip; scores are whole numbers as the client reads them (float).
        """
        named = {id: member(id) for found in ids.values() for id in found}
        pipeline = self._client.pipeline(transaction=False)
        list_ids = [list_id for list_id, found in ids.items() if found]
        for list_id in list_ids:
            names = [named[id] for id in ids[list_id]]
            for key in self._sort_keys(list_id):
                pipeline.zmscore(key, names)
        answers = iter(pipeline.execute() if list_ids else [])
        return {list_id: [next(answers) for _ in self.sorts_of(list_id)] for list_id in list_ids}

    def states(
        self, list_ids: Iterable[str], known: Mapping[str, State] | None = None
    ) -> dict[str, State]:
        """Epoch, version and total of each list id, in one round trip.

        `known`: states of views that were read before, perhaps none. Where it is given, the states
        of views also say how many threads each admin has; what has not changed costs nothing.
        """
        names = list(list_ids)
        calls = list(state_calls(names, self.keys, self.sorts, known))
        found: dict[str, State] = {}
        try:
            answers = self._life.run_all([each.call for each in calls])
        except LifeUnknown:
            return dict.fromkeys(names, LOST)
        for each, answer in zip(calls, answers, strict=True):
            found |= each.result(answer)
        return {list_id: found[list_id] for list_id in names}

    def counts(self, views: Sequence[str]) -> dict[str, dict[int, int]]:
        """How many threads of each view each admin has, 0: nobody, whether or not it is lost."""
        pipeline = self._client.pipeline(transaction=False)
        for view in views:
            pipeline.hgetall(self.keys.meta(view))
        return dict(zip(views, map(counts_in, pipeline.execute()), strict=True))

    def pulse(self) -> Pulse | None:
        """Another one after each change of any list; None where all are lost."""
        return read_pulse(self._client, self.keys, self._life)

    def watch(self, list_ids: Iterable[str]) -> Watch:
        """Says later whether any program has written to these lists."""
        keys = (key for id in list_ids for key in (*self._sort_keys(id), self.keys.meta(id)))
        return Watch(self._client, keys)

    def notice_restarts(self) -> None:
        """Asks Redis whether it was started since: then all lists are lost.

        Every call notices that by itself where the server forgot the scripts; one that keeps them
        with its data (6.2) must be asked.
        """
        with suppress(LifeUnknown):
            self._life.renew()

    def scan(self, list_id: str, sort: str) -> Iterator[list[Entry]]:
        """The whole list in order, in batches; what moves meanwhile may come twice or not at all.

        Raises RankingLost if the list id has no epoch.
        """
        score: bytes | str = ""
        name: bytes | str = ""
        while flat := self._answer(list_id, sort, [score, name, SCAN_ENTRIES, "", SCAN_ENTRIES])[4]:
            yield entries(flat)
            name, score = flat[-2:]

    def remove_foreign_members(self, list_id: str) -> int:
        """Removes members that are not thread ids from the lists; returns how many.

        Raises RankingLost.
        """
        foreign = sorted(
            {name for sort in self.sorts_of(list_id) for name in self._foreign(list_id, sort)}
        )
        keys = [*self._sort_keys(list_id), self.keys.changes(list_id), self.keys.meta(list_id)]
        for first in range(0, len(foreign), REMOVED_PER_CALL):
            names = foreign[first : first + REMOVED_PER_CALL]
            self._run([LuaCall("remove", keys, names)], [list_id])
        return len(foreign)

    def remove_views(self, list_ids: Iterable[str]) -> None:
        """Removes all keys of list ids that are no views any more."""
        for list_id in list_ids:
            keys = [self.keys.changes(list_id), self.keys.meta(list_id), self.keys.left(list_id)]
            keys += [self.keys.revisions(list_id), self.keys.next(list_id)]
            keys.append(self.keys.assigned(list_id))
            self._client.unlink(*self._sort_keys(list_id), *keys)

    def begin_rebuild(
        self, list_ids: Iterable[str], *, seen: Mapping[str, str | None] | None = None
    ) -> Rebuild:
        """Begins to build the lists of these list ids again, beside the live ones.

        `Rebuild.list_ids` are those that have begun: of queries only what no other rebuild makes,
        and with `seen`, the epoch of each or None, what nobody has built since. Raises RebuildBusy
        while another process rebuilds the lists of views.
        """
        parts = self._client, self._life, self.keys, self.sorts_of
        return Rebuild(*parts, list_ids, seen=seen)

    def _sort_keys(self, list_id: str) -> list[str]:
        return [self.keys.sort(list_id, sort) for sort in self.sorts_of(list_id)]

    def _read(
        self,
        list_id: str,
        sort: str,
        score: str,
        after: str,
        count: int,
        target: str = "",
        most: int = 0,
    ) -> tuple[Head, int | None]:
        args: Args = [score, after, count, target, most if target else count]
        epoch, version, total, rank, flat = self._answer(list_id, sort, args)
        found = entries(flat)
        foreign = len(flat) // 2 - len(found)
        if foreign and not target:
            # What is no thread takes no place of a thread: else a walk would end there.
            wanted = count
            while foreign and len(found) < wanted and len(flat) // 2 >= count:
                count += 2 * foreign
                args = [score, after, count, "", count]
                epoch, version, total, rank, flat = self._answer(list_id, sort, args)
                found = entries(flat)
                foreign = len(flat) // 2 - len(found)
            found = found[:wanted]
        return Head(text_of(epoch), int(version), total, found), rank

    def _foreign(self, list_id: str, sort: str) -> Iterator[bytes]:
        cursor: bytes | int = 0
        while True:
            call = LuaCall("foreign", [self.keys.sort(list_id, sort)], [cursor, FOREIGN_ENTRIES])
            [[cursor, names]] = self._run([call], [list_id])
            yield from names
            if int(cursor) == 0:
                return

    def _answer(self, list_id: str, sort: str, args: Args) -> list[Any]:
        keys = [self.keys.sort(list_id, sort), self.keys.meta(list_id)]
        [answer] = self._run([LuaCall("read", keys, args)], [list_id])
        if answer is None:
            raise RankingLost([list_id])
        return answer

    def _run(self, calls: Sequence[LuaCall], list_ids: Iterable[str]) -> list[Any]:
        # Every script may be repeated, and threads leave lists before they enter others.
        try:
            return self._life.run_all(calls)
        except LifeUnknown as error:
            raise RankingLost(list_ids) from error
